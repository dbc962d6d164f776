/** Converts rows of the dense part to raw cosines, for every similarity function of an index. */
import { misconfigured } from './misconfigured.ts'
import { cosine, dot } from 'hono-rag-gate/core/lib'
import type { Similarity } from './index-kind.ts'

/** A row as the service sent it. */
type Row = Readonly<Record<string, unknown>>

/** Tolerance for the length of unit vectors: float32, and models that round. */
const UNIT_TOLERANCE = 1e-3

/** Whether rows must include their vectors, because their scores alone do not give a cosine. */
export function needsVectors(similarity: Similarity): boolean {
  return similarity !== 'cosine'
}

/**
 * Makes a function that reads cosines. With cosine similarity, the score is (1 + cosine) / 2. Otherwise the cosine is
 * computed from the vectors of question and row; if the index embeds the question, so that its vector is unknown, from
 * the score, which requires vectors of length 1: the row's is checked, the question's comes from the same model.
 *
 * @param question its vector, if an embedder of ours made it
 * @returns the cosine of a row; a score that is not a number is returned unchanged. Throws `retriever_misconfigured` if
 *   a row's vector must have length 1 and does not
 * @see https://upstash.com/docs/vector/features/similarityfunctions
 */
export function cosineReader(similarity: Similarity, question: readonly number[] | undefined): (row: Row) => unknown {
  if (similarity === 'cosine') return ({ score }) => (typeof score === 'number' ? 2 * score - 1 : score)
  if (question) return ({ vector }) => (isVector(vector) ? cosine(question, vector) : Number.NaN)
  return ({ score, vector }) => {
    if (typeof score !== 'number') return score
    if (!(Math.abs(lengthOf(vector) - 1) <= UNIT_TOLERANCE)) {
      throw misconfigured(`it measures by ${similarity} vectors not of length 1, and the retriever has no embedder`)
    }
    // Euclidean: score = 1 / (1 + d²) with d² = 2 − 2 · cosine. Dot product: score = (1 + dot) / 2.
    return similarity === 'euclidean' ? 1 - (1 / score - 1) / 2 : 2 * score - 1
  }
}

function lengthOf(vector: unknown): number {
  return isVector(vector) ? Math.sqrt(dot(vector, vector)) : Number.NaN
}

function isVector(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'number')
}
