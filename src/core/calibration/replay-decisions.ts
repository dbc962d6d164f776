/** What another policy would have said of decisions that are on record: from their signals, without any text. */
import type { Finding, Verdict } from '../gates/finding.ts'
import { confidenceOf } from '../policy/confidence.ts'
import { judge, judgesAnswers } from '../policy/judge.ts'
import type { Policy } from '../policy/policy.ts'
import { isOfTexts } from '../policy/text-findings.ts'
import type { Signals } from '../signals/measure.ts'

/** A decision on record. */
export interface RecordedDecision {
  readonly id: string
  readonly verdict: Verdict
  readonly signals: Signals
  /** Those about texts (`isOfTexts`) count again: the texts are gone. */
  readonly findings: readonly Finding[]
  readonly policyId: string
  /** What of the record is gone; absent where it is whole. */
  readonly lost?: 'cut' | 'erased'
}

/** Why a decision cannot be judged again, in words. */
export const NOT_REPLAYABLE = {
  judges_answers: 'The policy judges answers, of which no text is kept',
  signal_missing: 'A signal that the policy needs was not recorded',
  cut: 'The record was too large for the queue, and cut',
  erased: 'What was found in its texts was erased',
} as const

/** What is gone of a record in D1: `cut` names fields that were left out, an empty principal was erased. */
export function lostOfRecord(record: {
  readonly cut: readonly unknown[] | null
  readonly principalId: unknown
}): RecordedDecision['lost'] {
  if (record.cut?.some((field) => field === 'signals' || field === 'findings')) return 'cut'
  return record.principalId === '' ? 'erased' : undefined
}

/** One decision under the other policy. */
export type Replayed =
  | {
      readonly id: string
      readonly kind: 'replayed'
      readonly was: Verdict
      readonly is: Verdict
      readonly confidence: number
    }
  | {
      readonly id: string
      readonly kind: 'not-replayable'
      readonly was: Verdict
      readonly why: keyof typeof NOT_REPLAYABLE
    }

/** Re-judges a decision. Never a guess: what the policy needs and nobody recorded makes it not replayable. */
export function replayDecision(policy: Policy, recorded: RecordedDecision): Replayed {
  const { id, verdict: was, signals, findings, lost } = recorded
  const not = (why: keyof typeof NOT_REPLAYABLE): Replayed => ({ id, kind: 'not-replayable', was, why })
  if (judgesAnswers(policy)) return not('judges_answers')
  if (lost !== undefined) return not(lost)
  const evidence = signals.chunkCount > 0
  if (evidence && Number.isNaN(confidenceOf(policy.confidence, signals))) return not('signal_missing')
  const { verdict: is, confidence } = judge(policy, signals, findings.filter(isOfTexts))
  return { id, kind: 'replayed', was, is, confidence }
}
