/** A confidence read on the collection's own scale. */
import type { AnswerSignals } from '../answer/answer-signals.ts'
import { recordedNumber } from '../lib/numbers.ts'
import type { Signals } from '../signals/measure.ts'
import { scale } from '../signals/scale.ts'
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
}

/**
 * A confidence on the scale that its collection has learned from its documents; where the collection has none, the
 * confidence as it is. The order of two questions never changes.
 */
export function scaled(
  of: PolicyConfidence,
  line: Pick<ScaledSettings, 'atMiddle' | 'perDeviation'>,
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
      if (!Number.isFinite(settings.atMiddle) || !(recordedNumber(settings.perDeviation) > 0)) {
        throw invalidConfidence(' needs atMiddle and perDeviation')
      }
    },
    reads: (settings: ScaledSettings) => [...(inner(settings).model.reads?.(settings.of) ?? []), scale],
    unscaled: inner,
    confidence: (settings: ScaledSettings, signals: Signals, answer?: AnswerSignals) => {
      const confidence = confidenceOf(inner(settings), signals, answer)
      return signals.scale ? onScale(settings, signals.scale, confidence) : confidence
    },
  })
}

/** A scale that is damaged, in a record or in a store, makes the confidence none: then the question is refused. */
function onScale(
  { atMiddle, perDeviation }: ScaledSettings,
  { middle, deviation }: NonNullable<Signals['scale']>,
  confidence: number,
): number {
  if (!(recordedNumber(deviation) > 0)) return NaN
  const deviations = (Math.log(confidence / (1 - confidence)) - recordedNumber(middle)) / deviation
  return 1 / (1 + Math.exp(-atMiddle - perDeviation * deviations))
}

/** Whether a policy reads its confidence on the collection's scale. */
export function readsScale({ reads }: Pick<Policy, 'reads'>): boolean {
  return reads.includes(scale)
}

/** The confidence as it is where no collection has a scale. */
export function unscaled(confidence: PolicyConfidence): PolicyConfidence {
  return confidence.model.unscaled?.(confidence.settings) ?? confidence
}
