import { terms } from '../text/terms.ts'
import { words } from '../text/words.ts'
import type { Signal } from './signal.ts'

/** The only term of a question. */
export interface LoneTerm {
  /** Number of the collection's chunks that contain it, and of all chunks; 0 without a lexicon. */
  readonly holding: number
  readonly chunks: number
  /** Whether it occurs in the best chunk's title. */
  readonly isTitled: boolean
}

/** The only term of the question; `null` if there are several or none, or if it has a question word ("What is Perl?"). */
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
