/** How sure one can be of a rank correlation, and of an area under the ROC curve. */
import type { Interval } from './binomial-interval.ts'

/** Normal quantile of 95 % intervals. */
const Z = 1.959963984540054
const HALVINGS = 60

/**
 * 95 % interval of Spearman's ρ, by Fisher's transformation.
 *
 * @param pairs how many it was computed from; −1..1 for fewer than four
 * @see D. G. Bonett and T. A. Wright, "Sample size requirements for estimating Pearson, Kendall and Spearman
 *   correlations", Psychometrika 65(1), 2000
 */
export function spearmanInterval(rho: number, pairs: number): Interval {
  if (!(pairs > 3) || !Number.isFinite(rho)) return { low: -1, high: 1 }
  // A perfect correlation has no finite transform; the next number below it has.
  const bounded = Math.max(-1 + 1e-12, Math.min(1 - 1e-12, rho))
  const error = Math.sqrt((1 + (bounded * bounded) / 2) / (pairs - 3))
  return { low: Math.tanh(Math.atanh(bounded) - Z * error), high: Math.tanh(Math.atanh(bounded) + Z * error) }
}

/**
 * 95 % score interval of an area under the ROC curve: all areas from which the one found is less than z standard errors
 * away, the error taken at that area. It keeps its width where every pair is in the right order.
 *
 * @param positives how many examples of one kind it was computed from, and `negatives` of the other; 0..1 without either
 * @see R. G. Newcombe, "Confidence intervals for an effect size measure based on the Mann–Whitney statistic. Part 2",
 *   Statistics in Medicine 25(4), 2006, method 5
 */
export function aurocInterval(area: number, positives: number, negatives: number): Interval {
  const spare = (positives + negatives) / 2 - 1
  const error = (at: number): number =>
    Math.sqrt((at * (1 - at) * (1 + (spare * (1 - at)) / (2 - at) + (spare * at) / (1 + at))) / (positives * negatives))
  // Without an area, or examples of both kinds, this is a comparison with NaN: nothing is far.
  const isFar = (at: number): boolean => Math.abs(area - at) > Z * error(at)
  return { low: edge(area, 0, isFar), high: edge(area, 1, isFar) }
}

/** Where, on the way from a value that is near to a bound, values begin to be far: by bisection. */
function edge(near: number, bound: number, isFar: (at: number) => boolean): number {
  if (!isFar(bound)) return bound
  let inside = near
  let outside = bound
  for (let step = 0; step < HALVINGS; step++) {
    const middle = (inside + outside) / 2
    if (isFar(middle)) outside = middle
    else inside = middle
  }
  return inside
}
