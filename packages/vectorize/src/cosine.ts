/** From what Vectorize calls a score to a raw cosine. */
import { dot } from 'hono-rag-gate/core/lib'

/** Metric of an index, as it was created with; the binding does not tell it. */
export type VectorizeMetric = 'cosine' | 'euclidean' | 'dot-product'

/** How far a service's arithmetic may be from ours, of 1 or of what is expected. */
const TOLERANCE = 1e-3

/** The vector with length 1; all zeros stay so. */
export function unit(vector: readonly number[]): number[] {
  const length = Math.sqrt(dot(vector, vector))
  return length > 0 ? vector.map((value) => value / length) : [...vector]
}

/**
 * The cosine of two unit vectors behind a score: cosine as it is; euclidean is their distance, and the dot product comes
 * negative.
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

/** Whether a score is what this metric makes of two vectors of one length, unit vectors or not. */
export function isScoreOf(metric: VectorizeMetric, a: readonly number[], b: readonly number[], score: number): boolean {
  switch (metric) {
    case 'cosine':
      return isNear(score, dot(unit(a), unit(b)))
    case 'euclidean':
      // Squares, since a root makes much of little.
      return score >= 0 && isNear(score ** 2, dot(a, a) - 2 * dot(a, b) + dot(b, b))
    case 'dot-product':
      return isNear(score, -dot(a, b))
  }
}

function isNear(value: number, expected: number): boolean {
  return Math.abs(value - expected) <= TOLERANCE * Math.max(1, Math.abs(expected))
}
