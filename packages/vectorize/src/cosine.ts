/** Converts scores of Vectorize to raw cosines. */
import { dot } from 'hono-rag-gate/core/lib'

/** Metric that the index was created with; the binding does not report it. */
export type VectorizeMetric = 'cosine' | 'euclidean' | 'dot-product'

/** Tolerance between the service's arithmetic and ours, absolute up to 1 and relative above. */
const TOLERANCE = 1e-3

/** Scales a vector to length 1; a zero vector is unchanged. */
export function unit(vector: readonly number[]): number[] {
  const length = Math.sqrt(dot(vector, vector))
  return length > 0 ? vector.map((value) => value / length) : [...vector]
}

/**
 * The cosine of two unit vectors from a score: for `cosine` the score itself; for `euclidean` the score is their
 * distance; for `dot-product` it is the negated dot product.
 */
export function cosineOf(metric: VectorizeMetric, score: number): number {
  switch (metric) {
    case 'cosine':
      return score
    case 'euclidean':
      return score < 0 ? Number.NaN : 1 - score ** 2 / 2
    case 'dot-product':
      return -score
  }
}

/** Whether this metric gives the score for two vectors, which need not be unit vectors. */
export function isScoreOf(metric: VectorizeMetric, a: readonly number[], b: readonly number[], score: number): boolean {
  switch (metric) {
    case 'cosine':
      return isNear(score, dot(unit(a), unit(b)))
    case 'euclidean':
      // Compared as squares, because the square root magnifies errors of small distances.
      return score >= 0 && isNear(score ** 2, dot(a, a) - 2 * dot(a, b) + dot(b, b))
    case 'dot-product':
      return isNear(score, -dot(a, b))
  }
}

function isNear(value: number, expected: number): boolean {
  return Math.abs(value - expected) <= TOLERANCE * Math.max(1, Math.abs(expected))
}
