/** A question, read once for all the stages that it goes through. */
import type { Finding } from '../core/gates/finding.ts'
import { questionFindings } from '../core/policy/question-findings.ts'
import type { Language, QuestionParts } from '../core/text/language.ts'
import { partsAtMarks } from '../core/text/marked-sentences.ts'

/** A question with what follows from its text alone. */
export interface AskedQuestion {
  /** Normalised. */
  readonly question: string
  /** The policy's, or none. */
  readonly language: Language | undefined
  readonly parts: QuestionParts
  /** What is wrong with it, whatever is found. */
  readonly findings: readonly Finding[]
}

/** @param question normalised */
export function readAsked(question: string, language: Language | undefined): AskedQuestion {
  const parts = (language?.partsOf ?? partsAtMarks)(question)
  return { question, language, parts, findings: questionFindings(question, language) }
}
