/** What a collection lexicon says of single terms, with what stands in for it where it knows too little. */
import { type CountedTerms, inverseDocumentFrequency, meanChunkLength } from '../text/lexicon.ts'

/** A smaller collection counts as this many chunks: a term in two of its three chunks is not common for that. */
const LEAST_CHUNKS = 100

/** Terms a collection is taken to have where nothing is known of it. */
const ASSUMED_TERM_COUNT = 10_000

/** Statistics of single terms. */
export interface TermStatistics {
  /** Inverse document frequency, above 0. */
  readonly idf: (term: string) => number
  /** Share of the collection's terms that this one is: chunks that hold it, and a half, by all terms. Above 0, to 1. */
  readonly rate: (term: string) => number
  /** Terms an average chunk has; 1 where no collection is known. */
  readonly meanChunkLength: number
}

/**
 * The statistics of a collection. One of fewer than a hundred chunks is filled up with chunks of the same length that
 * hold none of its terms; of an empty one every term counts alike.
 */
export function termStatistics(lexicon: CountedTerms): TermStatistics {
  const { documentFrequency } = lexicon
  const chunkCount = Math.max(LEAST_CHUNKS, lexicon.chunkCount)
  // A chunk holds a term once at least: statistics that say otherwise are damaged.
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
