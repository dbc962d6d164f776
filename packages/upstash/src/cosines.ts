/** From a row of the dense part to a raw cosine, for every similarity function of an index. */
import { misconfigured } from './misconfigured.ts'
import { cosine, dot } from 'hono-rag-gate/core/lib'
import type { Similarity } from './index-kind.ts'

/** A row as it came. */
type Row = Readonly<Record<string, unknown>>

/** How far from 1 the length of a unit vector may be: float32, and models that round. */
const UNIT_TOLERANCE = 1e-3

/** Whether rows must come with their vectors: their scores alone do not give a cosine. */
export function needsVectors(similarity: Similarity): boolean {
  return similarity !== 'cosine'
}

/**
 * Reads cosines. A score by cosine is (1 + cosine) / 2. Where the index measures otherwise, the cosine is worked out from
 * the vectors of question and row; where the index embeds and the question's vector is not known, from the score,
 * which holds for vectors of length 1 only: the row's is measured, and the question's comes from the same model.
 *
 * @param question its vector, where an embedder of ours made it
 * @returns the cosine of a row; what is no number as it came. It throws `retriever_misconfigured` for a row of another
 *   length than 1 where that matters
 * @see https://upstash.com/docs/vector/features/similarityfunctions
 */
export function cosineReader(similarity: Similarity, question: readonly number[] | undefined): (row: Row) => unknown {
  if (similarity === 'cosine') return ({ score }) => (typeof score === 'number' ? 2 * score - 1 : score)
  if (question !== undefined) return ({ vector }) => (isVector(vector) ? cosine(question, vector) : Number.NaN)
  return ({ score, vector }) => {
    if (typeof score !== 'number') return score
    if (!(Math.abs(lengthOf(vector) - 1) <= UNIT_TOLERANCE)) {
      throw misconfigured(
        `it measures by ${similarity} vectors of another length than 1, and the retriever has no embedder`,
      )
    }
    // 1 / (1 + d²), and d² = 2 − 2 cosine; (1 + dot) / 2.
    return similarity === 'euclidean' ? 1 - (1 / score - 1) / 2 : 2 * score - 1
  }
}

function lengthOf(vector: unknown): number {
  return isVector(vector) ? Math.sqrt(dot(vector, vector)) : Number.NaN
}

function isVector(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'number')
}
