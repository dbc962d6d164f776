/** Words, terms and sentences of questions and passages. */
import { stem } from './stem.ts'

/**
 * A question as it is searched, keyed and judged: NFC, white space runs folded to one space, ends trimmed. Letter case
 * and compatibility characters stay (`①` is not `1`).
 */
export function normaliseQuestion(question: string): string {
  return question.normalize('NFC').replace(/\s+/gu, ' ').trim()
}

/** English function words: they carry no evidence. Question words count among them. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about above after again against all also am an and any are as at be because been before being below between both
  but by can cannot could did do does doing don down during each few for from further had has have having he her here
  hers herself him himself his how i if in into is it its itself just ll me more most my myself no nor not now of off on
  once only or other our ours ourselves out over own re s same she should so some such t than that the their theirs them
  themselves then there these they this those through to too under until up ve very was we were what when where which
  while who whom whose why will with would you your yours yourself yourselves`.split(/\s+/),
)

/** Whether a word, in lower case, carries no evidence of its own. */
export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word)
}

const WORD = /[\p{L}\p{N}\p{M}]+/gu
const UNSPACED_SCRIPTS = ['Han', 'Hiragana', 'Katakana', 'Hangul', 'Thai', 'Lao', 'Khmer', 'Myanmar']
/** Their letters. The mark for a long vowel in コーヒー belongs to two scripts, and so by its own name to none. */
const UNSPACED_LETTERS = `${UNSPACED_SCRIPTS.map((script) => `\\p{Script=${script}}`).join('')}ー`
const UNSPACED = new RegExp(`[${UNSPACED_LETTERS}]`, 'u')
/** Within a word: a run of such letters, or what stands between two. */
const RUN = new RegExp(`[${UNSPACED_LETTERS}][${UNSPACED_LETTERS}\\p{M}]*|[^${UNSPACED_LETTERS}]+`, 'gu')
/** What readers count as one letter: a mark belongs to the letter before it. */
const LETTER = /\P{M}\p{M}*|\p{M}+/gu

/**
 * The words of a text in order, in lower case, compatibility characters folded. Scripts written without spaces give
 * the pairs of neighbouring letters instead, so that they can be matched at all; Korean too, whose particles hang on its
 * words.
 */
export function words(text: string): string[] {
  return NOT_ASCII.test(text) ? unicodeWords(text) : asciiWords(text)
}

// oxlint-disable-next-line no-control-regex -- the whole of ASCII
const NOT_ASCII = /[^\u0000-\u007f]/

/** The same without regular expressions: most text is ASCII, and this is the gate's hottest loop. */
function asciiWords(text: string): string[] {
  const lower = text.toLowerCase()
  const found: string[] = []
  let start = -1
  for (let at = 0; at < lower.length; at++) {
    const code = lower.charCodeAt(at)
    const inWord = (code >= 97 && code <= 122) || (code >= 48 && code <= 57)
    if (inWord) {
      if (start < 0) start = at
    } else if (start >= 0) {
      found.push(lower.slice(start, at))
      start = -1
    }
  }
  if (start >= 0) found.push(lower.slice(start))
  return found
}

function unicodeWords(text: string): string[] {
  const folded = text.normalize('NFKC').toLowerCase()
  const found = folded.match(WORD) ?? []
  return UNSPACED.test(folded) ? found.flatMap((word) => (UNSPACED.test(word) ? unspacedWords(word) : [word])) : found
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

/**
 * Words met before and their terms; a stop word's is empty. The same few thousand words make up most text, and a limit
 * under the vocabulary of the collections would have them stemmed over and over. Takes some five megabytes when full.
 */
const TERMS = new Map<string, string>()
const TERMS_KEPT = 50_000

function termOf(word: string): string {
  const known = TERMS.get(word)
  if (known !== undefined) return known
  const made = isStopWord(word) ? '' : stem(word)
  if (TERMS.size >= TERMS_KEPT) TERMS.clear()
  TERMS.set(word, made)
  return made
}

/** The terms of a text in order: stemmed words, stop words left out. What indexes, lexicons and signals count. */
export function terms(text: string): string[] {
  const kept: string[] = []
  for (const word of words(text)) {
    const term = termOf(word)
    if (term !== '') kept.push(term)
  }
  return kept
}

const ABBREVIATION = /(?:^|[\s(])(?:\p{Lu}|Mr|Mrs|Ms|Dr|St|Prof|Sr|Jr|vs|e\.g|i\.e|etc|cf|No|Fig|Inc|Ltd|Co)\.$/u
const LONGEST_ABBREVIATION = 6
const BEGINS_SENTENCE = /[\p{Lu}\p{Lo}\p{N}"'“‘([`]/u
const BEGINS_ITEM = /^(?:[-*+>#|]|\d{1,9}[.)]\s)/
const ITEM_LOOKAHEAD = 11
const NEW_LINE = 0x0a
const EXCLAMATION = 0x21
const FULL_STOP = 0x2e
const QUESTION = 0x3f
const CLOSERS = ')]"\'”’'
/** Marks that end a sentence whatever follows: Arabic, Indic, Burmese, Khmer, East Asian. */
const FINAL_MARKS = '؟۔।॥။៕。｡！？'
const FIRST_FINAL_MARK = 0x061f
/** May follow such a mark within the sentence. */
const AFTER_FINAL_MARK = `${FINAL_MARKS}${CLOSERS}」』）】》〉］`

/**
 * The sentences of a text in order, as written. Paragraphs and list items end one; initials and common abbreviations do
 * not. Takes time in proportion to the text, whatever stands in it.
 */
export function sentences(text: string): string[] {
  const found: string[] = []
  let start = 0
  const end = (at: number): void => {
    const sentence = text.slice(start, at).trim()
    if (sentence !== '') found.push(sentence)
    start = at
  }
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === FULL_STOP || code === EXCLAMATION || code === QUESTION) {
      let after = at + 1
      while (after < text.length && CLOSERS.includes(text[after] ?? '')) after++
      if (endsSentence(text, start, after)) end(after)
      at = after - 1
    } else if (code === NEW_LINE) {
      const next = skipSpace(text, at + 1)
      if (text.slice(at + 1, next).includes('\n') || BEGINS_ITEM.test(text.slice(next, next + ITEM_LOOKAHEAD))) end(at)
      at = next - 1
    } else if (code >= FIRST_FINAL_MARK && FINAL_MARKS.includes(text.charAt(at))) {
      while (at + 1 < text.length && AFTER_FINAL_MARK.includes(text.charAt(at + 1))) at++
      end(at + 1)
    }
  }
  end(text.length)
  return found
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (isSpace(text.charCodeAt(at))) at++
  return at
}

function isSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d) || code === 0xa0
}

/** Whether the mark before `after` ends the sentence that began at `start`: space follows, and then a beginning. */
function endsSentence(text: string, start: number, after: number): boolean {
  const next = skipSpace(text, after)
  if (next === after || !BEGINS_SENTENCE.test(text.slice(next, next + 2))) return false
  return !ABBREVIATION.test(text.slice(Math.max(start, after - LONGEST_ABBREVIATION), after))
}

/** Texts read before, oldest first. A collection's popular passages come back with every other question. */
const SENTENCE_TERMS = new Map<string, readonly (readonly string[])[]>()
const TEXTS_KEPT = 1000

/** The terms of each sentence of a text, remembered for the last thousand texts. */
export function sentenceTerms(text: string): readonly (readonly string[])[] {
  const known = SENTENCE_TERMS.get(text)
  if (known !== undefined) return known
  const made = sentences(text).map(terms)
  for (const oldest of SENTENCE_TERMS.keys()) {
    if (SENTENCE_TERMS.size < TEXTS_KEPT) break
    SENTENCE_TERMS.delete(oldest)
  }
  SENTENCE_TERMS.set(text, made)
  return made
}
