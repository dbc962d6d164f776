/** Rounding of displayed figures: by the exact binary value, ties to the even digit. */

/** Digits enough to tell a tie from its neighbours. */
const EXACT_DIGITS = 40

/** A number with so many decimals; ties go to the even digit, where `toFixed` goes up. */
export function fixedHalfEven(value: number, digits: number): string {
  const rounded = value.toFixed(digits)
  // Without decimals for what is not finite or beyond 1e21, which is then no tie.
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

/** Two decimals, floored, so that a value below a threshold never reads like the threshold; `0.00` for no number. */
export function floored(value: number): string {
  // The slack is for decimals that binary numbers fall a hair short of, such as .58.
  return Number.isFinite(value) ? (Math.floor(value * 100 + 1e-7) / 100).toFixed(2) : '0.00'
}
