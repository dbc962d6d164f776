import { recordedNumber } from '../lib/numbers.ts'
import { runTogetherCount } from '../signals/run-together-count.ts'
import { UNREADABLE } from './readable-question.ts'
import { defineGate, gateWith, plainSettings, type PolicyGate } from './gate.ts'

/**
 * Refuses a question with words run together ("whowonthechessmatch") that occur in neither the collection nor the evidence: for
 * the signals they are one unknown word, but a model would read the whole sentence. The language detects such words.
 */
export function runTogether(): PolicyGate {
  return gateWith(runTogetherGate, { gate: 'run-together' })
}

/** The check behind `runTogether`. */
export const runTogetherGate = defineGate({
  name: 'run-together',
  stage: 'pre-generation',
  about: 'question',
  reads: () => [runTogetherCount],
  texts: UNREADABLE,
  validate: plainSettings,
  check: (_settings: { readonly gate: 'run-together' }, { signals }) =>
    recordedNumber(signals.runTogetherCount) === 0
      ? undefined
      : { outcome: 'refuse', code: 'question_unreadable', message: 'The question has words run together' },
})
