import { recordedNumber } from '../lib/numbers.ts'
import { askedTermCount } from '../signals/asked-term-count.ts'
import { refusalText } from './text.ts'
import { gateWith, type PolicyGate } from './gate.ts'
import { questionGate } from './question-gate.ts'

/** Code and text for a question that is too short. */
export const TOO_SHORT = [
  'question_too_short',
  refusalText('The question is too short.', 'The question is too short', 'Ask in a sentence'),
] as const

/** Refuses a question without any term, before retrieval, because no evidence could support it. */
export function questionLength(): PolicyGate {
  return gateWith(questionLengthGate, { gate: 'question-length' })
}

/** The check behind `questionLength`. */
export const questionLengthGate = questionGate(
  'question-length',
  TOO_SHORT,
  askedTermCount,
  (signals) => !(recordedNumber(signals.askedTermCount) > 0) && 'The question has no term',
)
