/** Bootstrap intervals, for statistics without an interval formula. */
import type { Interval } from './binomial-interval.ts'
import type { LabelledScore } from './labelled-score.ts'

/** Settings of `bootstrapInterval`. */
export interface BootstrapOptions {
  /** Random numbers in [0, 1). */
  readonly random: () => number
  /** Number of resamples, whole, 1 and up. @default 400 */
  readonly draws?: number
  /** Coverage of the interval, 0..1 exclusive. @default 0.95 */
  readonly confidence?: number
}

/**
 * Percentile interval of a statistic, from resampling answerable and unanswerable questions separately.
 *
 * @returns `undefined` without questions of both kinds
 * @see B. Efron and R. J. Tibshirani, "An Introduction to the Bootstrap", 1993, section 13.3
 */
export function bootstrapInterval(
  scored: readonly LabelledScore[],
  figure: (scored: readonly LabelledScore[]) => number,
  { random, draws = 400, confidence = 0.95 }: BootstrapOptions,
): Interval | undefined {
  const kinds = [true, false].map((kind) => scored.filter(({ answerable }) => answerable === kind))
  if (kinds.some((those) => those.length === 0)) return undefined
  const found = Array.from({ length: draws }, () =>
    figure(kinds.flatMap((those) => those.map(() => those[Math.floor(random() * those.length)]!))),
  ).sort((a, b) => a - b)
  const at = (share: number): number => found[Math.round(share * (draws - 1))]!
  return { low: at((1 - confidence) / 2), high: at((1 + confidence) / 2) }
}
