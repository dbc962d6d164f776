/** Splits texts of any script into words. */
import { foldMarks } from './fold-marks.ts'

/**
 * Characters other than ASCII and signs that folding neither removes nor turns into letters, digits or marks: punctuation,
 * currencies, arrows, operators, lines and shapes, dingbats. A text without such characters needs no Unicode classes, which take
 * milliseconds to compile in a new isolate.
 */
const FOREIGN = /[^\0-\u00a9\u00ab\u00ac\u00ae-\u00b1\u2010-\u205e]/
const PLAIN_WORD = /[a-z\d]+/g
const WORD = /[\p{L}\p{N}\p{M}]+/gu
/** Chinese, Japanese, Korean, Thai, Lao, Khmer and Burmese, by the codes of ISO 15924. */
const UNSPACED_SCRIPTS = 'Hani Hira Kana Hang Thai Laoo Khmr Mymr'.split(' ')
/** Their letters. The long-vowel mark in コーヒー is listed separately, because it belongs to two scripts. */
const UNSPACED_LETTERS = `${UNSPACED_SCRIPTS.map((script) => `\\p{sc=${script}}`).join('')}ー`
const UNSPACED = new RegExp(`[${UNSPACED_LETTERS}]`, 'u')
/** Within a word: a run of such letters, or the text between two runs. */
const RUN = new RegExp(`[${UNSPACED_LETTERS}][${UNSPACED_LETTERS}\\p{M}]*|[^${UNSPACED_LETTERS}]+`, 'gu')
/** A letter with its marks. */
const LETTER = /\P{M}\p{M}*|\p{M}+/gu

/** More marks than any letter has, also of half-width kana; sorting them takes quadratic time. @see UAX 15, section 13 */
export const CROWDED_MARKS = /[\p{M}\p{DI}\uff9e\uff9f]{31,}/gu

/** Digits of other scripts, which texts mix with ASCII digits. */
const DIGIT = /[^\d\P{Nd}]/gu

/**
 * The words of a text, in order, in lower case, with compatibility characters, accents and digits folded. Scripts without
 * spaces give pairs of neighbouring letters instead, so that they can be matched; so does Korean, whose particles are
 * attached to words.
 */
export function words(text: string): string[] {
  if (!FOREIGN.test(text)) return plainWords(text)
  const folded = plainLetters(foldMarks(text.replace(CROWDED_MARKS, '').normalize('NFKC')).toLowerCase()).replace(
    DIGIT,
    plainDigit,
  )
  if (!FOREIGN.test(folded)) return plainWords(folded)
  const found = folded.match(WORD) ?? []
  return UNSPACED.test(folded) ? found.flatMap((word) => (UNSPACED.test(word) ? unspacedWords(word) : [word])) : found
}

/** Replaces letters that Unicode normalisation does not decompose, as people write them without these or in capitals: `IŞIK`, `STRASSE`, `DAI HOC`, `الجامعه`. */
function plainLetters(text: string): string {
  return text
    .replaceAll('ı', 'i')
    .replaceAll('đ', 'd')
    .replaceAll('ł', 'l')
    .replaceAll('ø', 'o')
    .replaceAll('ß', 'ss')
    .replaceAll('ة', 'ه')
    .replaceAll('ى', 'ي')
}

/** Digits of a script are ten consecutive codes, starting at one that ends in 0 or 6. */
function plainDigit(digit: string): string {
  const code = digit.codePointAt(0)!
  const last = code & 15
  return `${last - (/\p{Nd}/u.test(String.fromCodePoint(code - last)) ? 0 : 6)}`
}

/** Words of plain text; a regular expression is fastest, also without warm-up. */
function plainWords(text: string): string[] {
  return text.toLowerCase().match(PLAIN_WORD) ?? []
}

/** Splits a word such as `第3章のAPI`, which contains several scripts. */
function unspacedWords(word: string): string[] {
  return (word.match(RUN) ?? []).flatMap((run) => (UNSPACED.test(run) ? letterPairs(run) : [run]))
}

function letterPairs(run: string): string[] {
  const letters: string[] = run.match(LETTER) ?? []
  if (letters.length < 2) return letters
  return letters.slice(1).map((letter, at) => letters[at]! + letter)
}
