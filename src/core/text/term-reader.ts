/** Reading the terms of texts, sentence by sentence. */
import { createRecent } from './recent.ts'
import { sentences } from './sentences.ts'
import { termBy, type TermLanguage, type TermOf } from './terms.ts'
import { words } from './words.ts'

/** The terms of each sentence of a text, in order. */
export type SentenceTerms = readonly (readonly string[])[]

/** Reads the terms of texts. */
export interface TermReader {
  /** The terms of a text in order. */
  readonly terms: (text: string) => string[]
  /** Those of each of its sentences. */
  readonly sentences: (text: string) => SentenceTerms
}

/**
 * A reader that remembers: the terms of some 16,000 words at least, up to twice as many, and of each sentence of the last
 * thousand texts at least, up to two thousand. Popular passages come back with every other question, and texts are made of
 * the same few thousand words. Its owner decides who shares it: it holds texts.
 */
export function createTermReader(language: TermLanguage | undefined): TermReader {
  const termOf = remembering(termBy(language))
  const terms = (text: string): string[] => words(text).flatMap((word) => termOf(word) || [])
  return { terms, sentences: rememberingTexts((text) => sentences(text).map(terms)) }
}

const WORDS_KEPT = 16_384

/** Longer words are rare, and engines hold the whole text that such a piece was cut from. */
const LONGEST_KEPT = 12

function remembering(find: TermOf): TermOf {
  const recent = createRecent<string, string>(WORDS_KEPT)
  return (word) => {
    if (word.length > LONGEST_KEPT) return find(word)
    const known = recent.get(word)
    if (known !== undefined) return known
    const found = find(word)
    recent.keep(word, found)
    return found
  }
}

const TEXTS_KEPT = 1000

function rememberingTexts(read: TermReader['sentences']): TermReader['sentences'] {
  const recent = createRecent<number, { readonly text: string; readonly found: SentenceTerms }>(TEXTS_KEPT)
  return (text) => {
    const sample = sampleOf(text)
    const known = recent.get(sample)
    if (known?.text === text) return known.found
    const found = read(text)
    recent.keep(sample, { text, found })
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
