/** Suggests whether to raise or lower a threshold, and gives the changed policy. */
import { thresholdOf, withThreshold } from './gate-threshold.ts'
import { RagGateError } from 'hono-rag-gate/errors'
import type { Policy } from 'hono-rag-gate/core/policy'

/** A rate counted on labels. */
export interface CountedRate {
  /** 0..1; `null` without labels. */
  readonly rate: number | null
  /** Number of labels. */
  readonly labels: number
}

/** Input of the rule. */
export interface ThresholdEvidence {
  /** Answerable questions that were refused. */
  readonly falseRefusals: CountedRate
  /** Answers that were given with claims that no passage supports. */
  readonly hallucinations: CountedRate
}

/** Options of the rule. */
export interface ThresholdChangeOptions {
  /** Minimum number of labels for a rate to be used. @default 100 */
  readonly minLabels?: number
  /** Amount by which a threshold is changed. @default 0.05 */
  readonly step?: number
}

/** The suggestion. */
export interface ThresholdChange {
  readonly action: 'keep' | 'raise' | 'lower'
  readonly because: string
  /** The one setting that changes, and the changed policy; absent for `keep`, or if the policy has no such setting. */
  readonly change?: {
    readonly gate: 'min-top-cosine' | 'generation-confidence'
    readonly from: number
    readonly to: number
    readonly policy: Policy
  }
}

const HALLUCINATIONS_AT_MOST = 0.01
const FALSE_REFUSALS_AT_MOST = 0.1

/**
 * Suggests one adjustment at a time, safety first: raise if more than 1 % of the answers are hallucinated, otherwise
 * lower if more than 10 % of the answerable questions are refused. The generation confidence is raised if the policy
 * has it; the similarity is lowered: in each case the gate closest to the error. A running policy is never changed; the
 * result is a new one.
 *
 * @throws `config_invalid` if a rate is outside 0..1, or an option is out of range
 * @see the specification of multi-gate, "Threshold Calibration"
 */
export function suggestThresholdChange(
  policy: Policy,
  { falseRefusals, hallucinations }: ThresholdEvidence,
  options: ThresholdChangeOptions = {},
): ThresholdChange {
  const { minLabels = 100, step = 0.05 } = options
  if (!(minLabels >= 1) || !(step > 0 && step < 1)) {
    throw new RagGateError('config_invalid', 'minLabels must be 1 and up, step between 0 and 1', { param: 'step' })
  }
  const hallucinated = usableRate('hallucinations', hallucinations, minLabels)
  const refused = usableRate('falseRefusals', falseRefusals, minLabels)
  if (hallucinated !== undefined && hallucinated > HALLUCINATIONS_AT_MOST) {
    const because = 'More than 1 % of the answers say what no passage does'
    return { action: 'raise', because, ...moved(policy, ['generation-confidence', 'min-top-cosine'], step) }
  }
  // Without a known hallucination rate, the gate is not loosened.
  if (refused !== undefined && refused > FALSE_REFUSALS_AT_MOST) {
    if (hallucinated === undefined) {
      return { action: 'keep', because: 'Too few labels of answers to lower a threshold safely' }
    }
    const because = 'More than 10 % of the answerable questions are refused'
    return { action: 'lower', because, ...moved(policy, ['min-top-cosine', 'generation-confidence'], -step) }
  }
  const unknown = hallucinated === undefined || refused === undefined
  return { action: 'keep', because: unknown ? 'Too few labels' : 'Both rates are within their bounds' }
}

function usableRate(param: string, { rate, labels }: CountedRate, minLabels: number): number | undefined {
  if (rate === null) return undefined
  if (!(rate >= 0 && rate <= 1)) {
    throw new RagGateError('config_invalid', `${param} must be a rate from 0 to 1`, { param })
  }
  return labels >= minLabels ? rate : undefined
}

/** The policy with the first of these gates that it has moved by a step, within 0..1. */
function moved(
  policy: Policy,
  gates: readonly ('min-top-cosine' | 'generation-confidence')[],
  by: number,
): Pick<ThresholdChange, 'change'> {
  for (const gate of gates) {
    if (policy.gates.every((each) => each.gate.name !== gate)) continue
    const from = thresholdOf(policy, gate)
    // A cosine's threshold may be negative: it is not lowered further.
    const exact = Math.min(1, Math.max(from + by, Math.min(0, from)))
    if (exact === from) continue
    const to = Math.round(exact * 1e6) / 1e6
    return { change: { gate, from, to, policy: withThreshold(policy, gate, to) } }
  }
  return {}
}
