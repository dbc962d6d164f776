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
  /** Something that the policy needs was not recorded, or it judges answers. */
  | { readonly id: string; readonly kind: 'not-replayable'; readonly was: Verdict; readonly why: string }

/** Re-judges a decision. Never a guess: what the policy needs and nobody recorded makes it not replayable. */
export function replayDecision(policy: Policy, recorded: RecordedDecision): Replayed {
  const { id, verdict: was, signals, findings } = recorded
  if (judgesAnswers(policy))
    return { id, kind: 'not-replayable', was, why: 'The policy judges answers, of which no text is kept' }
  const ofTexts = findings.filter(isOfTexts)
  const evidence = signals.chunkCount > 0
  if (evidence && Number.isNaN(confidenceOf(policy.confidence, signals))) {
    return { id, kind: 'not-replayable', was, why: 'A signal that the policy needs was not recorded' }
  }
  const { verdict: is, confidence } = judge(policy, signals, ofTexts)
  return { id, kind: 'replayed', was, is, confidence }
}
