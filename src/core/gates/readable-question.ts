import { questionReadable } from '../signals/question-readable.ts'
import { refusalText } from './text.ts'
import { defineGate, gateWith, plainSettings, type PolicyGate } from './gate.ts'

/** Code and text for an unreadable question. */
export const UNREADABLE = {
  question_unreadable: refusalText(
    'I cannot read this question.',
    'Too little of the question can be read',
    'Write it in letters and digits, with spaces between words',
  ),
}

/** Refuses a question of which too little is readable (`isReadable`), before retrieval. */
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
