/** Words written without spaces between them: one unknown word to a count of words, and a question to a model. */
import { STOP_WORDS } from './stop-words.ts'

/** A word that begins a question is one of so many letters and up; with function words inside it, of so many. */
const QUESTION_LETTERS = 14
const SENTENCE_LETTERS = 20
/** Function words inside it, different ones, of three letters and up. */
const FUNCTION_WORDS = 2

/** Begins with a question word, or with a verb and what it asks about; not `wholesale`, `whatsapp`, `wherever`. */
const BEGINS_A_QUESTION =
  /^(?:who(?!le|lly)|what(?!s)|when|where(?!as|abouts|upon)|why|which|how(?!itz)|does|did|tell|explain|(?:is|are|was)the|can(?:you|the))(?!e?ver)/
/** Stand in no longer word but a question. */
const ASKS = /what(?!s)|which|whom|whose/
/** These stand inside many words of other languages: Versic-her-ung, Arbe-its-amt. */
const INSIDE_OTHER_WORDS = 'its her all has any own off not was'.split(' ')
/** A function word inside a word, the longest where several begin. */
const INSIDE = new RegExp(
  [...STOP_WORDS]
    .filter((word) => word.length > 2 && !INSIDE_OTHER_WORDS.includes(word))
    .sort((a, b) => b.length - a.length)
    .join('|'),
  'g',
)

/**
 * Whether a word is English text without spaces. Long compounds, names of products and identifiers are not: they hold
 * hardly any function words. Scripts that are written without spaces never are.
 *
 * @param word in lower case, accents folded (`words`)
 */
export function isRunTogether(word: string): boolean {
  if (word.length < QUESTION_LETTERS || !/^[a-z\d]+$/.test(word)) return false
  if (BEGINS_A_QUESTION.test(word)) return true
  return word.length >= SENTENCE_LETTERS && (ASKS.test(word) || new Set(word.match(INSIDE)).size >= FUNCTION_WORDS)
}
