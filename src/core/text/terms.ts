/** Terms: what indexes, lexicons and signals count. */
import { sentenceEnds } from './sentences.ts'
import { stem } from './stem.ts'
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
  return termsIn(text, termOf)
}

/** The terms of each sentence of a text. */
export function sentenceTerms(text: string): SentenceTerms {
  return readSentences(text, termOf)
}

/** Reads every text anew: for whoever reads a text once. */
export const PLAIN_TERM_READER: TermReader = Object.freeze({ terms, sentenceTerms })

/**
 * A reader that remembers: the terms of some 16,000 words at least, up to twice as many, and of each sentence of the last
 * thousand texts at least, up to two thousand. Popular passages come back with every other question, and texts are made
 * of the same few thousand words. Its owner decides who shares it: it holds texts.
 */
export function createTermReader(): TermReader {
  const known = remembering(termOf, WORDS_KEPT)
  return Object.freeze({
    terms: (text: string) => termsIn(text, known),
    sentenceTerms: createTextMemory((text) => readSentences(text, known)),
  })
}

const WORDS_KEPT = 16_384

/** Longer words are rare, and engines hold the whole text that such a piece was cut from. */
const LONGEST_KEPT = 12

/** The term of a word in lower case, `''` for a stop word. */
type TermOf = (word: string) => string

/** Stop words and stems are English: a word that holds other letters is its own term. */
function termOf(word: string): string {
  return isStopWord(word) ? '' : stem(word)
}

function remembering(find: TermOf, most: number): TermOf {
  let latest = new Map<string, string>()
  let before: ReadonlyMap<string, string> = new Map()
  return (word) => {
    if (word.length > LONGEST_KEPT) return find(word)
    const known = latest.get(word)
    if (known !== undefined) return known
    const found = before.get(word) ?? find(word)
    if (latest.size >= most) {
      before = latest
      latest = new Map()
    }
    latest.set(word, found)
    return found
  }
}

function termsIn(text: string, known: TermOf): string[] {
  const found: string[] = []
  for (const word of words(text)) {
    const term = known(word)
    if (term !== '') found.push(term)
  }
  return found
}

function readSentences(text: string, known: TermOf): SentenceTerms {
  const made: string[][] = []
  let start = 0
  for (const end of sentenceEnds(text)) {
    const sentence = text.slice(start, end)
    const found = termsIn(sentence, known)
    if (found.length > 0 || sentence.trim() !== '') made.push(found)
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
