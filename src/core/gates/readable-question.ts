import { questionReadable } from '../signals/question-readable.ts'
import { refusalText } from './text.ts'
import { defineGate, gateWith, plainSettings, type PolicyGate } from './gate.ts'

/** Codes and texts that are said of what cannot be read. */
export const UNREADABLE = {
  question_unreadable: refusalText(
    'I cannot read this question.',
    'Too little of the question can be read',
    'Write it in letters and digits, with spaces between words',
  ),
}

/** Refuses a question of which too little can be read (`isReadable`), before anything is retrieved. */
export function readableQuestion(): PolicyGate {
  return gateWith(readableQuestionGate, { gate: 'readable-question' })
}

/** The check behind `readableQuestion`. */
export const readableQuestionGate = defineGate({
  name: 'readable-question',
  stage: 'pre-generation',
  about: 'question',
  reads: () => [questionReadable],
  texts: UNREADABLE,
  validate: plainSettings,
  check: (_settings: { readonly gate: 'readable-question' }, { signals }) =>
    signals.questionReadable === true
      ? undefined
      : {
          outcome: 'refuse',
          code: 'question_unreadable',
          message: 'Too little of the question can be read',
        },
})
