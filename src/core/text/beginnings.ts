/**
 * How words begin: two letters tell most words of a text apart from those that matter, and stemming spares them. A bit
 * stands for each pair. Some pairs share one, so a few more words are read than need be.
 */
export type Beginnings = Int32Array

/** Stems of fewer letters may have another second letter than their words (`eys`, `ei`). */
const SHORTEST_WITH_TWO = 3

/** They tell a letter of ASCII from all others. */
const LOWEST_BITS = 31
const ANY = -1

/** How words begin whose terms these are; so do those whose terms have three or more letters in common with one. */
export function beginningsOf(terms: Iterable<string>): Beginnings {
  const beginnings = new Int32Array(LOWEST_BITS + 1)
  for (const term of terms) {
    beginnings[place(term, 0)]! |= term.length < SHORTEST_WITH_TWO ? ANY : bit(term, 1)
  }
  return beginnings
}

/** How words begin that have one of a term's first two letters among their own. */
export function beginningsAround(term: string): Beginnings {
  const beginnings = new Int32Array(LOWEST_BITS + 1).fill(bit(term, 0) | bit(term, 1))
  beginnings[place(term, 0)] = ANY
  beginnings[place(term, 1)] = ANY
  return beginnings
}

/** Whether a word begins so. */
export function beginsWithOneOf(word: string, beginnings: Beginnings): boolean {
  // Beyond the end of a word there is NaN, whose bit is the first, which no letter has.
  return ((beginnings[word.charCodeAt(0) & LOWEST_BITS]! >> (word.charCodeAt(1) & LOWEST_BITS)) & 1) === 1
}

const place = (word: string, at: number): number => word.charCodeAt(at) & LOWEST_BITS
const bit = (word: string, at: number): number => 1 << place(word, at)
