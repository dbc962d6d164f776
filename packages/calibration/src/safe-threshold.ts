/** The lowest threshold that a promise holds at, and how many labels a promise takes. */
import { meets, RATIO_TOLERANCE } from 'hono-rag-gate/core/lib'
import { binomialInterval, chanceOfAtMost } from './binomial-interval.ts'

/** A promise: how much may go wrong, and how sure one must be of it. */
export interface Promised {
  /** Share of the questions to be refused that may be answered, above 0, below 1. */
  readonly risk: number
  /**
   * How sure one must be of that, .5 to below 1. `average`, which is weaker: over sets of labels of this size the share is no
   * higher in the mean, and with one set it may well be.
   */
  readonly certainty: number | 'average'
}

/**
 * Upper bound of a rate that one can be so sure of: exact (Clopper–Pearson), one-sided.
 *
 * @param hits how often it happened, whole, 0..trials
 * @returns 0..1; 1 for no trials
 */
export function upperBound(hits: number, trials: number, certainty: number): number {
  // A tail on one side: the interval leaves out as much on the other.
  return binomialInterval(hits, trials, 2 * certainty - 1).high
}

/** Questions to be refused without which a promise cannot be made, even when none of them gets through. */
export function labelsNeeded(risk: number, certainty: Promised['certainty']): number {
  if (certainty === 'average') return Math.ceil(1 / risk - 1 - RATIO_TOLERANCE)
  return Math.ceil(Math.log(1 - certainty) / Math.log(1 - risk) - RATIO_TOLERANCE)
}

/**
 * The lowest threshold at which, so surely, no more than the stated share of the questions to be refused gets through: a
 * step above the best score that must not pass. Which score that is depends on how many there are and on nothing else, so
 * that the search takes nothing from the certainty.
 *
 * @param scores of questions to be refused; what is no number never gets through
 * @param step thresholds are multiples of it; above 0, to 1
 * @returns `undefined` when even 1 lets too many through, or there are too few scores
 * @see S. S. Wilks, "Determination of Sample Sizes for Setting Tolerance Limits", Annals of Mathematical Statistics 12(1),
 *   1941: an order statistic as a limit that holds for every distribution
 */
export function lowestSafeThreshold(
  scores: readonly number[],
  { risk, certainty, step }: Promised & { readonly step: number },
): number | undefined {
  const allowed = mostAllowed(scores.length, { risk, certainty })
  if (allowed < 0) return undefined
  const best = scores.filter(Number.isFinite).sort((a, b) => b - a)
  const barred = best[allowed]
  if (barred === undefined) return 0
  const multiple = (count: number): number => Math.max(0, Number((count * step).toFixed(9)))
  let count = Math.floor(barred / step)
  while (meets(barred, multiple(count), RATIO_TOLERANCE)) count++
  const threshold = Math.min(1, multiple(count))
  return meets(barred, threshold, RATIO_TOLERANCE) ? undefined : threshold
}

/**
 * How many of so many questions to be refused may get through under a promise; −1 when not even none.
 *
 * @param trials whole, 0 and up
 */
export function mostAllowed(trials: number, promised: Promised): number {
  // The more get through, the higher the bound: by bisection.
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
 * Whether the upper bound of so many hits is within the risk: were the rate higher, so few would be too rare. On average:
 * whether the next of so many questions ranks among the `hits` + 1 best no more often than that.
 *
 * @param hits whole, 0 and up, fewer than `trials`
 * @see A. N. Angelopoulos, S. Bates, A. Fisch, L. Lei and T. Schuster, "Conformal Risk Control", ICLR 2024
 */
function mayGetThrough(hits: number, trials: number, { risk, certainty }: Promised): boolean {
  if (certainty === 'average') return (hits + 1) / (trials + 1) <= risk + RATIO_TOLERANCE
  return chanceOfAtMost(hits, trials, risk) <= 1 - certainty + RATIO_TOLERANCE
}
