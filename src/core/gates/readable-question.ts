import { questionReadable } from '../signals/question-readable.ts'
import { refusalText } from './text.ts'
import { gateWith, type PolicyGate } from './gate.ts'
import { questionGate } from './question-gate.ts'

/** Code and text for an unreadable question. */
export const UNREADABLE = [
  'question_unreadable',
  refusalText('The question cannot be read.', 'The question cannot be read', 'Write it in words with spaces'),
] as const

/** Refuses a question of which too little is readable (`isReadable`), before retrieval. */
export function readableQuestion(): PolicyGate {
  return gateWith(readableQuestionGate, { gate: 'readable-question' })
}

/** The check behind `readableQuestion`. */
export const readableQuestionGate = questionGate(
  'readable-question',
  UNREADABLE,
  questionReadable,
  (signals) => signals.questionReadable !== true && UNREADABLE[1].reason,
)
