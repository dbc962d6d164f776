import { WEAK_EVIDENCE, noteText, SUGGEST, UNMEASURED } from './text.ts'
import { RagGateError } from '../../errors.ts'
import { defineGate, requireWithin, type PolicyGate, gateWith } from './gate.ts'
import { meets, RATIO_TOLERANCE } from '../lib/numbers.ts'

/** Settings of `confidenceRange`. */
export interface ConfidenceRangeOptions {
  /** Confidence below which the question is refused, 0..1. Equality does not refuse. */
  readonly refuseBelow: number
  /** Confidence below which the answer carries a caution, `refuseBelow`..1. Equality passes. */
  readonly adviseBelow: number
}

/** `confidenceRange` as a policy holds it. */
export interface ConfidenceRangeSettings extends ConfidenceRangeOptions {
  readonly gate: 'confidence-range'
}

/**
 * Refuses, advises or passes by the policy's confidence. A confidence that could not be computed refuses.
 *
 * @throws `policy_invalid` when a setting is outside 0..1, or `adviseBelow` is under `refuseBelow`
 */
export function confidenceRange(options: ConfidenceRangeOptions): PolicyGate {
  return gateWith(confidenceRangeGate, {
    gate: 'confidence-range',
    refuseBelow: options.refuseBelow,
    adviseBelow: options.adviseBelow,
  })
}

/** The check behind `confidenceRange`. */
export const confidenceRangeGate = defineGate({
  name: 'confidence-range',
  stage: 'pre-generation',
  texts: {
    confidence_low: WEAK_EVIDENCE,
    confidence_moderate: noteText('The evidence is limited: review recommended', SUGGEST.verify),
    confidence_unavailable: UNMEASURED,
  },
  threshold: {
    of: ({ refuseBelow }) => refuseBelow,
    // A caution begins no lower than answers do.
    moved: (settings, threshold) => ({
      ...settings,
      refuseBelow: threshold,
      adviseBelow: Math.max(threshold, settings.adviseBelow),
    }),
  },
  validate: (settings: ConfidenceRangeSettings) => {
    requireWithin('refuseBelow', settings.refuseBelow, 0, 1)
    requireWithin('adviseBelow', settings.adviseBelow, 0, 1)
    if (settings.adviseBelow < settings.refuseBelow) {
      throw new RagGateError('policy_invalid', 'adviseBelow must not be under refuseBelow', { param: 'adviseBelow' })
    }
  },
  check: ({ refuseBelow, adviseBelow }, { confidence }) => {
    if (!Number.isFinite(confidence)) {
      return { outcome: 'refuse', code: 'confidence_unavailable', message: 'The confidence could not be computed' }
    }
    // Shown floored, so that a confidence below a threshold never reads like the threshold.
    const shown = (Math.floor(confidence * 1000) / 1000).toFixed(3)
    if (!meets(confidence, refuseBelow, RATIO_TOLERANCE)) {
      return {
        outcome: 'refuse',
        code: 'confidence_low',
        message: `Confidence (${shown}) below threshold (${refuseBelow})`,
        actual: confidence,
        threshold: refuseBelow,
      }
    }
    const figures = { actual: confidence, threshold: adviseBelow }
    if (!meets(confidence, adviseBelow, RATIO_TOLERANCE)) {
      return {
        outcome: 'advise',
        code: 'confidence_moderate',
        message: `Confidence (${shown}) below threshold (${adviseBelow})`,
        ...figures,
      }
    }
    return {
      outcome: 'pass',
      code: 'passed',
      message: `Confidence (${shown}) meets threshold (${adviseBelow})`,
      ...figures,
    }
  },
})
