/** A question, read once for all the stages that it goes through. */
import type { Finding } from '../core/gates/finding.ts'
import { questionFindings } from '../core/policy/question-findings.ts'
import { type QuestionParts, questionParts } from '../core/text/question-parts.ts'

/** A question with what follows from its text alone. */
export interface AskedQuestion {
  /** Normalised. */
  readonly question: string
  readonly parts: QuestionParts
  /** What is wrong with it, whatever is found. */
  readonly findings: readonly Finding[]
}

/** @param question normalised */
export function readAsked(question: string): AskedQuestion {
  return { question, parts: questionParts(question), findings: questionFindings(question) }
}
