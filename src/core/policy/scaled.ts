/** A confidence read on the collection's own scale. */
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
  confidenceOf,
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
  /** The confidence that is read. */
  readonly of: ConfidenceSettings
  /** Log-odds that are read at the median of what the collection cannot answer. */
  readonly atMiddle: number
  /** Log-odds for each deviation above it, above 0. */
  readonly perDeviation: number
  /** The scale of collections that have none. @default the confidence is read as it is */
  readonly otherwise?: ConfidenceScale
}

/**
 * A confidence on the scale that its collection has learned from its documents; where the collection has none, on
 * `otherwise`, or as it is. Where the scale reads a score of meaning, that speaks for a question beside its words; by words
 * alone the order of two questions of the same length never changes.
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
 * @param models those that may be read on a scale, such as `weakestPartModel`
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
      const confidence = confidenceOf(inner(settings), signals, answer)
      const own = signals.scale ?? settings.otherwise
      if (!own) return confidence
      // The score is one of the whole question: it says nothing of parts, and does not make up for what a piece lacks.
      const { meaning } = own
      const isOne = signals.parts?.length === 0
      const score = isOne && meaning ? signals.curves?.[meaning.kind as ScoreKind]?.scores[0] : undefined
      const whole = confidenceOf(inner(settings), { ...signals, stretches: [] }, answer)
      const odds = logOdds(confidence)
      const lacking = (logOdds(whole) - odds) / own.deviation
      const deviations = deviationsOn(own, byLength(odds, signals.questionTermCount), score, lacking)
      return 1 / (1 + Math.exp(-settings.atMiddle - settings.perDeviation * deviations))
    },
  })
}

/** Whether a policy reads its confidence on the collection's scale. */
export function readsScale({ reads }: Pick<Policy, 'reads'>): boolean {
  return reads.includes(scale)
}

/** The confidence as it is where no collection has a scale. */
export function unscaled(confidence: PolicyConfidence): PolicyConfidence {
  return confidence.model.unscaled?.(confidence.settings) ?? confidence
}
