import { anything, type OptionKinds, requireOptions } from '../../core/lib/options.ts'
import { logisticModel, logistic } from '../../core/policy/logistic.ts'
import type { Language } from '../../core/text/language.ts'
import type { Preset } from '../../core/policy/preset.ts'
import { confidenceRange, confidenceRangeGate } from '../../core/gates/confidence-range.ts'
import { loneTerm, loneTermGate } from '../../core/gates/lone-term.ts'
import { questionLength, questionLengthGate } from '../../core/gates/question-length.ts'
import { readableQuestion, readableQuestionGate } from '../../core/gates/readable-question.ts'
import { runTogether, runTogetherGate } from '../../core/gates/run-together.ts'
import { scaled, scaledModel } from '../../core/policy/scaled.ts'
import { weakestPart, weakestPartModel } from '../../core/policy/weakest-part.ts'
import { curves } from '../../core/signals/score-curves.ts'
import { questionTermCount, TEXT_SIGNALS } from '../../core/signals/text-signals.ts'
import { definePolicy, type Policy } from '../../core/policy/policy.ts'
import { BALANCED_LACKING, BALANCED_PROVENANCE, BALANCED_WEIGHTS } from './balanced-weights.ts'
import { english } from '../../language/english/english.ts'

const PARTS = weakestPartModel([logisticModel])

/** The parts of `balanced`. */
export const balancedPreset: Preset = Object.freeze({
  name: 'balanced',
  gates: [readableQuestionGate, questionLengthGate, loneTermGate, runTogetherGate, confidenceRangeGate],
  confidenceModels: [scaledModel([PARTS]), PARTS, logisticModel],
  // What calibration fits.
  records: [questionTermCount, ...Object.values(TEXT_SIGNALS), curves],
  languages: [english],
})

/**
 * Where a collection has its own scale, the line by which what 5.5 % of its windows reach reads .55, and
 * what 2 % reach reads .8 (docs/internal/scale.md).
 */
const ON_SCALE = { atMiddle: -3.9588, perDeviation: 2.6026 } as const

/** Settings of `balanced`. */
export interface BalancedOptions {
  /**
   * Confidence below which a question is refused, 0..1.
   *
   * @default 0.55
   */
  readonly refuseBelow?: number
  /**
   * Confidence below which an answer carries a caution, `refuseBelow`..1.
   *
   * @default 0.8
   */
  readonly adviseBelow?: number
  /**
   * In which questions and passages are read.
   *
   * @default english
   */
  readonly language?: Language
}

/** Their values are checked by the gate and the policy. */
export const BALANCED_OPTIONS: OptionKinds<BalancedOptions> = {
  refuseBelow: anything,
  adviseBelow: anything,
  language: anything,
}

/**
 * A logistic confidence over what the retrieved texts say, not over the engine's scores, so that the same
 * policy works over any index. Where there is no collection lexicon, or the best chunk has no title, it uses weights
 * that were fitted without them.
 *
 * Where a collection has learned its own scale from its documents, the confidence is read on that. It is not calibrated for
 * a collection, and answers and refusals say so. Measured with each of eight families of
 * questions left out of the fit in turn (docs/internal/evaluation.md), the default thresholds refuse 25 to 47 % of the answerable
 * questions. Of questions that must be refused they answer 1 to 37 %, 0.1 to 12 % without a caution: they are set for the
 * worse families, and are no promise for another collection.
 *
 * @throws `policy_invalid` when a threshold is out of range
 */
export function balanced(options: BalancedOptions = {}): Policy {
  requireOptions(options, BALANCED_OPTIONS, 'policy_invalid')
  return definePolicy({
    name: 'balanced',
    confidence: scaled(
      weakestPart(
        logistic({
          ...BALANCED_WEIGHTS,
          lacking: BALANCED_LACKING,
          provenance: BALANCED_PROVENANCE,
          calibrated: false,
        }),
      ),
      ON_SCALE,
    ),
    preset: balancedPreset,
    bands: { high: 0.9, medium: 0.8, low: 0.55 },
    language: options.language ?? english,
    gates: [
      readableQuestion(),
      questionLength(),
      loneTerm(),
      runTogether(),
      confidenceRange({ refuseBelow: options.refuseBelow ?? 0.55, adviseBelow: options.adviseBelow ?? 0.8 }),
    ],
  })
}
