/** A question, read once for all the stages that it goes through. */
import type { Language, QuestionParts } from '../core/text/language.ts'

/** A question with what follows from its text alone. */
export interface AskedQuestion {
  /** Normalised. */
  readonly question: string
  /** As the policy's language parts it. */
  readonly parts: QuestionParts | undefined
}

/** @param question normalised */
export function readAsked(question: string, language: Language | undefined): AskedQuestion {
  return { question, parts: language?.partsOf(question) }
}
