import { terms } from '../text/terms.ts'
import { words } from '../text/words.ts'
import type { Signal } from './signal.ts'

/** A term that is all of a question. */
export interface LoneTerm {
  /** Chunks of the collection that hold it, and all of them; 0 where it has no lexicon. */
  readonly holding: number
  readonly chunks: number
  /** Whether the title of the best chunk names it. */
  readonly isTitled: boolean
}

/** The one term of the question; `null` where it has several or none, or asks ("What is Perl?"). */
export const loneTerm: Signal<LoneTerm | null> = {
  name: 'loneTerm',
  measure: ({ question, evidence, lexicon, language }) => {
    const [term, another] = new Set(terms(question, language))
    if (term === undefined || another !== undefined) return null
    if (words(question).some((word) => language?.asks(word))) return null
    return {
      holding: lexicon.documentFrequency.get(term) ?? 0,
      chunks: lexicon.chunkCount,
      isTitled: terms(evidence.chunks[0]?.title ?? '', language).includes(term),
    }
  },
}
