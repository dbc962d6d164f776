/** Confidence intervals of rank correlations and of areas under the ROC curve. */
import type { Interval } from './binomial-interval.ts'

/** Normal quantile for 95 % intervals. */
const Z = 1.959963984540054
const HALVINGS = 60

/**
 * 95 % interval of Spearman's ρ, by Fisher's transformation.
 *
 * @param pairs number of pairs; −1..1 for fewer than four
 * @see D. G. Bonett and T. A. Wright, "Sample size requirements for estimating Pearson, Kendall and Spearman
 *   correlations", Psychometrika 65(1), 2000
 */
export function spearmanInterval(rho: number, pairs: number): Interval {
  if (!(pairs > 3) || !Number.isFinite(rho)) return { low: -1, high: 1 }
  // Fisher's transform of ±1 is infinite, so the value is clamped just inside.
  const bounded = Math.max(-1 + 1e-12, Math.min(1 - 1e-12, rho))
  const error = Math.sqrt((1 + (bounded * bounded) / 2) / (pairs - 3))
  return { low: Math.tanh(Math.atanh(bounded) - Z * error), high: Math.tanh(Math.atanh(bounded) + Z * error) }
}

/**
 * 95 % score interval of an area under the ROC curve: all areas less than z standard errors from the observed one, with
 * the error computed at that area. Unlike a Wald interval, it has a width even if every pair is correctly ordered.
 *
 * @param positives number of examples of one kind, and `negatives` of the other; 0..1 without either
 * @see R. G. Newcombe, "Confidence intervals for an effect size measure based on the Mann–Whitney statistic. Part 2",
 *   Statistics in Medicine 25(4), 2006, method 5
 */
export function aurocInterval(area: number, positives: number, negatives: number): Interval {
  const spare = (positives + negatives) / 2 - 1
  const error = (at: number): number =>
    Math.sqrt((at * (1 - at) * (1 + (spare * (1 - at)) / (2 - at) + (spare * at) / (1 + at))) / (positives * negatives))
  // Without an area, or examples of both kinds, this compares with `NaN` and is false.
  const isFar = (at: number): boolean => Math.abs(area - at) > Z * error(at)
  return { low: edge(area, 0, isFar), high: edge(area, 1, isFar) }
}

/** The boundary between near and far values, between a near value and a bound, by bisection. */
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
