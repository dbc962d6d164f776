/** Pseudo relevance feedback: words of the best chunks that a weak question may lack. */
import type { Chunk } from './chunk.ts'
import { inverseDocumentFrequency, type Lexicon } from '../text/lexicon.ts'
import { terms } from '../text/terms.ts'
import { words } from '../text/words.ts'

/** Settings of `feedbackTerms`. */
export interface FeedbackOptions {
  /** Best chunks that words are taken from, 1 and up. @default 2 */
  readonly chunks?: number
  /** Words taken at most, 0 and up. @default 5 */
  readonly terms?: number
}

/**
 * The words that tell the best chunks apart from the rest of the collection, heaviest first, and none that the question
 * has already. A word weighs its share of a chunk by its idf, divided by the chunk's rank. Each stands as the first chunk
 * writes it, in lower case: an index stems for itself.
 *
 * @param chunks best first
 * @returns none without chunks
 * @see Rocchio, "Relevance feedback in information retrieval", 1971
 */
export function feedbackTerms(
  question: string,
  chunks: readonly Chunk[],
  lexicon: Lexicon,
  { chunks: best = 2, terms: most = 5 }: FeedbackOptions = {},
): readonly string[] {
  const asked = new Set(terms(question))
  const found = new Map<string, { readonly word: string; weight: number }>()
  chunks.slice(0, best).forEach(({ text }, rank) => {
    const written = words(text)
    for (const word of written) {
      const [term] = terms(word)
      if (term === undefined || asked.has(term)) continue
      const share = inverseDocumentFrequency(lexicon, term) / written.length / (rank + 1)
      const known = found.get(term)
      if (known === undefined) found.set(term, { word, weight: share })
      else known.weight += share
    }
  })
  return [...found.values()]
    .sort((a, b) => b.weight - a.weight)
    .slice(0, most)
    .map(({ word }) => word)
}
