import type { Language } from '../../core/text/language.ts'
import { questionParts } from './question-parts.ts'
import { isRunTogether } from './run-together.ts'
import { stem } from './stem.ts'
import { isStopWord } from './stop-words.ts'
import { AUXILIARIES, QUESTION_WORDS } from './word-lists.ts'

/**
 * English: stop words, the Porter stemmer, and the words by which talk and the parts of a question are known. A word with
 * other letters than those of ASCII is its own stem, so that texts in other languages are read as without a language. They
 * are parted at marks, and where a second word asks in one of a dozen.
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
