/** Confidence intervals of counted rates. */

/** Bounds of a rate, each 0..1. */
export interface Interval {
  readonly low: number
  readonly high: number
}

/**
 * The exact (Clopper–Pearson) confidence interval of a rate: its coverage is at least `confidence`.
 *
 * @param hits number of events, whole, 0..trials
 * @param trials number of trials, whole, 0 and up
 * @param confidence coverage, 0..1 exclusive
 * @returns 0..1 for no trials
 * @see C. J. Clopper and E. S. Pearson, "The use of confidence or fiducial limits illustrated in the case of the
 *   binomial", Biometrika 26(4), 1934
 */
export function binomialInterval(hits: number, trials: number, confidence = 0.95): Interval {
  const tail = (1 - confidence) / 2
  return {
    low: hits === 0 ? 0 : rateWhere((rate) => upperTail(hits, trials, rate) >= tail),
    high: rateWhere((rate) => chanceOfAtMost(hits, trials, rate) <= tail),
  }
}

/**
 * Probability of at most this many hits.
 *
 * @param hits whole, −1..trials
 * @param rate 0..1
 */
export function chanceOfAtMost(hits: number, trials: number, rate: number): number {
  return hits >= trials ? 1 : 1 - upperTail(hits + 1, trials, rate)
}

/** The rate from which a monotone condition holds, by bisection. */
function rateWhere(holds: (rate: number) => boolean): number {
  let below = 0
  let above = 1
  for (let step = 0; step < 60; step++) {
    const middle = (below + above) / 2
    if (holds(middle)) above = middle
    else below = middle
  }
  return (below + above) / 2
}

/** Probability of at least `hits` in `trials`; computed with logarithms, so that large counts do not underflow. */
function upperTail(hits: number, trials: number, rate: number): number {
  if (rate <= 0) return hits === 0 ? 1 : 0
  if (rate >= 1) return 1
  let logTerm = logChoose(trials, hits) + hits * Math.log(rate) + (trials - hits) * Math.log1p(-rate)
  const logOdds = Math.log(rate) - Math.log1p(-rate)
  let sum = 0
  for (let count = hits; count <= trials; count++) {
    sum += Math.exp(logTerm)
    logTerm += Math.log((trials - count) / (count + 1)) + logOdds
  }
  return Math.min(1, sum)
}

function logChoose(n: number, k: number): number {
  let log = 0
  for (let at = 1; at <= k; at++) log += Math.log((n - k + at) / at)
  return log
}
