/** Rounding of displayed figures: by the exact binary value, ties to the even digit. */

/** Enough digits to distinguish a tie from its neighbours. */
const EXACT_DIGITS = 40

/** Formats with this many decimals; ties go to the even digit, unlike `toFixed`, which rounds them up. */
export function fixedHalfEven(value: number, digits: number): string {
  const rounded = value.toFixed(digits)
  // Non-finite numbers, and those beyond 1e21, have no decimals here, and cannot be ties.
  const exact = value.toFixed(digits + EXACT_DIGITS)
  const cut = exact.slice(0, exact.length - EXACT_DIGITS)
  const isTie = /^50*$/.test(exact.slice(-EXACT_DIGITS))
  return isTie && /[02468]\.?$/.test(cut) ? cut.replace(/\.$/, '') : rounded
}

/** The same as a number. */
export function roundHalfEven(value: number, digits: number): number {
  return Number(fixedHalfEven(value, digits))
}

/** A share as a percentage with one decimal: `35.0%`. */
export function percent(share: number): string {
  return `${fixedHalfEven(share * 100, 1)}%`
}

/** Two decimals, rounded down, so that a value below a threshold is never shown equal to it; `0.00` for non-finite values. */
export function floored(value: number): string {
  // The tolerance is for decimals such as .58, which binary numbers fall slightly below.
  return Number.isFinite(value) ? (Math.floor(value * 100 + 1e-7) / 100).toFixed(2) : '0.00'
}
