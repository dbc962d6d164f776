/** Statistics of single terms from a collection lexicon, smoothed for small collections. */
import { type CountedTerms, inverseDocumentFrequency, meanChunkLength } from '../text/lexicon.ts'

/** Smaller collections count as this many chunks, so that a term in two of three chunks does not count as common. */
const LEAST_CHUNKS = 100

/** Assumed number of terms of an unknown collection. */
const ASSUMED_TERM_COUNT = 10_000

/** Statistics of single terms. */
export interface TermStatistics {
  /** Inverse document frequency, above 0. */
  readonly idf: (term: string) => number
  /** Rate of the term in the collection: (chunks that contain it + .5) / number of terms; above 0, at most 1. */
  readonly rate: (term: string) => number
  /** Mean number of terms per chunk; 1 for an unknown collection. */
  readonly meanChunkLength: number
}

/**
 * Statistics of a collection. One with fewer than a hundred chunks is padded with chunks of the same length without its terms;
 * for an empty one all terms are equally rare.
 */
export function termStatistics(lexicon: CountedTerms): TermStatistics {
  const { documentFrequency } = lexicon
  const chunkCount = Math.max(LEAST_CHUNKS, lexicon.chunkCount)
  // Capped at the number of chunks, in case of damaged statistics.
  const holding = (term: string): number => Math.min(documentFrequency.get(term) ?? 0, lexicon.chunkCount)
  const known = lexicon.chunkCount > 0 && lexicon.termCount > 0
  const termCount = known ? lexicon.termCount * (chunkCount / lexicon.chunkCount) : ASSUMED_TERM_COUNT
  const filled = { chunkCount, termCount, documentFrequency: { get: holding } }
  return {
    idf: (term) => inverseDocumentFrequency(filled, term),
    rate: (term) => Math.min(1, (holding(term) + 0.5) / termCount),
    meanChunkLength: meanChunkLength(lexicon),
  }
}
