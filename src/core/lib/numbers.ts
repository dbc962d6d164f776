/** Numbers that may be missing, broken or a hair off, and how they are compared. */

/** The nearest number within 0..1. */
export function clamp01(x: number): number {
  return x > 1 ? 1 : x > 0 ? x : 0
}

/** A finite number, or nothing. −0 becomes 0, as it does in JSON, so that what is measured equals what is recorded. */
export function finite(score: number | undefined): number | undefined {
  return score !== undefined && Number.isFinite(score) ? score + 0 : undefined
}

/**
 * A number as it was recorded; `NaN` for what is none, also where a calculation would take it for one: `null`, `'0.9'`
 * and `true` are no numbers.
 */
export function recordedNumber(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : NaN
}

/** A flag as it was recorded: what is not plainly true is not. */
export function recordedFlag(value: unknown): boolean {
  return value === true
}

/** Slack on cosines: they come from 32-bit floats. */
export const COSINE_TOLERANCE = 1e-6

/** Slack on ratios and other computed numbers. */
export const RATIO_TOLERANCE = 1e-9

/**
 * Whether a value meets a threshold: equality passes, within the tolerance. What is not a finite number never does, nor
 * the `null` that JSON and databases make of it.
 */
export function meets(value: number, threshold: number, tolerance: number): boolean {
  return Number.isFinite(value) && value >= threshold - tolerance
}
