/** Recognises words written without spaces: the gate sees one unknown word, but a model reads a question. */
import { STOP_WORDS } from './stop-words.ts'

/** A run-together text that is searched: of fourteen letters if it begins like a question, else of twenty. */
const QUESTION = /^[a-z\d]{14,}$/
const SENTENCE_LETTERS = 20
/** Fewest distinct function words, of at least three letters, inside it. */
const FUNCTION_WORDS = 2

/** Begins with a question word, or with a verb that asks; not `wholesale`, `whatsapp`, `explainability`. */
const BEGINS_A_QUESTION =
  /^(?:who(?!l[el]|rt)|what(?!s)|when|where|why|which|how|does|did(?!o)|tell|explain(?!ab)|(?:is|are|was)the|can(?:you|the))/
/** Words that occur inside a long word only if it is a question. */
const ASKS = /about|what(?!s)|which|whom|whose/
/** Function words that occur inside many words of other languages: Versic-her-ung, Arbe-its-amt. */
const INSIDE_OTHER_WORDS = 'its her all has any own off not was'.split(' ')
/** A function word inside a word; the longest if several begin at the same letter. */
const INSIDE = new RegExp(
  [...STOP_WORDS]
    .filter((word) => word.length > 2 && !INSIDE_OTHER_WORDS.includes(word))
    .sort((a, b) => b.length - a.length)
    .join('|'),
  'g',
)

/**
 * Whether a word is English text without spaces. Long compounds, product names and identifiers are not, because they contain
 * hardly any function words; nor are words of scripts that are written without spaces.
 *
 * @param word in lower case, accents folded (`words`)
 */
export function isRunTogether(word: string): boolean {
  return (
    QUESTION.test(word) &&
    (BEGINS_A_QUESTION.test(word) ||
      (word.length >= SENTENCE_LETTERS && (ASKS.test(word) || new Set(word.match(INSIDE)).size >= FUNCTION_WORDS)))
  )
}
