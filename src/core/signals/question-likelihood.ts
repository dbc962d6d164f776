import type { ChunkFeatures, QuestionTerm, TextFeatures } from './text-features.ts'

/** Number of best chunks compared. */
const CHUNKS_COMPARED = 5

/** Weight of the chunk's term distribution in the mixture with the collection's. */
const FROM_CHUNK = 0.7

/**
 * Gain in log-likelihood of the question's terms under the best of the first five chunks compared with the whole collection.
 * A chunk's model is a mixture of its term distribution (.7) and the collection's (.3). The gain is divided by that of a chunk
 * consisting of the question only. Unlike coverage it favours short chunks about little else. For a missing term, a term with
 * the same beginning counts by the share they have in common.
 *
 * @returns 0..1; 0 if no chunk raises the likelihood, without chunks, or when the question has no terms
 * @see C. Zhai and J. Lafferty, "A Study of Smoothing Methods for Language Models Applied to Ad Hoc Information
 *   Retrieval", SIGIR 2001 (Jelinek–Mercer smoothing)
 */
export function questionLikelihood(features: TextFeatures): number {
  return Math.max(0, ...features.chunks.slice(0, CHUNKS_COMPARED).map((chunk) => likelihoodFrom(features, chunk)))
}

/** The same of one chunk. @returns 0..1 */
export function likelihoodFrom({ questionTerms }: TextFeatures, { counts, nearness, length }: ChunkFeatures): number {
  const reachable = gain(questionTerms, () => 1 / questionTerms.length)
  if (!(reachable > 0 && length > 0)) return 0
  const gained = gain(questionTerms, (at) => (counts[at]! + nearness[at]!) / length)
  return Math.min(1, Math.max(0, gained / reachable))
}

function gain(questionTerms: readonly QuestionTerm[], shareOf: (at: number) => number): number {
  let sum = 0
  questionTerms.forEach(({ rate }, at) => {
    sum += Math.log((FROM_CHUNK * shareOf(at)) / rate + (1 - FROM_CHUNK))
  })
  return sum
}
