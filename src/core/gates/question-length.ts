import { recordedNumber } from '../lib/numbers.ts'
import { askedTermCount } from '../signals/asked-term-count.ts'
import { refusalText } from './text.ts'
import { defineGate, gateWith, plainSettings, type PolicyGate } from './gate.ts'

/** Code and text for a question that is too short. */
export const TOO_SHORT = {
  question_too_short: refusalText(
    'This is too little to go by.',
    'The question is too short to be judged',
    'Ask in a sentence what you want to know',
  ),
}

/** Refuses a question without any term, before retrieval, because no evidence could support it. */
export function questionLength(): PolicyGate {
  return gateWith(questionLengthGate, { gate: 'question-length' })
}

/** The check behind `questionLength`. */
export const questionLengthGate = defineGate({
  name: 'question-length',
  stage: 'pre-generation',
  about: 'question',
  reads: () => [askedTermCount],
  texts: TOO_SHORT,
  validate: plainSettings,
  check: (_settings: { readonly gate: 'question-length' }, { signals }) =>
    recordedNumber(signals.askedTermCount) > 0
      ? undefined
      : { outcome: 'refuse', code: 'question_too_short', message: 'The question has no word to look for' },
})
