import { anything, group, number, required, requireOptions, withDefaults } from '../../core/lib/options.ts'
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
import { BALANCED_PROVENANCE, BALANCED_WEIGHTS } from './balanced-weights.ts'
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
 * Where a collection has its own scale, the line by which what 2.5 % of its windows reach reads .55, and
 * what 1 % reach reads .8 (docs/internal/scale.md).
 */
const ON_SCALE = { atMiddle: -6.1418, perDeviation: 3.236 } as const

/** The same of collections without one, so that as many near misses reach a confidence. */
const OTHERWISE = { middle: -0.459, deviation: 1.115 } as const

/** What a share of near misses reaches on the scale (docs/internal/scale.md, "Near misses"). */
function reachedBy(share: number): number {
  return Number((1 / (1 + 430 * (share / (1 - share)) ** 2.459)).toFixed(3))
}

/** Settings of `balanced`. */
export interface BalancedOptions {
  /**
   * Confidence below which a question is refused, 0..1.
   *
   * @default 0.55
   */
  readonly refuseBelow?: number
  /**
   * Both thresholds by what they are for: `{ nearMisses: 0.1 }` lets through about a tenth of the questions about what the
   * documents treat whose answer they do not have, half of them with a caution. A share from 0.02 to 0.3. Bands, and with
   * them lifetimes, follow. Where a collection has no scale of its own, the confidence is read on that of eight families
   * of questions. An aim and no promise: mean and spread of what was reached are in docs/thresholds.md.
   *
   * @default `refuseBelow` and `adviseBelow` say it
   */
  readonly refuse?: { readonly nearMisses: number }
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

/**
 * A logistic confidence over what the retrieved texts say, not over the engine's scores, so that the same
 * policy works over any index.
 *
 * Where a collection has learned its own scale from its documents, the confidence is read on that. It is not calibrated for
 * a collection, and answers and refusals say so. Measured with each of eight families of
 * questions left out of the fit in turn (docs/internal/evaluation.md), the default thresholds refuse 22 to 45 % of the answerable
 * questions. Of questions that must be refused they answer 1 to 35 %, 0.1 to 12 % without a caution: they are set for the
 * worse families, and are no promise for another collection.
 *
 * @throws `policy_invalid` when a threshold or a share is out of range, or `refuse` stands beside `refuseBelow` or
 *   `adviseBelow`
 */
export function balanced(options: BalancedOptions = {}): Policy {
  const threshold = { words: 'left out beside refuse', holds: () => options.refuse === undefined }
  requireOptions<BalancedOptions>(
    options,
    {
      language: anything,
      refuse: group({ nearMisses: required(number(0.02, 0.3)) }),
      refuseBelow: threshold,
      adviseBelow: threshold,
    },
    'policy_invalid',
  )
  const { refuse, language = english, ...given } = options
  const defaults = refuse
    ? { refuseBelow: reachedBy(refuse.nearMisses), adviseBelow: reachedBy(refuse.nearMisses / 2) }
    : { refuseBelow: 0.55, adviseBelow: 0.8 }
  return definePolicy({
    name: 'balanced',
    confidence: scaled(
      weakestPart(
        logistic({
          ...BALANCED_WEIGHTS,
          provenance: BALANCED_PROVENANCE,
          calibrated: false,
        }),
      ),
      { ...ON_SCALE, ...(refuse && { otherwise: OTHERWISE }) },
    ),
    preset: balancedPreset,
    bands: { high: Math.max(0.9, defaults.adviseBelow), medium: defaults.adviseBelow, low: defaults.refuseBelow },
    language,
    gates: [
      readableQuestion(),
      questionLength(),
      loneTerm(),
      runTogether(),
      confidenceRange(withDefaults(given, defaults)),
    ],
  })
}
