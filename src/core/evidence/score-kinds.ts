/** Which numbers a score of each kind can be. */
import type { ScoreKind } from './chunk.ts'

/** How far float32 may take a score beyond its range. */
const TOLERANCE = 1e-6

/** Lowest and highest score of the kinds that have bounds. */
const RANGE: Readonly<Partial<Record<ScoreKind, readonly [low: number, high: number]>>> = {
  cosine: [-1, 1],
  bm25: [0, Infinity],
  rrf: [0, Infinity],
  convex: [0, 1],
  'cross-encoder': [0, 1],
  grade: [0, 3],
  'graph-boost': [0, Infinity],
}

/**
 * A score held within the range of its kind: cosine −1..1; convex and cross-encoder 0..1; grade 0..3; bm25, rrf and
 * graph-boost 0 and up; any finite number for the others. 32-bit floats may stray 1e-6 beyond it.
 *
 * @returns `NaN` for what is no finite number, or beyond its range: a distance, a logit or a percentage under a wrong name
 */
export function scoreWithinRange(kind: ScoreKind, score: unknown): number {
  if (typeof score !== 'number' || !Number.isFinite(score)) return Number.NaN
  const [low, high] = Object.hasOwn(RANGE, kind) ? RANGE[kind]! : [-Infinity, Infinity]
  if (score < low - TOLERANCE || score > high + TOLERANCE) return Number.NaN
  return Math.min(high, Math.max(low, score))
}
