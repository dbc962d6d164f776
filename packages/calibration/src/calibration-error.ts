/** Compares confidences with observed shares of answerable questions. */
import type { Interval } from './binomial-interval.ts'
import { binomialInterval } from './binomial-interval.ts'
import type { LabelledScore } from './labelled-score.ts'

/** A bin of questions with similar confidence. */
export interface ReliabilityBin extends Interval {
  readonly count: number
  /** Mean of their confidences, 0..1. */
  readonly confidence: number
  /** Share of them that is answerable, 0..1. */
  readonly answerable: number
}

/**
 * Bins of equal size by ascending confidence; questions with equal confidence share a bin. A non-finite confidence
 * counts as 0, because the gate refuses it.
 *
 * @param bins maximum number, whole, 1 and up
 */
export function reliabilityBins(scored: readonly LabelledScore[], bins = 10): readonly ReliabilityBin[] {
  const sorted = scored
    .map(({ score, answerable }) => ({ score: Number.isFinite(score) ? score : 0, answerable }))
    .sort((a, b) => a.score - b.score)
  const size = sorted.length / bins
  const found: ReliabilityBin[] = []
  let bin = 0
  for (let start = 0; start < sorted.length;) {
    let end = start
    // Equal confidences may have filled several bins.
    while (end <= start) end = Math.round(size * ++bin)
    while (end < sorted.length && sorted[end]!.score === sorted[end - 1]!.score) end++
    const those = sorted.slice(start, end)
    const hits = those.filter(({ answerable }) => answerable).length
    found.push({
      count: those.length,
      confidence: those.reduce((sum, { score }) => sum + score, 0) / those.length,
      answerable: hits / those.length,
      ...binomialInterval(hits, those.length),
    })
    start = end
  }
  return found
}

/**
 * Expected calibration error: mean difference between confidence and share of answerable questions, over bins of equal
 * size.
 *
 * @returns 0..1; `NaN` for no questions
 * @see M. P. Naeini, G. F. Cooper and M. Hauskrecht, "Obtaining Well Calibrated Probabilities Using Bayesian Binning",
 *   AAAI 2015; bins of equal size as in K. Nguyen and B. O'Connor, "Posterior calibration and exploratory analysis for
 *   natural language processing models", EMNLP 2015
 */
export function calibrationError(scored: readonly LabelledScore[], bins = 10): number {
  const sum = reliabilityBins(scored, bins).reduce(
    (total, { count, confidence, answerable }) => total + count * Math.abs(confidence - answerable),
    0,
  )
  return sum / scored.length
}

/**
 * 95 % interval of the calibration error: from exact intervals of the bins' shares that hold jointly (Bonferroni). Resampling
 * would not do, because noise within the bins adds to the error, in a resample twice.
 *
 * @param scored at least one
 */
export function calibrationErrorInterval(scored: readonly LabelledScore[], bins = 10): Interval {
  const found = reliabilityBins(scored, bins)
  let [low, high] = [0, 0]
  for (const { count, confidence, answerable } of found) {
    const share = binomialInterval(Math.round(count * answerable), count, 1 - 0.05 / found.length)
    low += count * Math.max(0, share.low - confidence, confidence - share.high)
    high += count * Math.max(share.high - confidence, confidence - share.low)
  }
  return { low: low / scored.length, high: high / scored.length }
}
