/** Words, terms and sentences of questions and passages. */
import { BASE, digitOf, knownTerm, wordTerm } from './term-cache.ts'
import { foldMarks } from './fold-marks.ts'
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
 * The words of a text in order, in lower case, compatibility characters and accents folded. Scripts written without spaces give
 * the pairs of neighbouring letters instead, so that they can be matched at all; Korean too, whose particles hang on its
 * words.
 */
export function words(text: string): string[] {
  const folded = foldMarks(text.normalize('NFKC')).toLowerCase()
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

/** The terms of a text in order: stemmed words, stop words left out. What indexes, lexicons and signals count. */
export function terms(text: string): string[] {
  return termsBetween(text, 0, text.length)
}

const SPACE = 0x20
const LAST_ASCII = 0x7f

/** The terms of a part of a text. Most parts are ASCII but for punctuation, and their words are read in place. */
function termsBetween(text: string, from: number, end: number): string[] {
  const found: string[] = []
  let number = 0
  let start = from
  for (let at = from; at <= end; at++) {
    const code = at < end ? text.charCodeAt(at) : SPACE
    const digit = digitOf(code)
    if (digit > 0) {
      number = number * BASE + digit
      continue
    }
    if (code > LAST_ASCII && !isTypographic(code)) return termsOfWords(words(text.slice(from, end)))
    if (at > start) add(found, knownTerm(text, start, at, number, termOf))
    number = 0
    start = at + 1
  }
  return found
}

/** No-break spaces, dashes, quotation marks, bullets and ellipses: folding leaves no letter of them. U+2017 has a mark. */
function isTypographic(code: number): boolean {
  return code === 0xa0 || (code >= 0x2010 && code <= 0x2022 && code !== 0x2017) || code === 0x2026
}

function termsOfWords(found: readonly string[]): string[] {
  const kept: string[] = []
  for (const word of found) add(kept, wordTerm(word, termOf))
  return kept
}

function add(found: string[], term: string | undefined): void {
  if (term !== undefined) found.push(term)
}

/** @returns nothing for a stop word: an empty string would have to be told from others by looking at it */
function termOf(word: string): string | undefined {
  return isStopWord(word) ? undefined : stem(word)
}

const ABBREVIATION = /(?:^|[\s(])(?:\p{Lu}|Mr|Mrs|Ms|Dr|St|Prof|Sr|Jr|vs|e\.g|i\.e|etc|cf|No|Fig|Inc|Ltd|Co)\.$/u
const LONGEST_ABBREVIATION = 6
const BEGINS_SENTENCE = /[\p{Lu}\p{Lo}\p{N}"'“‘([`]/u
const BEGINS_ITEM = /^(?:[-*+>#|]|\d{1,9}[.)]\s)/
const ITEM_LOOKAHEAD = 11
const CLOSERS = ')]"\'”’'
/** Marks that end a sentence whatever follows: Arabic, Indic, Burmese, Khmer, East Asian. */
const FINAL_MARKS = '؟۔।॥။៕。｡！？'
/** May follow such a mark within the sentence. */
const AFTER_FINAL_MARK = `${FINAL_MARKS}${CLOSERS}」』）】》〉］`
/** What may end a sentence. */
const MARK = new RegExp(`[.!?\n${FINAL_MARKS}]`, 'g')

/**
 * The sentences of a text in order, as written. Paragraphs and list items end one; initials and common abbreviations do
 * not. Takes time in proportion to the text, whatever stands in it.
 */
export function sentences(text: string): string[] {
  let start = 0
  return sentenceEnds(text)
    .map((end) => text.slice(start, (start = end)).trim())
    .filter((sentence) => sentence !== '')
}

/** Where the sentences end: each begins where the one before ends. White space may stand between two ends. */
function sentenceEnds(text: string): number[] {
  const ends: number[] = []
  let at = 0
  while ((at = nextMark(text, at)) >= 0) {
    const mark = text.charAt(at)
    let after = at + 1
    if (mark === '\n') {
      after = skipSpace(text, after)
      if (text.slice(at + 1, after).includes('\n') || BEGINS_ITEM.test(text.slice(after, after + ITEM_LOOKAHEAD))) {
        ends.push(at)
      }
    } else if (FINAL_MARKS.includes(mark)) {
      while (after < text.length && AFTER_FINAL_MARK.includes(text.charAt(after))) after++
      ends.push(after)
    } else {
      while (after < text.length && CLOSERS.includes(text.charAt(after))) after++
      if (endsSentence(text, ends.at(-1) ?? 0, after)) ends.push(after)
    }
    at = after
  }
  ends.push(text.length)
  return ends
}

function nextMark(text: string, from: number): number {
  MARK.lastIndex = from
  return MARK.test(text) ? MARK.lastIndex - 1 : -1
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

type SentenceTerms = readonly (readonly string[])[]

interface ReadText {
  readonly text: string
  readonly terms: SentenceTerms
}

/**
 * Texts read before, by their sample: the latest ones, and those before them. A collection's popular passages come back
 * with every other question.
 */
let latestTexts = new Map<number, ReadText>()
let earlierTexts: ReadonlyMap<number, ReadText> = new Map()
const TEXTS_KEPT = 1000

/** The terms of each sentence of a text, remembered for the last thousand texts at least. */
export function sentenceTerms(text: string): SentenceTerms {
  const sample = sampleOf(text)
  const known = latestTexts.get(sample)
  if (known?.text === text) return known.terms
  const earlier = earlierTexts.get(sample)
  const read = earlier?.text === text ? earlier : { text, terms: readSentences(text) }
  if (latestTexts.size >= TEXTS_KEPT) {
    earlierTexts = latestTexts
    latestTexts = new Map()
  }
  latestTexts.set(sample, read)
  return read.terms
}

const SAMPLED = 24

/**
 * A number from a text's length and some of its characters. As the key of a map a text would have all of them hashed,
 * which takes longer than finding the question in what is remembered. Two texts of one sample displace each other.
 */
function sampleOf(text: string): number {
  const step = Math.ceil(text.length / SAMPLED)
  let sample = text.length
  for (let at = 0; at < text.length; at += step) sample = (Math.imul(sample, 31) + text.charCodeAt(at)) | 0
  return sample
}

function readSentences(text: string): SentenceTerms {
  const made: string[][] = []
  let start = 0
  for (const end of sentenceEnds(text)) {
    const found = termsBetween(text, start, end)
    if (found.length > 0 || text.slice(start, end).trim() !== '') made.push(found)
    start = end
  }
  return made
}
