/**
 * The terms of short words met before. A word of up to ten ASCII letters and digits is read as a number in base 37: exact
 * in a double, and so found without cutting the word out of its text and without comparing it letter by letter. This is
 * the gate's hottest look-up; text is made of the same few thousand short words.
 */

/** Letters and digits, and nothing in front of the first. */
export const BASE = 37

/** 37 to the power of ten is the last one below 2^53. */
export const LONGEST_SHORT_WORD = 10

const DIGITS = new Uint8Array(128)
for (const [at, letter] of [...'0123456789abcdefghijklmnopqrstuvwxyz'].entries()) {
  DIGITS[letter.charCodeAt(0)] = at + 1
  DIGITS[letter.toUpperCase().charCodeAt(0)] = at + 1
}

/** What a character counts in the number of a word, in either case: 1..36; 0 for what is no ASCII letter or digit. */
export function digitOf(code: number): number {
  return code < DIGITS.length ? DIGITS[code]! : 0
}

/** A place for each of 32,768 words, more than most collections use; with their terms about two megabytes when full. */
const PLACES_BITS = 15

/** A word stands in one of so many places from its own on; where all are taken, its own is taken over. */
const TRIED = 4

const NUMBERS = new Float64Array((1 << PLACES_BITS) + TRIED)
// oxlint-disable-next-line unicorn/no-new-array -- filled at once, where Array.from takes milliseconds of a cold start
const TERMS = new Array<string>(NUMBERS.length).fill('')

/** Fibonacci hashing of the number's low bits. */
function placeOf(number: number): number {
  return Math.imul(number, 0x9e3779b1) >>> (32 - PLACES_BITS)
}

/** @returns `undefined` for a word that was not met, or is forgotten */
export function shortWordTerm(number: number): string | undefined {
  const own = placeOf(number)
  for (let at = own; at < own + TRIED; at++) if (NUMBERS[at] === number) return TERMS[at]
  return undefined
}

/** Keeps the term of a word, and returns it. */
export function keepShortWordTerm(number: number, term: string): string {
  const own = placeOf(number)
  let at = own
  while (at < own + TRIED && NUMBERS[at] !== 0) at++
  if (at === own + TRIED) at = own
  NUMBERS[at] = number
  TERMS[at] = term
  return term
}
