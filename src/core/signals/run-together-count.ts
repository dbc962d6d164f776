import { terms } from '../text/terms.ts'
import { words } from '../text/words.ts'
import type { Signal } from './signal.ts'

/** Number of words of the question that are sentences without spaces, and occur in neither collection nor evidence. */
export const runTogetherCount: Signal<number> = {
  name: 'runTogetherCount',
  measure: ({ question, evidence, lexicon, language }) =>
    words(question)
      .filter((word) => language?.isRunTogether(word))
      .flatMap((word) => terms(word, language))
      .filter((term) => !lexicon.documentFrequency.has(term))
      .filter((term) => !evidence.chunks.some(({ text }) => terms(text, language).includes(term))).length,
}
