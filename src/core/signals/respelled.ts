/** Correction of misspelled terms of a question. */
import type { SentenceTerms } from '../text/term-reader.ts'

/** Shortest corrected term: shorter ones differ by one letter from too many others. */
const SHORTEST = 4

/** A typo in a suffix keeps the stemmer from removing it; after a stem of at least this length the rest may be such a suffix. */
const SHORTEST_STEM = 5

/** Length of the longest suffix (`ational`). */
const LONGEST_ENDING = 7

/**
 * The term of which an unknown one is probably a misspelling: one letter inserted, deleted, replaced or transposed, in the
 * term or in a suffix that the stemmer did not recognise (`installatiom`, `instal`). Of several candidates, the one that
 * matches most letters. A term with a digit is never corrected.
 *
 * @param term a term of the question that occurs in no passage and not in the collection
 * @param sentences terms of the passages' sentences
 * @see F. J. Damerau, "A technique for computer detection and correction of spelling errors", Communications of the ACM
 *   7(3), 1964: four fifths of misspellings are one such edit
 */
export function respelled(term: string, sentences: SentenceTerms): string | undefined {
  if (term.length < SHORTEST || /\P{L}/u.test(term)) return undefined
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

/** Number of letters of a term after a prefix at most one edit from the candidate; `Infinity` if there is no such prefix. */
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

/** A quick filter: after one edit, one of the first two letters still matches one of the first two. */
function mayBegin(term: string, candidate: string): boolean {
  const first = candidate.slice(0, 2)
  return first.includes(term.charAt(0)) || first.includes(term.charAt(1))
}

/** Whether two terms are equal or differ by one insertion, deletion, replacement or transposition. */
function areOneEditApart(term: string, candidate: string): boolean {
  let from = 0
  // Past the end `charCodeAt` gives NaN, which equals nothing.
  while (term.charCodeAt(from) === candidate.charCodeAt(from)) from++
  const [a, b] = [term.slice(from), candidate.slice(from)]
  return (
    a.slice(1) === b.slice(1) ||
    a.slice(1) === b ||
    a === b.slice(1) ||
    (a[0] === b[1] && a[1] === b[0] && a.slice(2) === b.slice(2))
  )
}
