/** Splits questions and passages into sentences. */
import { isAscii } from './ascii.ts'
import { setOf } from './set-of.ts'

const ABBREVIATIONS = setOf('Mr Mrs Ms Dr St Prof Sr Jr vs e.g i.e etc cf No Fig Inc Ltd Co')
const LONGEST_ABBREVIATION = 4
const INITIAL = /^\p{Lu}$/u
const LAST_WORD = /([^\s(]*)\.$/
/** ASCII has its own pattern for speed (see `isAscii`). */
const BEGINS_SENTENCE = /[\p{Lu}\p{Lo}\p{N}"'“‘([`]/u
const BEGINS_IN_ASCII = /[A-Z\d"'([`]/
const CLOSERS = ')\\]"\'”’'
/** Punctuation that always ends a sentence: Arabic, Indic, Burmese, Khmer, East Asian. */
const FINAL_MARKS = '؟۔।॥။៕。｡！？'
const SPACE = '\\t-\\r \\u00a0'
/**
 * Possible ends of a sentence: punctuation, with closing quotes or brackets, before white space; a line before an empty one or
 * a list item; a final mark, with what may follow it within the sentence.
 */
const MARK = new RegExp(
  `[.!?][${CLOSERS}]*(?=[${SPACE}]+([^${SPACE}][^]?))|` +
    `\\n(?=[${SPACE}]*(?:\\n|[-*+>#|]|\\d{1,9}[.)]\\s))[${SPACE}]*|[${FINAL_MARKS}][${FINAL_MARKS})\\]"'”’」』）】》〉］]*`,
  'g',
)

/**
 * The sentences of a text, in order and verbatim. Paragraphs and list items end a sentence; initials and common abbreviations
 * do not. Takes linear time for every text.
 */
export function sentences(text: string): string[] {
  let start = 0
  return sentenceEnds(text)
    .map((end) => text.slice(start, (start = end)).trim())
    .filter((sentence) => sentence !== '')
}

/** End offsets of the sentences; each begins at the end of the one before. Only white space may lie between two ends. */
export function sentenceEnds(text: string): number[] {
  const ends: number[] = []
  for (const { 0: mark, 1: next, index } of text.matchAll(MARK)) {
    const end = mark.startsWith('\n') ? index : index + mark.length
    if (next === undefined || (beginsSentence(next) && !endsShortened(text.slice(ends.at(-1) ?? 0, end))))
      ends.push(end)
  }
  ends.push(text.length)
  return ends
}

/** Whether a text ends with an abbreviation or an initial with its full stop. */
function endsShortened(text: string): boolean {
  // One character more than the longest, so that the end of a longer word does not match.
  const word = LAST_WORD.exec(text.slice(-LONGEST_ABBREVIATION - 2))?.[1] ?? ''
  return ABBREVIATIONS.has(word) || INITIAL.test(word)
}

function beginsSentence(letters: string): boolean {
  return (isAscii(letters) ? BEGINS_IN_ASCII : BEGINS_SENTENCE).test(letters)
}
