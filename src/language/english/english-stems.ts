import type { WordReader } from '../../core/text/content-stems.ts'
import { isStopWord } from './stop-words.ts'

/** One form for each tense: what they agree with is read from its own word. */
const FORMS: ReadonlyMap<string, string> = new Map([
  ['are', 'is'],
  ['were', 'was'],
  ['do', 'does'],
  ['have', 'has'],
  ['I', 'i'],
])

/** In small letters: a word with a capital or a digit is a name. */
const PLURAL = /^[a-z]{3,}[a-hj-rtv-z]s$/

/**
 * Reads English: an article counts for nothing, a plural as its singular, and `are` as `is`; everything else as it is written.
 * Other function words decide what is asked (before or after, by or from, my or your, is or was), and the stemmer that terms
 * are made by has one stem for `train` and `training`, and for `internal` and `international`.
 */
export const englishStems: WordReader = (word, before, after) => {
  if (isArticle(word, before, after)) return ''
  return FORMS.get(word) ?? (PLURAL.test(word) ? word.replace(/ies$/, 'ys').slice(0, -1) : word)
}

/** `a` is a letter at the end and behind what may be a name: "plan a", "vitamin a deficiency". */
function isArticle(word: string, before: string, after: string): boolean {
  if (after === '') return false
  return word === 'the' || word === 'an' || (word === 'a' && (before === '' || isStopWord(before)))
}
