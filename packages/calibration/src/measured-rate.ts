import { binomialInterval, type Interval } from './binomial-interval.ts'

/** A counted rate with its confidence interval. */
export interface MeasuredRate extends Interval {
  /** Number of events. */
  readonly hits: number
  /** Number of trials. */
  readonly labels: number
  /** 0..1; `null` if there were no trials. */
  readonly rate: number | null
}

/** Makes a rate with its exact 95 % interval, 0..1 without trials. */
export function measuredRate(hits: number, labels: number): MeasuredRate {
  return { hits, labels, rate: labels === 0 ? null : hits / labels, ...binomialInterval(hits, labels) }
}

/** Formats a rate as `3 of 40 (0.016–0.204)`. */
export function rateText({ hits, labels, low, high }: MeasuredRate): string {
  return `${hits} of ${labels} (${low.toFixed(3)}–${high.toFixed(3)})`
}
