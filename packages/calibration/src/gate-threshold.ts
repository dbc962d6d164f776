/** Thresholds that labels can move: which gates have one, what they hold it against, and a policy with another. */
import { RagGateError } from 'hono-rag-gate/errors'
import { definePolicy, type Judgement, type Policy } from 'hono-rag-gate/core/policy'
import type { LabelledScore } from './labelled-score.ts'

/** Name of a gate with one threshold from 0 to 1 below which it refuses, such as `confidence-range`. */
export type ThresholdGate = string

/** A decision, fresh or recorded, and whether the question should have been answered. */
export interface LabelledDecision {
  readonly decision: Pick<Judgement, 'findings'>
  readonly answerable: boolean
}

/**
 * What a gate measured of each decision. One that it never came to, because another gate refused before it or it had
 * nothing to measure, has no number: it is refused at every threshold.
 */
export function scoresOfGate(gate: ThresholdGate, labelled: readonly LabelledDecision[]): LabelledScore[] {
  return labelled.map(({ decision, answerable }) => {
    const found = decision.findings.find((finding) => finding.gate === gate)
    // Where the words in common were too few, the figure of the finding is not the share.
    const score = found === undefined || found.code === 'overlap_low' ? NaN : (found.actual ?? NaN)
    return { score, answerable }
  })
}

/** @throws `config_invalid` when the policy has no such gate, or the gate has no such threshold */
export function thresholdOf(policy: Policy, gate: ThresholdGate): number {
  const { threshold, settings } = gateWithThreshold(policy, gate)
  return threshold.of(settings)
}

/**
 * The policy with another threshold, 0..1; a caution begins no lower than answers do.
 *
 * @throws `policy_invalid` when it is out of range; `config_invalid` as `thresholdOf`
 */
export function withThreshold(policy: Policy, gate: ThresholdGate, threshold: number): Policy {
  const found = gateWithThreshold(policy, gate)
  const settings = found.threshold.moved(found.settings, threshold)
  const gates = policy.gates.map((each) => (each === found.used ? { gate: each.gate, settings } : each))
  return definePolicy({ ...policy, gates })
}

function gateWithThreshold(policy: Policy, name: ThresholdGate) {
  const used = policy.gates.find(({ gate }) => gate.name === name)
  const threshold = used?.gate.threshold
  if (used === undefined || threshold === undefined) {
    throw new RagGateError('config_invalid', `The policy has no gate ${name} with a threshold`, { param: 'gate' })
  }
  return { used, threshold, settings: used.settings }
}
