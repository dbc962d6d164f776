/** Words of ASCII letters and digits as numbers. Ten of them are a number in base 37, exact in a double. */

/** Letters, digits, and nothing in front of the first. 37 to the power of ten is the last one below 2^53. */
export const BASE = 37

/** Letters and digits that one number counts. */
export const IN_NUMBER = 10

/** What a character counts in the number of a word, in either case: 1..36; 0 for what is no ASCII letter or digit. */
export function digitOf(code: number): number {
  // '0' to '9', 'A' to 'Z', 'a' to 'z'.
  if (code >= 0x61) return code <= 0x7a ? code - 0x56 : 0
  if (code >= 0x41) return code <= 0x5a ? code - 0x36 : 0
  return code >= 0x30 && code <= 0x39 ? code - 0x2f : 0
}

/** @returns `NaN` where another character stands */
export function numberOf(text: string, start: number, end: number): number {
  let number = 0
  for (let at = start; at < end; at++) {
    const digit = digitOf(text.charCodeAt(at))
    if (digit === 0) return NaN
    number = number * BASE + digit
  }
  return number
}
