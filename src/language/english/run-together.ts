/** Words written without spaces between them: one unknown word to a count of words, and a question to a model. */
import { isStopWord } from './stop-words.ts'

/** A word that begins a question is one of so many letters and up; with function words inside it, of so many. */
const QUESTION_LETTERS = 14
const SENTENCE_LETTERS = 20
/** Function words inside it, different ones, of three letters and up. */
const FUNCTION_WORDS = 2
const LONGEST_FUNCTION_WORD = 10

/** Begins with a question word, or with a verb and what it asks about; not `wholesale`, `whatsapp`, `wherever`. */
const BEGINS_A_QUESTION =
  /^(?:who(?!le|lly|ever)|what(?!s|ever)|when(?!ever)|where(?!ver|as|abouts|upon)|why|which(?!ever)|how(?!ever|itz)|does|did|tell|explain|(?:is|are|was)the|can(?:you|the))/
/** Stand in no longer word but a question. */
const ASKS = /what(?!s)|which|whom|whose/
/** These stand inside many words of other languages: Versic-her-ung, Arbe-its-amt. */
const INSIDE_OTHER_WORDS: ReadonlySet<string> = new Set('its her all has any own off not was'.split(' '))

/**
 * Whether a word is English text without spaces. Long compounds, names of products and identifiers are not: they hold
 * hardly any function words. Scripts that are written without spaces never are.
 *
 * @param word in lower case, accents folded (`words`)
 */
export function isRunTogether(word: string): boolean {
  if (word.length < QUESTION_LETTERS || !/^[a-z\d]+$/.test(word)) return false
  if (BEGINS_A_QUESTION.test(word)) return true
  return word.length >= SENTENCE_LETTERS && (ASKS.test(word) || functionWordsIn(word) >= FUNCTION_WORDS)
}

/** How many different ones, the longest first where several begin. */
function functionWordsIn(word: string): number {
  const found = new Set<string>()
  for (let at = 0; at + 3 <= word.length;) {
    const next = functionWordAt(word, at)
    if (next !== undefined) found.add(next)
    at += next?.length ?? 1
  }
  return found.size
}

function functionWordAt(word: string, at: number): string | undefined {
  for (let length = Math.min(LONGEST_FUNCTION_WORD, word.length - at); length >= 3; length--) {
    const piece = word.slice(at, at + length)
    if (isStopWord(piece) && !INSIDE_OTHER_WORDS.has(piece)) return piece
  }
  return undefined
}
