/** Terms: what indexes, lexicons and signals count. */
import type { Language } from './language.ts'
import { words } from './words.ts'

/** What of a language makes terms of words. */
export type TermLanguage = Pick<Language, 'isStopWord' | 'stem'>

/** The term of a word in lower case, `''` for a stop word. */
export type TermOf = (word: string) => string

/** The terms of a text in order: the stems of its words, stop words left out; without a language its words. */
export function terms(text: string, language: TermLanguage | undefined): string[] {
  const termOf = termBy(language)
  return words(text).flatMap((word) => termOf(word) || [])
}

/** How a language makes terms of words; without one each word is its own. */
export function termBy(language: TermLanguage | undefined): TermOf {
  if (language === undefined) return (word) => word
  const { isStopWord, stem } = language
  return (word) => (isStopWord(word) ? '' : stem(word))
}
