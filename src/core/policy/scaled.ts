/** Confidence mapped by the collection's own scale. */
import type { AnswerSignals } from '../answer/answer-signals.ts'
import type { ScoreKind } from '../evidence/chunk.ts'
import { recordedNumber } from '../lib/numbers.ts'
import type { Signals } from '../signals/measure.ts'
import { byLength, type ConfidenceScale, deviationsOf, deviationsOn, logOdds } from '../scale/scale.ts'
import { scale } from '../signals/scale.ts'
import { curves } from '../signals/score-curves.ts'
import { questionTermCount } from '../signals/text-signals.ts'
import {
  confidenceBy,
  type ConfidenceModel,
  type ConfidenceSettings,
  confidenceWithin,
  invalidConfidence,
  leftToInner,
  type PolicyConfidence,
} from './confidence.ts'
import type { Policy } from './policy.ts'

/** Settings of the model. */
export interface ScaledSettings {
  readonly kind: 'scaled'
  /** The inner confidence. */
  readonly of: ConfidenceSettings
  /** Log-odds to which the median of the scale (unanswerable windows) is mapped. */
  readonly atMiddle: number
  /** Log-odds per standard deviation above it, above 0. */
  readonly perDeviation: number
  /** The scale for collections without their own. @default the confidence is unchanged */
  readonly otherwise?: ConfidenceScale
}

/**
 * Maps a confidence by the scale that the collection learned from its documents; without one, by `otherwise`, or not at all.
 * If the scale includes a score of meaning, such as a cosine, that score can support a question too. With words only, the
 * order of two questions of the same length never changes.
 */
export function scaled(
  of: PolicyConfidence,
  line: Pick<ScaledSettings, 'atMiddle' | 'perDeviation' | 'otherwise'>,
): PolicyConfidence {
  return confidenceBy(scaledModel([of.model]), { kind: 'scaled', of: of.settings, ...line })
}

/**
 * The model behind `scaled`.
 *
 * @param models allowed inner models, such as `weakestPartModel`
 */
export function scaledModel(models: readonly ConfidenceModel[]): ConfidenceModel<ScaledSettings> {
  const inner = (settings: ScaledSettings): PolicyConfidence => confidenceWithin(models, settings)
  return Object.freeze({
    ...leftToInner(models),
    kind: 'scaled' as const,
    validate: (settings: ScaledSettings) => {
      inner(settings).model.validate(settings.of)
      const { atMiddle, perDeviation, otherwise = { middle: 0, deviation: 1 } } = settings
      if (!Number.isFinite(deviationsOf(otherwise, recordedNumber(atMiddle))) || !(recordedNumber(perDeviation) > 0)) {
        throw invalidConfidence(' has a wrong scale')
      }
    },
    reads: (settings: ScaledSettings) => [
      ...(inner(settings).model.reads?.(settings.of) ?? []),
      scale,
      questionTermCount,
      curves,
    ],
    unscaled: inner,
    confidence: (settings: ScaledSettings, signals: Signals, answer?: AnswerSignals) => {
      const { model } = inner(settings)
      const confidence = model.confidence(settings.of, signals, answer)
      const own = signals.scale ?? settings.otherwise
      if (!own) return confidence
      // The score is for the whole question, so it is not used for parts, and cannot compensate for a weak piece.
      const { meaning } = own
      const isOne = signals.parts?.length === 0
      const score = isOne ? signals.curves?.[meaning?.kind as ScoreKind]?.scores[0] : undefined
      const whole = model.confidence(settings.of, { ...signals, stretches: [] }, answer)
      const odds = logOdds(confidence)
      const lacking = (logOdds(whole) - odds) / own.deviation
      const deviations = deviationsOn(own, byLength(odds, signals.questionTermCount), score, lacking)
      return 1 / (1 + Math.exp(-settings.atMiddle - settings.perDeviation * deviations))
    },
  })
}

/** Whether a policy uses the collection's scale. */
export function readsScale({ reads }: Pick<Policy, 'reads'>): boolean {
  return reads.includes(scale)
}

/** The confidence without any scale. */
export function unscaled(confidence: PolicyConfidence): PolicyConfidence {
  return confidence.model.unscaled?.(confidence.settings) ?? confidence
}
