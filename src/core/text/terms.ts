/** Terms, which indexes, lexicons and signals count. */
import type { Language } from './language.ts'
import { words } from './words.ts'

/** The part of a language that maps words to terms. */
export type TermLanguage = Pick<Language, 'isStopWord' | 'stem'>

/** Maps a lower-case word to its term, `''` for a stop word. */
export type TermOf = (word: string) => string

/** The terms of a text, in order: the stems of its words without stop words; without a language all its words. */
export function terms(text: string, language: TermLanguage | undefined): string[] {
  const termOf = termBy(language)
  return words(text).flatMap((word) => termOf(word) || [])
}

/** The mapping from words to terms of a language; without one the identity. */
export function termBy(language: TermLanguage | undefined): TermOf {
  if (language === undefined) return (word) => word
  const { isStopWord, stem } = language
  return (word) => (isStopWord(word) ? '' : stem(word))
}
