/** Sentences of questions and passages. */
import { isAscii } from './ascii.ts'

const ABBREVIATIONS: ReadonlySet<string> = new Set(
  'Mr Mrs Ms Dr St Prof Sr Jr vs e.g i.e etc cf No Fig Inc Ltd Co'.split(' '),
)
const LONGEST_ABBREVIATION = 4
/** An initial: what stands for ASCII letters is a pattern of its own, as `isAscii` says why. */
const CAPITAL = /^\p{Lu}$/u
const ASCII_CAPITAL = /^[A-Z]$/
const LAST_WORD = /[^\s(]*$/
const BEGINS_SENTENCE = /[\p{Lu}\p{Lo}\p{N}"'“‘([`]/u
const BEGINS_IN_ASCII = /[A-Z\d"'([`]/
const CLOSERS = ')\\]"\'”’'
/** Marks that end a sentence in every context: Arabic, Indic, Burmese, Khmer, East Asian. */
const FINAL_MARKS = '؟۔।॥။៕。｡！？'
/** May follow such a mark within the sentence. */
const AFTER_FINAL_MARK = `${FINAL_MARKS})]"'”’」』）】》〉］`
const SPACE = '\\t-\\r \\u00a0'
/**
 * What may end a sentence: a mark and what closes after it, where space follows and what may begin another one; a line
 * before an empty one or an item.
 */
const MARK = new RegExp(
  `[.!?][${CLOSERS}]*(?=[${SPACE}]+[^${SPACE}]?[A-Z\\d"'([\`\\u0080-\\uffff])|` +
    `\\n(?=[${SPACE}]*(?:\\n|[-*+>#|]|\\d{1,9}[.)]\\s))|[${FINAL_MARKS}]`,
  'g',
)

/**
 * The sentences of a text in order, as written. Paragraphs and list items end one; initials and common abbreviations do
 * not. Takes time in proportion to the text, for every text.
 */
export function sentences(text: string): string[] {
  let start = 0
  return sentenceEnds(text)
    .map((end) => text.slice(start, (start = end)).trim())
    .filter((sentence) => sentence !== '')
}

/** Where the sentences end: each begins where the one before ends. White space may stand between two ends. */
export function sentenceEnds(text: string): number[] {
  const ends: number[] = []
  MARK.lastIndex = 0
  while (MARK.test(text)) {
    let after = MARK.lastIndex
    const last = text.charAt(after - 1)
    if (last === '\n') {
      ends.push(after - 1)
      after = skipSpace(text, after)
    } else if (FINAL_MARKS.includes(last)) {
      while (after < text.length && AFTER_FINAL_MARK.includes(text.charAt(after))) after++
      ends.push(after)
    } else if (endsSentence(text, ends.at(-1) ?? 0, after)) ends.push(after)
    MARK.lastIndex = after
  }
  ends.push(text.length)
  return ends
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (isSpace(text.charCodeAt(at))) at++
  return at
}

function isSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d) || code === 0xa0
}

/** Whether the mark before `after`, which space follows, ends the sentence that began at `start`: another must begin. */
function endsSentence(text: string, start: number, after: number): boolean {
  const next = skipSpace(text, after)
  if (!beginsSentence(text.slice(next, next + 2))) return false
  return text.charAt(after - 1) !== '.' || !endsShortened(text.slice(start, after - 1))
}

/** Whether the last word is one of the abbreviations, or an initial. */
function endsShortened(text: string): boolean {
  // With the character before the longest, so that the end of a longer word is none.
  const word = LAST_WORD.exec(text.slice(-LONGEST_ABBREVIATION - 1))![0]
  return ABBREVIATIONS.has(word) || (isAscii(word) ? ASCII_CAPITAL : CAPITAL).test(word)
}

function beginsSentence(letters: string): boolean {
  return (isAscii(letters) ? BEGINS_IN_ASCII : BEGINS_SENTENCE).test(letters)
}
