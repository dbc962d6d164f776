import { number, oneOf, type OptionKinds, required, requireOptions, string } from '../lib/options.ts'
import { GRADED_ALREADY, WEAK_EVIDENCE, noteText, SUGGEST, UNMEASURED } from './text.ts'
import { RagGateError } from '../../errors.ts'
import { defineGate, type PolicyGate, gateWith } from './gate.ts'
import { curves } from '../signals/score-curves.ts'
import { states } from '../signals/states.ts'
import { meets, RATIO_TOLERANCE } from '../lib/numbers.ts'

/** Settings of `confidenceRange`. */
export interface ConfidenceRangeOptions {
  /** Confidence below which the question is refused, 0..1. An equal value is not refused. */
  readonly refuseBelow: number
  /** Confidence below which the answer carries a caution, `refuseBelow`..1. An equal value passes. */
  readonly adviseBelow: number
  /**
   * Skips if a reranker graded the chunks. For policies with `gradedRelevance`, which then decides.
   *
   * @default graded chunks are judged too
   */
  readonly whereGraded?: 'skipped'
}

/** `confidenceRange` as a policy holds it. */
export interface ConfidenceRangeSettings extends ConfidenceRangeOptions {
  readonly gate: 'confidence-range'
}

const SHARE = required(number(0, 1))
const OPTIONS: OptionKinds<ConfidenceRangeOptions> = {
  refuseBelow: SHARE,
  adviseBelow: SHARE,
  whereGraded: oneOf('skipped'),
}
const SETTINGS: OptionKinds<ConfidenceRangeSettings> = { ...OPTIONS, gate: required(string) }

/**
 * Refuses, advises or passes by the policy's confidence. If the question contains statements, which are not measured, an
 * answer always carries a caution. A confidence that could not be computed refuses.
 *
 * @throws `policy_invalid` when a threshold is outside 0..1, `adviseBelow` is less than `refuseBelow`, or `whereGraded` is
 *   invalid
 */
export function confidenceRange(options: ConfidenceRangeOptions): PolicyGate {
  requireOptions(options, OPTIONS, 'policy_invalid')
  return gateWith(confidenceRangeGate, { gate: 'confidence-range', ...options })
}

const LOW = { outcome: 'refuse', code: 'confidence_low' } as const
const MODERATE = { outcome: 'advise', code: 'confidence_moderate' } as const
const PASSED = { outcome: 'pass', code: 'passed' } as const

/** The check behind `confidenceRange`. */
export const confidenceRangeGate = defineGate({
  name: 'confidence-range',
  stage: 'pre-generation',
  texts: {
    confidence_low: WEAK_EVIDENCE,
    confidence_moderate: noteText('The evidence is limited: review recommended', SUGGEST.verify),
    confidence_unavailable: UNMEASURED,
    graded_already: GRADED_ALREADY,
  },
  threshold: {
    of: ({ refuseBelow }) => refuseBelow,
    // `adviseBelow` is never less than `refuseBelow`.
    moved: (settings, threshold) => ({
      ...settings,
      refuseBelow: threshold,
      adviseBelow: Math.max(threshold, settings.adviseBelow),
    }),
  },
  reads: ({ whereGraded }: ConfidenceRangeSettings) => [states, ...(whereGraded === 'skipped' ? [curves] : [])],
  validate: (settings: ConfidenceRangeSettings) => {
    requireOptions(settings, SETTINGS, 'policy_invalid')
    if (settings.adviseBelow < settings.refuseBelow) {
      throw new RagGateError('policy_invalid', 'adviseBelow must not be under refuseBelow', { param: 'adviseBelow' })
    }
  },
  check: ({ refuseBelow, adviseBelow, whereGraded }, { confidence, signals }) => {
    if (whereGraded === 'skipped' && signals.curves?.grade !== undefined) {
      return { outcome: 'skip', code: 'graded_already', message: GRADED_ALREADY.reason }
    }
    if (!Number.isFinite(confidence)) {
      return { outcome: 'refuse', code: 'confidence_unavailable', message: UNMEASURED.reason }
    }
    // With the decimals of calibrated thresholds. Rounded down within the tolerance, so that a confidence below a threshold
    // is never shown equal to it.
    const shown = (Math.floor((confidence + RATIO_TOLERANCE) * 10_000) / 10_000).toFixed(4)
    const is = (from: number): boolean => meets(confidence, from, RATIO_TOLERANCE)
    const threshold = is(refuseBelow) ? adviseBelow : refuseBelow
    const stated = signals.states === true
    return {
      ...(is(threshold) && !stated ? PASSED : is(refuseBelow) ? MODERATE : LOW),
      message: `Confidence (${shown}) ${is(threshold) ? 'meets' : 'below'} threshold (${threshold})${stated ? ', beside a statement' : ''}`,
      actual: confidence,
      threshold,
    }
  },
})
