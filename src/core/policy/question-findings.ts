/** What is wrong with a question itself, whatever the policy and the evidence. */
import type { Evidence } from '../evidence/evidence.ts'
import type { Finding } from '../gates/finding.ts'
import type { Lexicon } from '../text/lexicon.ts'
import type { Language } from '../text/language.ts'
import { isReadable } from '../text/readable.ts'
import { terms } from '../text/terms.ts'
import { words } from '../text/words.ts'

/** Names the question among the gates of findings. */
export const QUESTION = 'question'

/** A term in more chunks than these, and than this share of a collection, says too little alone. */
const RARE_CHUNKS = 3
const RARE_SHARE = 0.05

/**
 * Refuses a question of which too little can be read (`isReadable`), and one without any term: nothing was asked that
 * evidence could support. Known before anything is retrieved.
 *
 * @param question normalised (`normaliseQuestion`)
 */
export function questionFindings(question: string, language: Language | undefined): Finding[] {
  if (!isReadable(question)) {
    return [refusal('question_unreadable', 'Too few characters of the question are letters, digits or punctuation')]
  }
  return terms(question, language).length === 0
    ? [refusal('question_too_short', 'The question has no word to look for')]
    : []
}

/**
 * Refuses a question of one term and no question word ("ok", "gate"): it asks nothing in particular. A term that names
 * the best chunk, in its title, and is rare in the collection is a search for that page, and stays.
 *
 * @param question normalised (`normaliseQuestion`)
 * @param lexicon the collection's; without one no term is known to be rare
 */
export function loneTermFindings(
  question: string,
  { chunks }: Evidence,
  lexicon: Lexicon,
  language: Language | undefined,
): Finding[] {
  const [term, another] = new Set(terms(question, language))
  if (term === undefined || another !== undefined) return []
  // With them one term is a question: "What is Perl?"
  if (words(question).some((word) => language?.asks(word) === true)) return []
  const found = lexicon.documentFrequency.get(term) ?? 0
  const isRare = lexicon.chunkCount > 0 && found <= Math.max(RARE_CHUNKS, RARE_SHARE * lexicon.chunkCount)
  if (isRare && terms(chunks[0]?.title ?? '', language).includes(term)) return []
  return [refusal('question_too_short', 'The question is one word')]
}

/**
 * Refuses a question with words run together ("whowonthechessmatch") that neither the collection nor what was found knows:
 * they count as one word that is missing, and a model reads the whole sentence.
 *
 * @param question normalised (`normaliseQuestion`)
 */
export function runTogetherFindings(
  question: string,
  { chunks }: Evidence,
  lexicon: Lexicon,
  language: Language | undefined,
): Finding[] {
  const unknown = words(question)
    .filter((word) => language?.isRunTogether(word) === true)
    .flatMap((word) => terms(word, language))
    .filter(
      (term) =>
        !lexicon.documentFrequency.has(term) && !chunks.some(({ text }) => terms(text, language).includes(term)),
    )
  return unknown.length === 0 ? [] : [refusal('question_unreadable', 'The question has words run together')]
}

function refusal(code: 'question_unreadable' | 'question_too_short', message: string): Finding {
  return { gate: QUESTION, stage: 'pre-generation', outcome: 'refuse', code, message }
}
