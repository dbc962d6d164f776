/** The lowest threshold with a guarantee, and the number of labels that a guarantee needs. */
import { meets, RATIO_TOLERANCE } from 'hono-rag-gate/core/lib'
import { binomialInterval, chanceOfAtMost } from './binomial-interval.ts'

/** A guarantee: the accepted risk, and its confidence level. */
export interface Promised {
  /** Share of the unanswerable questions that may be answered, above 0, below 1. */
  readonly risk: number
  /**
   * Confidence level, .5 to below 1. `average` is weaker: the share is within the risk in the mean over label sets of
   * this size, but may exceed it for a single set.
   */
  readonly certainty: number | 'average'
}

/**
 * One-sided exact (Clopper–Pearson) upper bound of a rate.
 *
 * @param hits number of events, whole, 0..trials
 * @returns 0..1; 1 for no trials
 */
export function upperBound(hits: number, trials: number, certainty: number): number {
  // The interval is two-sided, with the same tail probability on each side.
  return binomialInterval(hits, trials, 2 * certainty - 1).high
}

/** Minimum number of labelled unanswerable questions for a guarantee, if none of them is accepted. */
export function labelsNeeded(risk: number, certainty: Promised['certainty']): number {
  if (certainty === 'average') return Math.ceil(1 / risk - 1 - RATIO_TOLERANCE)
  return Math.ceil(Math.log(1 - certainty) / Math.log(1 - risk) - RATIO_TOLERANCE)
}

/**
 * The lowest threshold at which, at the given confidence level, at most the given share of the unanswerable questions
 * is accepted: one step above the highest score that must be rejected. Which score that is depends only on their
 * number, so the choice does not weaken the guarantee.
 *
 * @param scores of unanswerable questions; non-finite ones are never accepted
 * @param step thresholds are multiples of it; above 0, to 1
 * @param tolerance how far below a threshold a score may be to be accepted; negative if an equal one is rejected
 * @returns `undefined` if even 1 accepts too many, or there are too few scores
 * @see S. S. Wilks, "Determination of Sample Sizes for Setting Tolerance Limits", Annals of Mathematical Statistics
 *   12(1), 1941: an order statistic as a limit that holds for every distribution
 */
export function lowestSafeThreshold(
  scores: readonly number[],
  {
    risk,
    certainty,
    step,
    tolerance = RATIO_TOLERANCE,
  }: Promised & { readonly step: number; readonly tolerance?: number },
): number | undefined {
  const allowed = mostAllowed(scores.length, { risk, certainty })
  if (allowed < 0) return undefined
  const best = scores.filter(Number.isFinite).sort((a, b) => b - a)
  const barred = best[allowed]
  if (barred === undefined) return 0
  const multiple = (count: number): number => Math.max(0, Number((count * step).toFixed(9)))
  let count = Math.floor(barred / step)
  while (meets(barred, multiple(count), tolerance)) count++
  const threshold = Math.min(1, multiple(count))
  return meets(barred, threshold, tolerance) ? undefined : threshold
}

/**
 * How many of the labelled unanswerable questions may be accepted under a guarantee; −1 if there are too few labels.
 *
 * @param trials whole, 0 and up
 */
export function mostAllowed(trials: number, promised: Promised): number {
  // The bound increases with the number accepted, so bisection works.
  let allowed = -1
  let barred = trials
  while (barred - allowed > 1) {
    const middle = Math.floor((allowed + barred) / 2)
    if (mayGetThrough(middle, trials, promised)) allowed = middle
    else barred = middle
  }
  return allowed
}

/**
 * Whether the upper bound for this many hits is within the risk. With `average`: whether the probability that a further
 * question ranks among the `hits` + 1 highest, (hits + 1) / (trials + 1), is.
 *
 * @param hits whole, 0 and up, fewer than `trials`
 * @see A. N. Angelopoulos, S. Bates, A. Fisch, L. Lei and T. Schuster, "Conformal Risk Control", ICLR 2024
 */
function mayGetThrough(hits: number, trials: number, { risk, certainty }: Promised): boolean {
  if (certainty === 'average') return (hits + 1) / (trials + 1) <= risk + RATIO_TOLERANCE
  return chanceOfAtMost(hits, trials, risk) <= (1 - certainty) * (1 + RATIO_TOLERANCE)
}
