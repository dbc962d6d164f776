import { recordedNumber } from '../lib/numbers.ts'
import { runTogetherCount } from '../signals/run-together-count.ts'
import { UNREADABLE } from './readable-question.ts'
import { gateWith, type PolicyGate } from './gate.ts'
import { questionGate } from './question-gate.ts'

/**
 * Refuses a question with words run together ("whowonthechessmatch") that occur in neither the collection nor the evidence: for
 * the signals they are one unknown word, but a model would read the whole sentence. The language detects such words.
 */
export function runTogether(): PolicyGate {
  return gateWith(runTogetherGate, { gate: 'run-together' })
}

/** The check behind `runTogether`. */
export const runTogetherGate = questionGate(
  'run-together',
  UNREADABLE,
  runTogetherCount,
  (signals) => recordedNumber(signals.runTogetherCount) !== 0 && 'The question has words run together',
)
