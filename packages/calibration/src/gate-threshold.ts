/** Reads and changes thresholds of gates, for tuning by labels. */
import { RagGateError } from 'hono-rag-gate/errors'
import { minTopCosineGate } from 'hono-rag-gate/core/gates'
import { COSINE_TOLERANCE, RATIO_TOLERANCE } from 'hono-rag-gate/core/lib'
import { definePolicy, type Judgement, type Policy } from 'hono-rag-gate/core/policy'
import type { LabelledScore } from './labelled-score.ts'

/** Name of a gate that refuses below one threshold of 0 to 1, such as `confidence-range`. */
export type ThresholdGate = string

/** A decision, fresh or recorded, and whether the question is answerable. */
export interface LabelledDecision {
  readonly decision: Pick<Judgement, 'findings'>
  readonly answerable: boolean
}

/**
 * The value that a gate compared with its threshold, for each decision. If the gate did not run, or had nothing to
 * measure, it is `NaN`, which is refused at every threshold.
 */
export function scoresOfGate(gate: ThresholdGate, labelled: readonly LabelledDecision[]): LabelledScore[] {
  return labelled.map(({ decision, answerable }) => {
    const found = decision.findings.find((finding) => finding.gate === gate)
    // With `overlap_low`, the finding's value is not the share.
    const score = found === undefined || found.code === 'overlap_low' ? NaN : (found.actual ?? NaN)
    return { score, answerable }
  })
}

/** @throws `config_invalid` if the policy has no such gate, or the gate has no such threshold */
export function thresholdOf(policy: Policy, gate: ThresholdGate): number {
  const { threshold, settings } = gateWithThreshold(policy, gate)
  return threshold.of(settings)
}

/**
 * How far below its threshold a value may be for a gate to accept it; negative if an equal one is refused.
 *
 * @throws `config_invalid` as `thresholdOf`
 */
export function toleranceOf(policy: Policy, gate: ThresholdGate): number {
  const { settings } = gateWithThreshold(policy, gate)
  if (gate === minTopCosineGate.name) return COSINE_TOLERANCE
  return 'equality' in settings && settings.equality === 'refuses' ? -RATIO_TOLERANCE : RATIO_TOLERANCE
}

/**
 * The policy with another threshold, 0..1; the threshold for cautions is raised if it would be lower.
 *
 * @throws `policy_invalid` if it is out of range; `config_invalid` as `thresholdOf`
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
