import { terms } from '../text/terms.ts'
import { words } from '../text/words.ts'
import type { Signal } from './signal.ts'

/** Words of the question that are sentences without their spaces, and that neither the collection nor the evidence knows. */
export const runTogetherCount: Signal<number> = {
  name: 'runTogetherCount',
  measure: ({ question, evidence, lexicon, language }) =>
    words(question)
      .filter((word) => language?.isRunTogether(word))
      .flatMap((word) => terms(word, language))
      .filter((term) => !lexicon.documentFrequency.has(term))
      .filter((term) => !evidence.chunks.some(({ text }) => terms(text, language).includes(term))).length,
}
