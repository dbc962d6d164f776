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
  // The signals that calibration fits.
  records: [questionTermCount, ...Object.values(TEXT_SIGNALS), curves],
  languages: [english],
})

/**
 * For collections with their own scale: the linear map in log-odds by which the level that 2.5 % of windows reach becomes .55,
 * and the level that 1 % reach becomes .8 (docs/internal/scale.md).
 */
const ON_SCALE = { atMiddle: -6.1418, perDeviation: 3.236 } as const

/** The scale for collections without their own, chosen so that equally many near misses reach a confidence. */
const OTHERWISE = { middle: -0.438, deviation: 1.095 } as const

/** The confidence that a share of near misses reaches on the scale (docs/internal/scale.md, "Near misses"). */
function reachedBy(share: number): number {
  return Number((1 / (1 + 434 * (share / (1 - share)) ** 2.447)).toFixed(3))
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
   * Sets both thresholds by a target: `{ nearMisses: 0.1 }` answers about a tenth of near misses (questions on the documents'
   * topics without an answer in them), half of these with a caution. A share from 0.02 to 0.3. Bands and lifetimes follow.
   * Without the collection's own scale, that of eight families of questions is used. It is a target and no promise:
   * docs/thresholds.md has the mean and spread of measured rates.
   *
   * @default thresholds are `refuseBelow` and `adviseBelow`
   */
  readonly refuse?: { readonly nearMisses: number }
  /**
   * Confidence below which an answer carries a caution, `refuseBelow`..1.
   *
   * @default 0.8
   */
  readonly adviseBelow?: number
  /**
   * Language of questions and passages.
   *
   * @default english
   */
  readonly language?: Language
}

/**
 * The default policy: a logistic confidence computed from the retrieved texts, not from retrieval scores, so that it works
 * over any index.
 *
 * If a collection has learned its own scale from its documents, the confidence is mapped by it. The policy is not calibrated
 * for a collection, and answers and refusals say so. Measured with each of eight families of questions held out of the fit
 * (docs/internal/evaluation.md), the default thresholds refuse 22 to 45 % of answerable questions and answer 1 to 35 % of
 * unanswerable ones, 0.1 to 12 % without a caution. The thresholds suit the worse families, and promise nothing for another
 * collection.
 *
 * @throws `policy_invalid` when a threshold or a share is out of range, or `refuse` is combined with `refuseBelow` or
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
