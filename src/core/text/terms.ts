/** Terms: what indexes, lexicons and signals count. */
import { sentenceEnds } from './sentences.ts'
import { stem } from './stem.ts'
import { createTermCache, type WordTerms } from './term-cache.ts'
import { BASE, digitOf } from './word-number.ts'
import { isStopWord, words } from './words.ts'

/** The terms of each sentence of a text, in order. */
export type SentenceTerms = readonly (readonly string[])[]

/** Reads the terms of texts. */
export interface TermReader {
  /** The terms of a text in order: stemmed words, stop words left out. */
  readonly terms: (text: string) => string[]
  /** The same sentence by sentence. */
  readonly sentenceTerms: (text: string) => SentenceTerms
}

/** The terms of a text in order: stemmed words, stop words left out. */
export function terms(text: string): string[] {
  return termsBetween(text, 0, text.length, WITHOUT_MEMORY)
}

/** The terms of each sentence of a text. */
export function sentenceTerms(text: string): SentenceTerms {
  return readSentences(text, WITHOUT_MEMORY)
}

/** Reads every text anew: for whoever reads a text once. */
export const PLAIN_TERM_READER: TermReader = Object.freeze({ terms, sentenceTerms })

/**
 * A reader that remembers: the terms of some 30,000 words, and of each sentence of the last thousand texts at least, up
 * to two thousand. Popular passages come back with every other question, and texts are made of the same few thousand
 * words. Its owner decides who shares it: it holds texts.
 */
export function createTermReader(): TermReader {
  const known = createTermCache(termOf)
  const remembered = createTextMemory((text) => readSentences(text, known))
  return Object.freeze({
    terms: (text: string) => termsBetween(text, 0, text.length, known),
    sentenceTerms: remembered,
  })
}

const ASCII_WORD = /^[a-z0-9]+$/

const WITHOUT_MEMORY: WordTerms = {
  within: (text, start, end) => termOf(text.slice(start, end).toLowerCase()),
  // Stop words and stems are English: a word that holds other letters is its own term.
  of: (word) => (ASCII_WORD.test(word) ? termOf(word) : word),
}

const SPACE = 0x20
const LAST_ASCII = 0x7f

/** The terms of a part of a text. Most parts are ASCII but for punctuation, and their words are read in place. */
function termsBetween(text: string, from: number, end: number, known: WordTerms): string[] {
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
    if (code > LAST_ASCII && !isTypographic(code)) return termsOfWords(words(text.slice(from, end)), known)
    if (at > start) add(found, known.within(text, start, at, number))
    number = 0
    start = at + 1
  }
  return found
}

/** No-break spaces, dashes, quotation marks, bullets and ellipses: folding leaves no letter of them. U+2017 has a mark. */
function isTypographic(code: number): boolean {
  return code === 0xa0 || (code >= 0x2010 && code <= 0x2022 && code !== 0x2017) || code === 0x2026
}

function termsOfWords(found: readonly string[], known: WordTerms): string[] {
  const kept: string[] = []
  for (const word of found) add(kept, known.of(word))
  return kept
}

function add(found: string[], term: string | undefined): void {
  if (term !== undefined) found.push(term)
}

/** @returns nothing for a stop word: an empty string would have to be told from others by looking at it */
function termOf(word: string): string | undefined {
  return isStopWord(word) ? undefined : stem(word)
}

function readSentences(text: string, known: WordTerms): SentenceTerms {
  const made: string[][] = []
  let start = 0
  for (const end of sentenceEnds(text)) {
    const found = termsBetween(text, start, end, known)
    if (found.length > 0 || text.slice(start, end).trim() !== '') made.push(found)
    start = end
  }
  return made
}

interface ReadText {
  readonly text: string
  readonly terms: SentenceTerms
}

const TEXTS_KEPT = 1000

/** Remembers what was read of texts: of the latest ones, and of those before them. */
function createTextMemory(read: (text: string) => SentenceTerms): (text: string) => SentenceTerms {
  let latest = new Map<number, ReadText>()
  let before: ReadonlyMap<number, ReadText> = new Map()
  return (text) => {
    const sample = sampleOf(text)
    const known = latest.get(sample)
    if (known?.text === text) return known.terms
    const earlier = before.get(sample)
    const kept = earlier?.text === text ? earlier : { text, terms: read(text) }
    if (latest.size >= TEXTS_KEPT) {
      before = latest
      latest = new Map()
    }
    latest.set(sample, kept)
    return kept.terms
  }
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
