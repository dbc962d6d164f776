/**
 * The terms of words met before. Ten ASCII letters and digits are a number in base 37, exact in a double; so a word of up
 * to twenty is two numbers, and is found without cutting it out of its text or comparing it letter by letter. This is the
 * gate's hottest look-up: text is made of the same few thousand words.
 */

/** Letters, digits, and nothing in front of the first. 37 to the power of ten is the last one below 2^53. */
export const BASE = 37
const IN_NUMBER = 10

/** Longer words are not kept. */
const LONGEST_KEPT = 2 * IN_NUMBER

const DIGITS = new Uint8Array(128)
for (const [at, letter] of [...'0123456789abcdefghijklmnopqrstuvwxyz'].entries()) {
  DIGITS[letter.charCodeAt(0)] = at + 1
  DIGITS[letter.toUpperCase().charCodeAt(0)] = at + 1
}

/** What a character counts in the number of a word, in either case: 1..36; 0 for what is no ASCII letter or digit. */
export function digitOf(code: number): number {
  return code < DIGITS.length ? DIGITS[code]! : 0
}

/** @returns `NaN` where another character stands */
function numberOf(text: string, start: number, end: number): number {
  let number = 0
  for (let at = start; at < end; at++) {
    const digit = digitOf(text.charCodeAt(at))
    if (digit === 0) return NaN
    number = number * BASE + digit
  }
  return number
}

/** Places for 32,768 words, more than most collections use; with their terms about two megabytes when full. */
const PLACES_BITS = 15

/** A word stands in one of so many places from its own on; where all are taken, its own is taken over. */
const TRIED = 4

/** Of each place: the number of the last ten letters, and that of the letters before, 0 for none. */
const NUMBERS = new Float64Array(2 * ((1 << PLACES_BITS) + TRIED))
// oxlint-disable-next-line unicorn/no-new-array -- filled at once, where Array.from takes milliseconds of a cold start
const TERMS = new Array<string | undefined>(NUMBERS.length / 2).fill(undefined)

/**
 * The term of a word that stands in a text.
 *
 * @param number the word's in base 37, which counts up to ten letters
 * @param termOf called with the word in lower case when it was not met, or is forgotten
 */
export function knownTerm(
  text: string,
  start: number,
  end: number,
  number: number,
  termOf: (word: string) => string | undefined,
): string | undefined {
  const length = end - start
  if (length > LONGEST_KEPT) return termOf(text.slice(start, end).toLowerCase())
  const before = length > IN_NUMBER ? numberOf(text, start, end - IN_NUMBER) : 0
  const last = length > IN_NUMBER ? numberOf(text, end - IN_NUMBER, end) : number
  const own = Math.imul(last ^ Math.imul(before, 0x85ebca6b), 0x9e3779b1) >>> (32 - PLACES_BITS)
  let free = own
  for (let at = own; at < own + TRIED; at++) {
    if (NUMBERS[2 * at] === last && NUMBERS[2 * at + 1] === before) return TERMS[at]
    if (NUMBERS[2 * at] === 0) {
      free = at
      break
    }
  }
  NUMBERS[2 * free] = last
  NUMBERS[2 * free + 1] = before
  return (TERMS[free] = termOf(text.slice(start, end).toLowerCase()))
}

/** The term of a word in lower case. Stop words and stems are English: a word that holds other letters is its own term. */
export function wordTerm(word: string, termOf: (word: string) => string | undefined): string | undefined {
  const number = numberOf(word, 0, word.length)
  return Number.isNaN(number) ? word : knownTerm(word, 0, word.length, number, termOf)
}
