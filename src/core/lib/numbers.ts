/** Reading and comparing numbers that may be missing, invalid or slightly inexact. */

/** The nearest number within 0..1. */
export function clamp01(x: number): number {
  return x > 1 ? 1 : x > 0 ? x : 0
}

/** A finite number, or `undefined`. −0 becomes 0, as in JSON, so that measured and recorded values are equal. */
export function finite(score: number | undefined): number | undefined {
  return Number.isFinite(score) ? score! + 0 : undefined
}

/**
 * A number from a record; `NaN` for anything else, including values that JavaScript would convert (`null`, `'0.9'`, `true`).
 */
export function recordedNumber(value: unknown): number {
  return Number.isFinite(value) ? (value as number) : NaN
}

/** A flag from a record: only `true` counts. */
export function recordedFlag(value: unknown): boolean {
  return value === true
}

/** Tolerance for cosines, which come from 32-bit floats. */
export const COSINE_TOLERANCE = 1e-6

/** Tolerance for ratios and other computed numbers. */
export const RATIO_TOLERANCE = 1e-9

/**
 * Whether a value is at least a threshold, within the tolerance. Non-finite numbers never are, nor is `null`, which JSON and
 * databases make of them.
 */
export function meets(value: number, threshold: number, tolerance: number): boolean {
  return Number.isFinite(value) && value >= threshold - tolerance
}
