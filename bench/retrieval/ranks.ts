/** Converts ranks of right passages to rates with intervals. */
import { binomialInterval, type Interval } from '../../packages/calibration/src/binomial-interval.ts'
import { seededRandom } from '../seeded-random.ts'

/** Number of passages considered: a right one further down counts as not found. */
export const DEPTH = 10

const RESAMPLES = 2000
const SEED = 20_261_122

/** Rank of the first right passage, 1 to 10; Infinity if none of the ten is right. */
export function rankOf(found: readonly string[], relevant: ReadonlySet<string>): number {
  const at = found.slice(0, DEPTH).findIndex((id) => relevant.has(id))
  return at < 0 ? Infinity : at + 1
}

/** Share of questions with a right passage among the first `depth`, with its exact 95 % interval. */
export function recallAt(ranks: readonly number[], depth: number): { readonly rate: number } & Interval {
  const hits = ranks.filter((rank) => rank <= depth).length
  return { rate: hits / ranks.length, ...binomialInterval(hits, ranks.length) }
}

/** Mean of the reciprocal ranks. */
export function meanReciprocalRank(ranks: readonly number[]): number {
  return mean(ranks.map((rank) => 1 / rank))
}

/** 95 % bootstrap interval of a mean: percentiles of 2,000 resamples, drawn with a fixed seed. */
export function bootstrapInterval(values: readonly number[]): Interval {
  const random = seededRandom(SEED)
  const means = Array.from({ length: RESAMPLES }, () => {
    let sum = 0
    for (let drawn = 0; drawn < values.length; drawn++) sum += values[Math.floor(random() * values.length)]!
    return sum / values.length
  }).sort((a, b) => a - b)
  return { low: means[Math.floor(0.025 * RESAMPLES)]!, high: means[Math.ceil(0.975 * RESAMPLES) - 1]! }
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
