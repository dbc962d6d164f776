/** Measures the signals of a policy. */
import { measureSignals, type MeasuredQuestion, type Signals, subjectOf } from '../signals/measure.ts'
import type { Policy } from './policy.ts'

/**
 * Measures the signals of a policy, in its language. Pure: the same arguments always give the same signals.
 *
 * @returns JSON, for `judge`
 */
export function measure(policy: Policy, asked: Omit<MeasuredQuestion, 'language'>): Signals {
  return measureSignals(policy.signals, subjectOf({ ...asked, language: policy.language }))
}
