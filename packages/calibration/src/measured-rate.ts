import { binomialInterval, type Interval } from './binomial-interval.ts'

/** A rate that was counted, with how sure one can be of it. */
export interface MeasuredRate extends Interval {
  /** How often it happened. */
  readonly hits: number
  /** How often it could have. */
  readonly labels: number
  /** 0..1; `null` when nothing was counted. */
  readonly rate: number | null
}

/** A counted rate with its exact 95 % interval, 0..1 where nothing was counted. */
export function measuredRate(hits: number, labels: number): MeasuredRate {
  return { hits, labels, rate: labels === 0 ? null : hits / labels, ...binomialInterval(hits, labels) }
}

/** For a text: `3 of 40 (0.016–0.204)`. */
export function rateText({ hits, labels, low, high }: MeasuredRate): string {
  return `${hits} of ${labels} (${low.toFixed(3)}–${high.toFixed(3)})`
}
