/** Thresholds that labels can move: which gates have one, what they hold it against, and a policy with another. */
import { RagGateError } from '../../errors.ts'
import type { Judgement } from '../policy/decision.ts'
import type { GateSettings } from '../gates/index.ts'
import { definePolicy, type Policy } from '../policy/policy.ts'
import type { LabelledScore } from './labelled-score.ts'

/** Gates with one threshold from 0 to 1 below which they refuse, and their setting for it. */
const THRESHOLDS = {
  'confidence-range': 'refuseBelow',
  'min-top-cosine': 'refuseBelow',
  'generation-confidence': 'refuseBelow',
  'evidence-share': 'threshold',
} as const

/** Name of such a gate. */
export type ThresholdGate = keyof typeof THRESHOLDS

/** A decision, fresh or recorded, and whether the question should have been answered. */
export interface LabelledDecision {
  readonly decision: Pick<Judgement, 'findings'>
  readonly answerable: boolean
}

/**
 * What a gate measured of each decision. One that it never came to, because another gate refused before it or it had
 * nothing to measure, has no number: it is refused whatever the threshold.
 */
export function scoresOfGate(gate: ThresholdGate, labelled: readonly LabelledDecision[]): LabelledScore[] {
  return labelled.map(({ decision, answerable }) => {
    const found = decision.findings.find((finding) => finding.gate === gate)
    // Where the words in common were too few, the figure of the finding is not the share.
    const score = found === undefined || found.code === 'overlap_low' ? NaN : (found.actual ?? NaN)
    return { score, answerable }
  })
}

/** @throws `config_invalid` when the policy has no such gate */
export function thresholdOf(policy: Policy, gate: ThresholdGate): number {
  const settings: GateSettings | undefined = policy.gates.find((each) => each.gate === gate)
  if (settings?.gate === 'evidence-share') return settings.threshold
  if (settings === undefined || !('refuseBelow' in settings)) {
    throw new RagGateError('config_invalid', `The policy has no gate ${gate}`, { param: 'gate' })
  }
  return settings.refuseBelow
}

/**
 * The policy with another threshold, 0..1; a caution begins no lower than answers do.
 *
 * @throws `policy_invalid` when it is out of range
 */
export function withThreshold(policy: Policy, gate: ThresholdGate, threshold: number): Policy {
  const gates = policy.gates.map((settings): GateSettings => {
    if (settings.gate !== gate) return settings
    if (settings.gate === 'confidence-range') {
      return { ...settings, refuseBelow: threshold, adviseBelow: Math.max(threshold, settings.adviseBelow) }
    }
    return { ...settings, [THRESHOLDS[gate]]: threshold }
  })
  return definePolicy({ ...policy, gates })
}
