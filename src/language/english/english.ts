import type { Language } from '../../core/text/language.ts'
import { questionParts } from './question-parts.ts'
import { isRunTogether } from './run-together.ts'
import { stem } from './stem.ts'
import { isStopWord } from './stop-words.ts'
import { AUXILIARIES, QUESTION_WORDS } from './word-lists.ts'

/**
 * English: stop words, the Porter stemmer, and word lists for recognising small talk and the parts of a question. A word with
 * non-ASCII letters is its own stem, so that texts in other languages are read as without a language. Questions in those are
 * split at punctuation and, in a dozen languages, at a second question word.
 */
export const english: Language = {
  name: 'english',
  isStopWord,
  stem,
  partsOf: questionParts,
  asks: (word) => QUESTION_WORDS.has(word) || AUXILIARIES.has(word),
  isRunTogether,
  isAssent: (term) => /^yes?$/.test(term),
}
