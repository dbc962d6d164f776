/** Misspelled terms of a question. */
import { isAscii } from '../text/ascii.ts'
import { beginningsAround } from '../text/beginnings.ts'
import type { ReadSentence } from '../text/term-reader.ts'

/** Shorter terms are one letter away from too many others. */
const SHORTEST = 4

/** A slip in an ending keeps the stemmer from taking the ending off: of stems of this length on, the rest may be one. */
const SHORTEST_STEM = 5

/** Letters that an ending has at most (`ational`). */
const LONGEST_ENDING = 7

/**
 * The term that an unknown one is probably a misspelling of: one letter added, left out, changed or swapped with
 * its neighbour, in the term or in an ending of it that was not recognised (`installatiom`, `instal`). Of several the one
 * that explains most letters. A term that holds a digit is never a misspelling.
 *
 * @param term of a question, in none of the passages and not known to the collection
 * @param sentences of the passages
 * @see F. J. Damerau, "A technique for computer detection and correction of spelling errors", Communications of the ACM
 *   7(3), 1964: four fifths of misspellings are one such edit
 */
export function respelled(term: string, sentences: readonly ReadSentence[]): string | undefined {
  if (term.length < SHORTEST || (isAscii(term) ? /[^a-z]/ : /\P{L}/u).test(term)) return undefined
  let nearest: string | undefined
  let fewest = Infinity
  // One edit leaves one of the first two letters among them, or no letter of a word is looked at.
  const beginnings = beginningsAround(term)
  for (const { terms } of sentences) {
    for (const candidate of terms(beginnings)) {
      const unexplained = lettersBeyond(term, candidate)
      if (unexplained < fewest) {
        nearest = candidate
        fewest = unexplained
      }
    }
  }
  return nearest
}

/** How many letters of a term stand after what is at most one edit from the candidate; `Infinity` when nothing is. */
function lettersBeyond(term: string, candidate: string): number {
  if (candidate.length < SHORTEST || !mayBegin(term, candidate)) return Infinity
  let fewest = Infinity
  for (let end = candidate.length - 1; end <= candidate.length + 1 && end <= term.length; end++) {
    const beyond = term.length - end
    if (beyond > 0 && (candidate.length < SHORTEST_STEM || beyond > LONGEST_ENDING)) continue
    if (areOneEditApart(term.slice(0, end), candidate)) fewest = Math.min(fewest, beyond)
  }
  return fewest
}

/** Whether one edit may lie between the first letters: it spares looking closer at most candidates. */
function mayBegin(term: string, candidate: string): boolean {
  const first = term.charCodeAt(0)
  return (
    candidate.charCodeAt(0) === first ||
    candidate.charCodeAt(1) === first ||
    candidate.charCodeAt(0) === term.charCodeAt(1) ||
    candidate.charCodeAt(1) === term.charCodeAt(1)
  )
}

/** At most one. */
function areOneEditApart(a: string, b: string): boolean {
  let from = 0
  while (from < a.length && a.charCodeAt(from) === b.charCodeAt(from)) from++
  const rest = (text: string, skipped: number): string => text.slice(from + skipped)
  switch (a.length - b.length) {
    case 0:
      return (
        rest(a, 1) === rest(b, 1) ||
        (a.charAt(from) === b.charAt(from + 1) && a.charAt(from + 1) === b.charAt(from) && rest(a, 2) === rest(b, 2))
      )
    case 1:
      return rest(a, 1) === rest(b, 0)
    case -1:
      return rest(a, 0) === rest(b, 1)
    default:
      return false
  }
}
