/** Words of texts in any script. */
import { foldMarks } from './fold-marks.ts'

/**
 * Other than ASCII and signs of which folding leaves no letter, digit or mark: punctuation, currencies, arrows, operators,
 * lines and shapes, dingbats. In a text without them words are plain, and the classes of Unicode, which take milliseconds
 * to build in a fresh isolate, need not be asked.
 */
const FOREIGN =
  /[^\0-\u00a9\u00ab-\u00b1\u00b4\u00b6-\u00b8\u00bb\u00bf\u00d7\u00f7\u2000-\u2064\u20a0-\u20a7\u20a9-\u20bf\u2190-\u23ff\u2500-\u2775\u2794-\u2b73\u3000-\u3004]/
const PLAIN_WORD = /[a-z\d]+/g
const WORD = /[\p{L}\p{N}\p{M}]+/gu
/** Chinese, Japanese, Korean, Thai, Lao, Khmer and Burmese, by the codes of ISO 15924. */
const UNSPACED_SCRIPTS = 'Hani Hira Kana Hang Thai Laoo Khmr Mymr'.split(' ')
/** Their letters. The mark for a long vowel in コーヒー belongs to two scripts, and so by its own name to none. */
const UNSPACED_LETTERS = `${UNSPACED_SCRIPTS.map((script) => `\\p{sc=${script}}`).join('')}ー`
const UNSPACED = new RegExp(`[${UNSPACED_LETTERS}]`, 'u')
/** Within a word: a run of such letters, or what stands between two. */
const RUN = new RegExp(`[${UNSPACED_LETTERS}][${UNSPACED_LETTERS}\\p{M}]*|[^${UNSPACED_LETTERS}]+`, 'gu')
/** What readers count as one letter: a mark belongs to the letter before it. */
const LETTER = /\P{M}\p{M}*|\p{M}+/gu

/** No letter has so many marks, and bringing them in order takes time by the square of their number. @see UAX 15, section 13 */
export const CROWDED_MARKS = /[\p{M}\p{DI}]{31,}/gu

/** Digits of other scripts: texts mix them with those of ASCII. */
const DIGIT = /[^\d\P{Nd}]/gu

/**
 * The words of a text in order, in lower case, compatibility characters, accents and digits folded. Scripts written without spaces give
 * the pairs of neighbouring letters instead, so that they can be matched at all; Korean too, whose particles hang on its
 * words.
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

/** Letters that no normal form takes apart, as they are written without them, and in capitals: `IŞIK`, `STRASSE`, `DAI HOC`. */
function plainLetters(text: string): string {
  return text.replaceAll('ı', 'i').replaceAll('đ', 'd').replaceAll('ł', 'l').replaceAll('ø', 'o').replaceAll('ß', 'ss')
}

/** Ten digits follow each other from a code that ends in 0 or 6. */
function plainDigit(digit: string): string {
  const code = digit.codePointAt(0)!
  const last = code & 15
  return `${last - (/\p{Nd}/u.test(String.fromCodePoint(code - last)) ? 0 : 6)}`
}

/** The engine of patterns finds them fastest, and needs no warming up. */
function plainWords(text: string): string[] {
  return text.toLowerCase().match(PLAIN_WORD) ?? []
}

/** `第3章のAPI` holds words of other scripts as well. */
function unspacedWords(word: string): string[] {
  return (word.match(RUN) ?? []).flatMap((run) => (UNSPACED.test(run) ? letterPairs(run) : [run]))
}

function letterPairs(run: string): string[] {
  const letters: string[] = run.match(LETTER) ?? []
  if (letters.length < 2) return letters
  return letters.slice(1).map((letter, at) => letters[at]! + letter)
}
