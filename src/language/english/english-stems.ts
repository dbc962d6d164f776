import type { WordReader } from '../../core/text/content-stems.ts'
import { isStopWord } from './stop-words.ts'

/** One form per tense: the word that they agree with is read separately. */
const FORMS: ReadonlyMap<string, string> = new Map([
  ['are', 'is'],
  ['were', 'was'],
  ['do', 'does'],
  ['have', 'has'],
  ['I', 'i'],
])

/** Lower-case plurals: words with a capital or a digit are names. */
const PLURAL = /^[a-z]{3,}[a-hj-rtv-z]s$/

/**
 * Normalises English words: articles are dropped, plurals become singular, and `are` becomes `is`; all other words are kept.
 * Other function words change what is asked (before or after, by or from, my or your, is or was). The stemmer of terms is not
 * used, because it has one stem for `train` and `training`, and for `internal` and `international`.
 */
export const englishStems: WordReader = (word, before, after) => {
  if (isArticle(word, before, after)) return ''
  return FORMS.get(word) ?? (PLURAL.test(word) ? word.replace(/ies$/, 'ys').slice(0, -1) : word)
}

/** `a` is a letter, not an article, at the end and after a possible name: "plan a", "vitamin a deficiency". */
function isArticle(word: string, before: string, after: string): boolean {
  if (after === '') return false
  return word === 'the' || word === 'an' || (word === 'a' && (before === '' || isStopWord(before)))
}
