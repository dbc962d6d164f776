/** The lowest threshold that a promise holds at, and how many labels a promise takes. */
import { meets, RATIO_TOLERANCE } from '../lib/numbers.ts'
import { binomialInterval } from './binomial-interval.ts'

/** A promise: how much may go wrong, and how sure one must be of it. */
export interface Promised {
  /** Share of the questions to be refused that may be answered, above 0, below 1. */
  readonly risk: number
  /** How sure one must be of that, .5 to below 1. */
  readonly certainty: number
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
export function labelsNeeded(risk: number, certainty: number): number {
  return Math.ceil(Math.log(1 - certainty) / Math.log(1 - risk) - RATIO_TOLERANCE)
}

/**
 * The lowest threshold at which, so surely, no more than the stated share of the questions to be refused gets through.
 * Thresholds are tried from 1 down, and the first that cannot be vouched for ends it, so that trying many of them takes
 * nothing from the certainty.
 *
 * @param scores of questions to be refused; what is no number never gets through
 * @param step distance of the thresholds tried, above 0
 * @returns `undefined` when even 1 lets too many through, or there are too few scores
 * @see A. N. Angelopoulos, S. Bates, E. J. Candès, M. I. Jordan and L. Lei, "Learn then Test", 2021, section 2.3 (fixed
 *   sequence testing)
 */
export function lowestSafeThreshold(
  scores: readonly number[],
  { risk, certainty, step }: Promised & { readonly step: number },
): number | undefined {
  const allowed = mostAllowed(scores.length, { risk, certainty })
  if (allowed < 0) return undefined
  let safe: number | undefined
  for (let at = 0; at * step <= 1 + RATIO_TOLERANCE; at++) {
    const threshold = Math.max(0, Number((1 - at * step).toFixed(9)))
    if (scores.filter((score) => meets(score, threshold, RATIO_TOLERANCE)).length > allowed) break
    safe = threshold
  }
  return safe
}

/**
 * How many of so many questions to be refused may get through under a promise; −1 when not even none.
 *
 * @param trials whole, 0 and up
 */
export function mostAllowed(trials: number, { risk, certainty }: Promised): number {
  let allowed = -1
  while (allowed < trials && upperBound(allowed + 1, trials, certainty) <= risk) allowed++
  return allowed
}
