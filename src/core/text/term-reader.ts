/** Reading the terms of texts, sentence by sentence. */
import { type Beginnings, beginsWithOneOf } from './beginnings.ts'
import { sentences } from './sentences.ts'
import { termBy, type TermLanguage, type TermOf } from './terms.ts'
import { words } from './words.ts'

/** The terms of each sentence of a text, in order. */
export type SentenceTerms = readonly (readonly string[])[]

/** A sentence whose terms are read when they are asked for. */
export interface ReadSentence {
  /** Number of its terms. */
  readonly length: number
  /** Its terms in order; with `beginnings` those of words that begin so, and maybe others. */
  readonly terms: (beginnings?: Beginnings) => readonly string[]
}

/** Reads the terms of texts. */
export interface TermReader {
  /** The terms of a text in order. */
  readonly terms: (text: string) => string[]
  /**
   * The sentences of a text.
   *
   * @param which `asked`: terms that will be asked for, as stemming all words is much of the work; `all` where all will be
   */
  readonly sentences: (text: string, which: 'asked' | 'all') => readonly ReadSentence[]
}

/**
 * A reader that remembers: the terms of some 16,000 words at least, up to twice as many, and of each sentence of the last
 * thousand texts at least, up to two thousand, that were read for all of their terms or came twice. Popular passages come
 * back with every other question, and texts are made of the same few thousand words. Its owner decides who shares it: it
 * holds texts.
 */
export function createTermReader(language: TermLanguage | undefined): TermReader {
  const termOf = remembering(termBy(language), WORDS_KEPT)
  const isStopWord = language?.isStopWord ?? (() => false)
  return {
    terms: (text) => termsOf(words(text), termOf),
    sentences: createTextMemory((text, which) => readSentences(text, termOf, isStopWord, which)),
  }
}

const WORDS_KEPT = 16_384

/** Longer words are rare, and engines hold the whole text that such a piece was cut from. */
const LONGEST_KEPT = 12

function remembering(find: TermOf, most: number): TermOf {
  const recent = createRecent<string, string>(most)
  return (word) => {
    if (word.length > LONGEST_KEPT) return find(word)
    const known = recent.get(word)
    if (known !== undefined) return known
    const found = find(word)
    recent.keep(word, found)
    return found
  }
}

interface Recent<Key, Kept> {
  readonly get: (key: Key) => Kept | undefined
  readonly keep: (key: Key, kept: Kept) => void
}

/** Keeps the latest of what is asked for: so many at least, and up to twice as many. */
function createRecent<Key, Kept>(most: number): Recent<Key, Kept> {
  let latest = new Map<Key, Kept>()
  let before: ReadonlyMap<Key, Kept> = latest
  const keep = (key: Key, kept: Kept): void => {
    if (latest.size >= most) {
      before = latest
      latest = new Map()
    }
    latest.set(key, kept)
  }
  return {
    keep,
    get(key) {
      const known = latest.get(key)
      if (known !== undefined) return known
      const earlier = before.get(key)
      if (earlier !== undefined) keep(key, earlier)
      return earlier
    },
  }
}

function termsOf(found: readonly string[], known: TermOf, beginnings?: Beginnings): string[] {
  const terms: string[] = []
  for (const word of found) {
    if (beginnings !== undefined && !beginsWithOneOf(word, beginnings)) continue
    const term = known(word)
    if (term !== '') terms.push(term)
  }
  return terms
}

function readSentences(
  text: string,
  known: TermOf,
  isStopWord: TermLanguage['isStopWord'],
  which: 'asked' | 'all',
): ReadSentence[] {
  return sentences(text).map((sentence) => {
    const found = words(sentence)
    if (which === 'all') {
      const all = termsOf(found, known)
      return { length: all.length, terms: () => all }
    }
    let length: number | undefined
    return {
      get length() {
        return (length ??= found.reduce((count, word) => (isStopWord(word) ? count : count + 1), 0))
      },
      terms: (beginnings) => termsOf(found, known, beginnings),
    }
  })
}

interface ReadText {
  readonly text: string
  readonly sentences: readonly ReadSentence[]
}

const TEXTS_KEPT = 1000

/** Remembers what was read of texts that came twice, or were read for all of their terms. */
function createTextMemory(read: TermReader['sentences']): TermReader['sentences'] {
  const recent = createRecent<number, Partial<ReadText>>(TEXTS_KEPT)
  return (text, which) => {
    const sample = sampleOf(text)
    const known = recent.get(sample)
    if (known?.sentences !== undefined && known.text === text) return known.sentences
    const isAll = which === 'all' || known !== undefined
    const found = read(text, isAll ? 'all' : 'asked')
    recent.keep(sample, isAll ? { text, sentences: found } : {})
    return found
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
