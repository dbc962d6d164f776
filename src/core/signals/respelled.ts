/** Correction of misspelled terms of a question. */
import type { SentenceTerms } from '../text/term-reader.ts'

/** A corrected term: shorter ones differ by one letter from too many others. */

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
  if (!/^\p{L}{4,}$/u.test(term)) return undefined
  // A quick filter: after one edit, one of the first two letters still matches one of the first two.
  const isNear = new RegExp(`^(?=.{4}).?[${term.slice(0, 2)}]`)
  let nearest: string | undefined
  let fewest = LONGEST_ENDING + 1
  for (const candidate of sentences.flat().filter((other) => isNear.test(other))) {
    for (let end = candidate.length - 1; end <= candidate.length + 1; end++) {
      const beyond = term.length - end
      const isEnding = !beyond || (beyond > 0 && candidate.length >= SHORTEST_STEM)
      if (isEnding && beyond < fewest && areOneEditApart(term.slice(0, end), candidate)) {
        nearest = candidate
        fewest = beyond
      }
    }
  }
  return nearest
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
