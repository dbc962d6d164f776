/** Measuring a question with its parts. */
import type { Evidence } from '../evidence/evidence.ts'
import type { Lexicon } from '../text/lexicon.ts'
import { type QuestionParts, questionParts } from '../text/question-parts.ts'
import { stretchesOf } from '../text/stretches.ts'
import { PLAIN_TERM_READER, type TermReader } from '../text/terms.ts'
import { measure, measurePart, type Signals } from './measure.ts'

/**
 * Measures a question without the talk around it, each of its parts, and the stretches of long parts, all against the same
 * evidence. Pure, as `measure` is. A question of one part has no `parts`, one without a long part no `stretches`.
 *
 * @param question normalised (`normaliseQuestion`)
 * @param lexicon the collection's, or `EMPTY_LEXICON`
 */
export function measureQuestion(question: string, evidence: Evidence, lexicon: Lexicon, reader?: TermReader): Signals {
  return measureParts(questionParts(question), evidence, lexicon, reader)
}

/** The same of a question that was taken apart before. */
export function measureParts(
  { bare, parts }: QuestionParts,
  evidence: Evidence,
  lexicon: Lexicon,
  reader: TermReader = PLAIN_TERM_READER,
): Signals {
  const measured = (texts: readonly string[]) => texts.map((text) => measurePart(text, evidence, lexicon, reader))
  const stretches = stretchesOf(parts)
  return Object.freeze({
    ...measure(bare, evidence, lexicon, reader),
    ...(parts.length > 1 ? { parts: measured(parts) } : {}),
    ...(stretches.length > 0 ? { stretches: measured(stretches) } : {}),
  })
}
