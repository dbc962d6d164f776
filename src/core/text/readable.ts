/** Whether a question is readable, since the gate must not pass text that it cannot read. */
import { isAscii } from './ascii.ts'

const ASCII_LETTERS = /[A-Za-z\d]/g
const LETTERS = /[\p{L}\p{N}\p{M}]/gu
/** Usual characters: everything on a keyboard, punctuation, currencies, degrees. */
const ASCII_USUAL = /[\s!-\u007f]/g
const USUAL = /[\p{L}\p{N}\p{M}\p{P}\p{Sc}\s\u0021-\u00ff\u200c\u200d]/gu
/** Signs that are not letters: arrows, operators, lines and shapes, pictographs. */
const SIGNS = /[\p{Sm}\p{Sk}\u2190-\u27bf\u2900-\u2bff\p{Extended_Pictographic}\p{Emoji_Modifier}]/gu

/** The second to fourth of joined pictographs (families, professions, flags), which are seen as one. */
const JOINED =
  /(?<=(?<!\u200d)\p{Extended_Pictographic}\p{Emoji_Modifier}?)(?:\u200d\p{Extended_Pictographic}\p{Emoji_Modifier}?){1,3}/gu

/** Lowest share of letters, digits and marks among visible characters. */
const LEAST_LETTERS = 0.4
/** Highest share of signs, and how many are always allowed. */
const MOST_SIGNS = 0.25
const SIGNS_ALLOWED = 3
/** Highest share of unreadable characters, such as Braille, private use and unassigned; how many are always allowed, and at most. */
const MOST_UNREADABLE = 0.1
const UNREADABLE_ALLOWED = 3
const UNREADABLE_EVER = 8
/** Highest share of space-separated pieces without a letter or digit, as in Morse code; how many are always allowed. */
const MOST_WORDLESS = 1 / 3
const WORDLESS_ALLOWED = 8

/**
 * Whether enough of a text is readable to judge it: at least two fifths of its visible characters are letters, digits or marks;
 * at most a quarter are signs such as pictographs and arrows (three are always allowed); at most a tenth, and never more
 * than eight, are none of these and no punctuation, such as Braille, private use or unassigned characters (three are always
 * allowed); at most a third of its space-separated pieces have no letter or digit, as in Morse code (eight are always
 * allowed).
 *
 * @param question normalised (`normaliseQuestion`)
 */
export function isReadable(question: string): boolean {
  const ascii = isAscii(question)
  // Joined pictographs are seen as one.
  const seen = ascii ? question : question.replaceAll(JOINED, '')
  const visible = [...seen.replaceAll(/\s/gu, '')].length
  const letter = ascii ? ASCII_LETTERS : LETTERS
  const letters = count(seen, letter)
  const unusual = seen.replaceAll(ascii ? ASCII_USUAL : USUAL, '')
  const signs = unusual ? count(unusual, SIGNS) : 0
  const unreadable = [...unusual].length - signs
  const pieces = seen.split(/\s+/u)
  const wordless = pieces.filter((piece) => piece.search(letter) < 0).length
  return (
    wordless <= Math.max(WORDLESS_ALLOWED, MOST_WORDLESS * pieces.length) &&
    letters >= LEAST_LETTERS * visible &&
    signs <= Math.max(SIGNS_ALLOWED, MOST_SIGNS * visible) &&
    unreadable <= Math.min(UNREADABLE_EVER, Math.max(UNREADABLE_ALLOWED, MOST_UNREADABLE * visible))
  )
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}
