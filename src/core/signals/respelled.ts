/** Misspelled terms of a question. */
import { isAscii } from '../text/ascii.ts'
import type { SentenceTerms } from '../text/term-reader.ts'

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
export function respelled(term: string, sentences: SentenceTerms): string | undefined {
  if (term.length < SHORTEST || (isAscii(term) ? /[^a-z]/ : /\P{L}/u).test(term)) return undefined
  let nearest: string | undefined
  let fewest = Infinity
  for (const candidate of sentences.flat()) {
    const unexplained = lettersBeyond(term, candidate)
    if (unexplained < fewest) {
      nearest = candidate
      fewest = unexplained
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

/** One edit leaves one of the first two letters among them: it spares looking closer at most candidates. */
function mayBegin(term: string, candidate: string): boolean {
  const first = candidate.slice(0, 2)
  return first.includes(term.charAt(0)) || first.includes(term.charAt(1))
}

/** One letter added, left out or changed, or two swapped; or none of it. */
function areOneEditApart(term: string, candidate: string): boolean {
  let from = 0
  // Beyond an end there is NaN, which equals nothing.
  while (term.charCodeAt(from) === candidate.charCodeAt(from)) from++
  const [a, b] = [term.slice(from), candidate.slice(from)]
  return (
    a.slice(1) === b.slice(1) ||
    a.slice(1) === b ||
    a === b.slice(1) ||
    (a[0] === b[1] && a[1] === b[0] && a.slice(2) === b.slice(2))
  )
}
