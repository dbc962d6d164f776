import { anything, floored, number, type OptionKinds, required, requireOptions, string } from 'hono-rag-gate/core/lib'
import { measureAnswer } from '../answers/index.ts'
import { defineGate, gateWith, noteText, type PolicyGate, UNMEASURED } from 'hono-rag-gate/core/gates'

/** Settings of `advisoryConfidence`. */
export interface AdvisoryConfidenceOptions {
  /**
   * Confidence below which the answer is advisory only, 0..1. Equality passes.
   *
   * @default 0.7
   */
  readonly adviseBelow?: number
  /**
   * Confidence below which an advisory answer is marked as not usable, 0..`adviseBelow`. Equality is usable.
   *
   * @default 0.5
   */
  readonly unusableBelow?: number
}

/** The settings as stored in a policy. */
export interface AdvisoryConfidenceSettings {
  readonly gate: 'advisory-confidence'
  readonly adviseBelow: number
  readonly unusableBelow: number
}

/** Only names are checked here; `advisoryConfidenceGate` validates the values. */
export const ADVISORY_CONFIDENCE_OPTIONS: OptionKinds<AdvisoryConfidenceOptions> = {
  adviseBelow: anything,
  unusableBelow: anything,
}

/**
 * Passes or advises by the policy's confidence once the answer's factors are included; below `unusableBelow` the answer
 * carries `usable: false`. Refuses if the confidence could not be computed.
 *
 * @throws `policy_invalid` when a setting is out of range
 * @see the specification of advisory, thresholds and levels
 */
export function advisoryConfidence(options: AdvisoryConfidenceOptions = {}): PolicyGate {
  requireOptions(options, ADVISORY_CONFIDENCE_OPTIONS, 'policy_invalid')
  return gateWith(advisoryConfidenceGate, {
    gate: 'advisory-confidence',
    adviseBelow: options.adviseBelow ?? 0.7,
    unusableBelow: options.unusableBelow ?? 0.5,
  })
}

/** The gate behind `advisoryConfidence`. */
export const advisoryConfidenceGate = defineGate({
  name: 'advisory-confidence',
  stage: 'post-generation',
  measure: measureAnswer,
  judgesUnreadable: true,
  texts: {
    advisory_only: noteText('Advisory only', 'Verify information with primary sources'),
    advisory_unusable: noteText('Advisory only: do not use', 'Verify information with primary sources'),
    confidence_unavailable: UNMEASURED,
  },
  validate: (settings: AdvisoryConfidenceSettings) => {
    const kinds: OptionKinds<AdvisoryConfidenceSettings> = {
      gate: required(string),
      adviseBelow: required(number(0, 1)),
      unusableBelow: required(number(0, settings.adviseBelow)),
    }
    requireOptions(settings, kinds, 'policy_invalid')
  },
  check: ({ adviseBelow, unusableBelow }, { confidence }) => {
    if (!Number.isFinite(confidence)) {
      return { outcome: 'refuse', code: 'confidence_unavailable', message: 'The confidence could not be computed' }
    }
    const figures = { actual: confidence, threshold: adviseBelow }
    if (confidence >= adviseBelow) {
      return {
        outcome: 'pass',
        code: 'passed',
        message: `Confidence (${floored(confidence)}) meets threshold (${adviseBelow})`,
        ...figures,
      }
    }
    const message = `Low confidence (${floored(confidence)} < ${adviseBelow}). Advisory-only.`
    return confidence >= unusableBelow
      ? { outcome: 'advise', code: 'advisory_only', message, ...figures }
      : { outcome: 'advise', code: 'advisory_unusable', message, ...figures }
  },
})
