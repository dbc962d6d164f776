/** Correlations and standard deviation. */
import { meanOf } from 'hono-rag-gate/core/lib'

/** Two measurements of the same chunk. */
export type Pair = readonly [number, number]

/** Relative variation below which a series counts as constant: the rest is rounding error. */
const CONSTANT_WITHIN = 1e-12

/**
 * Pearson's correlation, independent of the order of the pairs.
 *
 * @returns −1..1; `undefined` for fewer than two pairs, or if either side is constant
 */
export function pearson(pairs: readonly Pair[]): number | undefined {
  // Summed in a fixed order, so that the result is reproducible.
  const ordered = [...pairs].sort((a, b) => a[0] - b[0] || a[1] - b[1])
  const left = centred(ordered.map(([x]) => x))
  const right = centred(ordered.map(([, y]) => y))
  if (left === undefined || right === undefined) return undefined
  let product = 0
  let leftSquares = 0
  let rightSquares = 0
  left.forEach((x, at) => {
    const y = right[at] ?? 0
    product += x * y
    leftSquares += x * x
    rightSquares += y * y
  })
  const r = product / Math.sqrt(leftSquares) / Math.sqrt(rightSquares)
  return Number.isFinite(r) ? Math.max(-1, Math.min(1, r)) : undefined
}

/**
 * Spearman's rank correlation; ties share their mean rank.
 *
 * @returns −1..1; `undefined` for fewer than two pairs, or if either side is constant
 */
export function spearman(pairs: readonly Pair[]): number | undefined {
  const left = ranks(pairs.map(([x]) => x))
  const right = ranks(pairs.map(([, y]) => y))
  return pearson(left.map((rank, at): Pair => [rank, right[at] ?? 0]))
}

/**
 * Standard deviation of a whole population (divided by n, not n − 1).
 *
 * @returns 0 and up; 0 for fewer than two values
 */
export function populationDeviation(values: readonly number[]): number {
  const size = largest(values)
  if (size === 0) return 0
  const scaled = values.map((value) => value / size)
  const mean = meanOf(scaled)
  const deviation = size * Math.sqrt(meanOf(scaled.map((value) => (value - mean) ** 2)))
  return Math.min(deviation, Number.MAX_VALUE)
}

/** Values minus their mean, scaled to a maximum of 1; `undefined` if they do not vary. */
function centred(values: readonly number[]): readonly number[] | undefined {
  const size = largest(values)
  const scaled = values.map((value) => value / size)
  // False for all zeros and for no values, where the comparison is with `NaN`.
  if (!(Math.max(...scaled) - Math.min(...scaled) > CONSTANT_WITHIN)) return undefined
  const mean = meanOf(scaled)
  return scaled.map((value) => value - mean)
}

function largest(values: readonly number[]): number {
  return values.reduce((size, value) => Math.max(size, Math.abs(value)), 0)
}

/** Ranks from 1, in the order of the given values. */
function ranks(values: readonly number[]): readonly number[] {
  const sorted = [...values].sort((a, b) => a - b)
  return values.map((value) => (sorted.indexOf(value) + sorted.lastIndexOf(value)) / 2 + 1)
}
