/** Extracts terms of texts, with memoisation. */
import { createRecent } from './recent.ts'
import { sentences } from './sentences.ts'
import { termBy, type TermLanguage, type TermOf } from './terms.ts'
import { words } from './words.ts'

/** The terms of each sentence of a text, in order. */
export type SentenceTerms = readonly (readonly string[])[]

/** Extracts the terms of texts. */
export interface TermReader {
  /** The terms of a text, in order. */
  readonly terms: (text: string) => string[]
  /** The terms of each of its sentences. */
  readonly sentences: (text: string) => SentenceTerms
}

/**
 * Makes a memoising reader. It keeps the terms of at least 16,000 words, and of the sentences of at least the last thousand
 * texts (at most twice as many of each), because popular passages recur, and texts consist of the same few thousand words. It
 * holds texts, so its owner decides who shares it.
 */
export function createTermReader(language: TermLanguage | undefined): TermReader {
  const termOf = remembering(termBy(language))
  const terms = (text: string): string[] => words(text).flatMap((word) => termOf(word) || [])
  return { terms, sentences: rememberingTexts((text) => sentences(text).map(terms)) }
}

const WORDS_KEPT = 16_384

/** Longest memoised word: longer ones are rare, and as substrings would keep their whole text in memory. */
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
 * A hash of a text's length and some of its characters. As a map key the whole text would be hashed, which is slower. Two
 * texts with the same hash displace each other.
 */
function sampleOf(text: string): number {
  const step = Math.ceil(text.length / SAMPLED)
  let sample = text.length
  for (let at = 0; at < text.length; at += step) sample = (Math.imul(sample, 31) + text.charCodeAt(at)) | 0
  return sample
}
