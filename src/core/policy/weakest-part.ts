/** Confidence of a question with several parts. */
import type { AnswerSignals } from '../answer/answer-signals.ts'
import type { PartSignals, Signals } from '../signals/measure.ts'
import { byLength, REFUSED_BELOW } from '../scale/scale.ts'
import { piecesOf } from '../signals/question-pieces.ts'
import { questionTermCount } from '../signals/text-signals.ts'
import {
  confidenceBy,
  confidenceWithin,
  leftToInner,
  type ConfidenceModel,
  type ConfidenceSettings,
  type PolicyConfidence,
} from './confidence.ts'

/** Settings of the model. */
export interface WeakestPartSettings {
  readonly kind: 'weakest-part'
  /** The confidence computed for the whole and for each part. */
  readonly of: ConfidenceSettings
}

/**
 * Limits the confidence of a question by its parts. It is that of the weakest part or, if higher, that of the whole, but then
 * in log-odds at most 1.18 above any part, and not above a part of which the best passage contains no term. It is at most
 * 2 above that of an end that is missing from the best passage, and at most that of the text beside copied words, because
 * these support only themselves. If the collection's scale has a refuse threshold below even odds, both margins are smaller.
 * With a scale, each piece is adjusted for its own length (`byLength`).
 *
 * @param of the confidence of the whole and of each part
 */
export function weakestPart(of: PolicyConfidence): PolicyConfidence {
  return confidenceBy(weakestPartModel([of.model]), { kind: 'weakest-part', of: of.settings })
}

/**
 * How much lower than the whole the confidence of a part may be, in log-odds. A part is measured against evidence found for
 * the whole, and often depends on it. This is the distance between the thresholds .55 and .8, so that a question with a part
 * that would be refused alone never gets an answer without a caution.
 */
const ABOVE_PART = 1.18

/** The same for an end that is missing from the best passage; larger, because a few words say less. */
const ABOVE_END = 2

/**
 * Largest factor of these margins with a collection's scale. If its refuse threshold is below even odds, unsupported pieces
 * would otherwise be raised above it, so the factor is smaller. Above 1, because pieces have lower values on a scale.
 */
const MOST_SHARE = 1.2

/**
 * The model behind `weakestPart`.
 *
 * @param models allowed inner models, such as `logisticModel`
 */
export function weakestPartModel(models: readonly ConfidenceModel[]): ConfidenceModel<WeakestPartSettings> {
  const inner = (settings: WeakestPartSettings): PolicyConfidence => confidenceWithin(models, settings)
  return Object.freeze({
    kind: 'weakest-part' as const,
    ...leftToInner(models),
    validate: (settings: WeakestPartSettings) => inner(settings).model.validate(settings.of),
    reads: (settings: WeakestPartSettings) => {
      const reads = inner(settings).model.reads?.(settings.of) ?? []
      return [...reads, ...piecesOf([...reads, questionTermCount])]
    },
    confidence: (settings: WeakestPartSettings, signals: Signals, answer?: AnswerSignals) => {
      const { parts, stretches, scale, questionTermCount: all } = signals
      // A record may be damaged.
      if (!Array.isArray(parts) || !Array.isArray(stretches)) return NaN
      const { model } = inner(settings)
      const whole = model.confidence(settings.of, signals, answer)
      const of = (piece: PartSignals): number => {
        const confidence = model.confidence(settings.of, { ...signals, ...piece }, answer)
        // With a scale, a piece is adjusted for its own length.
        return scale ? raised(confidence, byLength(-byLength(0, all), piece['questionTermCount'] || all)) : confidence
      }
      const share = (piece: PartSignals): number => {
        if (!scale) return 1
        const refused = byLength(-scale.middle - REFUSED_BELOW * scale.deviation, piece['questionTermCount'] || all)
        return Math.min(MOST_SHARE, 2 / (1 + Math.exp(refused)))
      }
      const confidences = parts.map(of)
      const lifted = parts.map((part, at) => raised(confidences[at]!, ABOVE_PART * (part.leans ?? 0) * share(part)))
      const ofParts = parts.length === 0 ? whole : Math.max(Math.min(...confidences), Math.min(whole, ...lifted))
      const besideQuoted = stretches.filter((end) => end.besideQuoted).map(of)
      const ofEnds = stretches.map((end) => raised(of(end), ABOVE_END * share(end)))
      return Math.min(ofParts, ...besideQuoted, ...ofEnds)
    },
  })
}

/** Raises a share by an amount in log-odds. */
function raised(share: number, by: number): number {
  return share / (share + (1 - share) * Math.exp(-by))
}
