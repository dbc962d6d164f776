import type { ChunkFeatures, QuestionTerm, TextFeatures } from './text-features.ts'

/** How many chunks are compared, best first. */
const CHUNKS_COMPARED = 5

/** How far a term's chance comes from the chunk rather than from the whole collection. */
const FROM_CHUNK = 0.7

/**
 * How much likelier the best of the first five chunks makes the question than the collection as a whole does: log
 * likelihoods of its terms under a mix of .7 the chunk's term shares and .3 the collection's, as a share of what a chunk
 * would reach that consisted of the question alone. Unlike coverage it asks for a short chunk about little else. A term
 * that begins like a missing one counts the share that they have in common.
 *
 * @returns 0..1; 0 when no chunk makes it likelier, without chunks, or when the question has no terms
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
