/** A confidence fitted to a collection: the log-odds of a general model, plus an adjustment learned from labels. */
import {
  clipConfidence,
  type ConfidenceModel,
  type ConfidenceSettings,
  invalidConfidence,
} from 'hono-rag-gate/core/policy'
import { isRecord } from 'hono-rag-gate/core/lib'
import { curves, type Signals } from 'hono-rag-gate/core/signals'
import { logOdds } from './log-odds.ts'
import { hasReaderScores, isOfReader, recordedMeasure, signalsOfMeasures } from './recorded-measures.ts'

/** The learned adjustment. */
export interface Adjustment {
  /** Added to the log-odds; any finite number. */
  readonly intercept: number
  /** Weight of each recorded measure, by its name in `recordedMeasure`; added to the log-odds per unit. */
  readonly weights: Readonly<Record<string, number>>
  /**
   * `general` keeps the general confidence for questions whose passages no reranker scored, so that a cascade skips the
   * same questions as without the adjustment.
   *
   * @default without a weighted measure there is no confidence
   */
  readonly unread?: 'general'
}

/** Settings of an adjusted confidence. */
export interface AdjustedSettings extends Adjustment {
  readonly kind: 'adjusted'
  /** The general confidence. */
  readonly base: ConfidenceSettings
  /** How it was fitted. */
  readonly provenance: string
}

/** Adjusted log-odds; `NaN` if a required measure was not recorded. */
export function adjustedLogOdds(general: number, { intercept, weights, unread }: Adjustment, signals: Signals): number {
  if (unread === 'general' && !hasReaderScores(signals)) return general
  let odds = general + intercept
  for (const [name, weight] of Object.entries(weights)) odds += weight * recordedMeasure(signals, name)
  return odds
}

/**
 * The confidence model of adjusted confidences.
 *
 * @param bases general models that may be adjusted, such as `logisticModel`
 */
export function adjustedModel(bases: readonly ConfidenceModel[]): ConfidenceModel<AdjustedSettings> {
  const baseOf = ({ base }: AdjustedSettings): ConfidenceModel => {
    const model = isRecord(base) ? bases.find(({ kind }) => kind === (base as ConfidenceSettings).kind) : undefined
    if (model === undefined) throw invalidConfidence('.base names no general confidence that is known here')
    return model
  }
  return Object.freeze({
    kind: 'adjusted' as const,
    validate: (settings: AdjustedSettings) => {
      baseOf(settings).validate(settings.base)
      if (typeof settings.provenance !== 'string') {
        throw invalidConfidence('.provenance must say from what it was fitted')
      }
      if (settings.unread !== undefined && settings.unread !== 'general') {
        throw invalidConfidence('.unread must be general or left out')
      }
      if (!isRecord(settings.weights)) throw invalidConfidence('.weights must name recorded numbers')
      for (const [name, weight] of [['intercept', settings.intercept] as const, ...Object.entries(settings.weights)]) {
        if (!Number.isFinite(weight)) throw invalidConfidence(`: the weight of ${name} must be a finite number`)
      }
    },
    reads: (settings: AdjustedSettings) => {
      const ofBase = baseOf(settings).reads?.(settings.base) ?? []
      const weighed = signalsOfMeasures(Object.keys(settings.weights))
      // The curves show whether a reranker scored the passages.
      return settings.unread === undefined ? [...ofBase, ...weighed] : [...ofBase, ...weighed, curves]
    },
    calibration: () => 'calibrated' as const,
    countsReader: ({ unread, weights }: AdjustedSettings) =>
      unread !== undefined || Object.keys(weights).some(isOfReader),
    confidence: (settings: AdjustedSettings, signals: Signals) => {
      const general = baseOf(settings).confidence(settings.base, signals)
      return clipConfidence(1 / (1 + Math.exp(-adjustedLogOdds(logOdds(general), settings, signals))))
    },
  })
}
