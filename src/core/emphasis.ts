/** What a question turns on: the names in it, more than the words that questions are made of. */
import { sentences } from './text/sentences.ts'
import { terms } from './text/terms.ts'

/** How much a term of a question matters beside its rarity. Only ratios matter. */
export interface Emphasis {
  /** Where it is found. */
  readonly found: number
  /** Where it is missing. */
  readonly missing: number
}

/** Of most terms. */
export const PLAIN: Emphasis = { found: 1, missing: 1 }
const FRAME: Emphasis = { found: 0.7, missing: 0.7 }
/** That a text does not name who or what is asked about tells more than that it does. */
const NAME: Emphasis = { found: 1.25, missing: 2.5 }

/** Words that ask rather than say what about: an answer seldom repeats them, and many texts hold them by chance. */
const FRAME_TERMS: ReadonlySet<string> = new Set(
  terms(`kind type sort form name call term known meaning define definition describe refer consider compare differ
  difference happen occur cause result work function use usage get make need want know find tell give take say see look
  come go become start begin end example reason purpose origin main major important common typical
  usual general specific certain particular total number amount percent percentage rate size long many much often old
  large big small high low tall far fast first last recent current today year time day date month period century part
  place location thing way process step item list help possible available allow require support`),
)

const WORD = /[\p{L}\p{N}\p{M}]+/gu
const CAPITAL = /\p{Lu}/u
const BEGINS_WITH_CAPITAL = /^\p{Lu}/u
/**
 * How much each term of a question matters: more when it is a name, which is a word with a capital that does not only
 * begin a sentence, and less when questions are made of it (`many`, `name`, `happen`).
 *
 * @param question in its own letter case; of a question in small letters no names are known
 * @returns by term, as `terms` gives them
 */
export function emphasis(question: string): ReadonlyMap<string, Emphasis> {
  const found = new Map<string, Emphasis>()
  for (const { word, capital } of capitals(question)) {
    for (const term of terms(word)) {
      if (capital) found.set(term, NAME)
      else if (!found.has(term)) found.set(term, FRAME_TERMS.has(term) ? FRAME : PLAIN)
    }
  }
  return found
}

/** The words of a question as written, and whether a capital stands in each that its place does not explain. */
function capitals(question: string): { word: string; capital: boolean }[] {
  return sentences(question).flatMap((sentence) =>
    (sentence.match(WORD) ?? []).map((word, at) => ({
      word,
      capital: CAPITAL.test(at === 0 ? word.replace(BEGINS_WITH_CAPITAL, '') : word),
    })),
  )
}
