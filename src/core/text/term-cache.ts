/**
 * The terms of words met before. A word of up to twenty letters is two numbers, and is found without cutting it out of
 * its text or comparing it letter by letter. This is the gate's hottest look-up.
 */
import { IN_NUMBER, numberOf } from './word-number.ts'

/** How the term of a word is found. */
export interface WordTerms {
  /** The term of a word of ASCII letters and digits that stands in a text; `number` is the word's in base 37. */
  readonly within: (text: string, start: number, end: number, number: number) => string | undefined
  /** The term of a word in lower case. */
  readonly of: (word: string) => string | undefined
}

/** Longer words are not kept. */
const LONGEST_KEPT = 2 * IN_NUMBER

/** Places for 32,768 words, more than most collections use; with their terms about two megabytes when full. */
const PLACES_BITS = 15

/** A word stands in one of so many places from its own on; where all are taken, its own is taken over. */
const TRIED = 4

/**
 * Finds terms, and remembers them.
 *
 * @param termOf called with a word in lower case when it was not met, or is forgotten
 */
export function createTermCache(termOf: (word: string) => string | undefined): WordTerms {
  /** Of each place: the number of the last ten letters, and that of the letters before, 0 for none. */
  const numbers = new Float64Array(2 * ((1 << PLACES_BITS) + TRIED))
  // oxlint-disable-next-line unicorn/no-new-array -- filled at once, where Array.from takes milliseconds of a cold start
  const found = new Array<string | undefined>(numbers.length / 2).fill(undefined)

  function within(text: string, start: number, end: number, number: number): string | undefined {
    const length = end - start
    if (length > LONGEST_KEPT) return termOf(text.slice(start, end).toLowerCase())
    const before = length > IN_NUMBER ? numberOf(text, start, end - IN_NUMBER) : 0
    const last = length > IN_NUMBER ? numberOf(text, end - IN_NUMBER, end) : number
    const own = Math.imul(last ^ Math.imul(before, 0x85ebca6b), 0x9e3779b1) >>> (32 - PLACES_BITS)
    let free = own
    for (let at = own; at < own + TRIED; at++) {
      if (numbers[2 * at] === last && numbers[2 * at + 1] === before) return found[at]
      if (numbers[2 * at] === 0) {
        free = at
        break
      }
    }
    numbers[2 * free] = last
    numbers[2 * free + 1] = before
    return (found[free] = termOf(text.slice(start, end).toLowerCase()))
  }

  return {
    within,
    // Stop words and stems are English: a word that holds other letters is its own term.
    of: (word) => {
      const number = numberOf(word, 0, word.length)
      return Number.isNaN(number) ? word : within(word, 0, word.length, number)
    },
  }
}
