/** The confidence of a question of several parts. */
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
  /** The confidence that is asked of the whole and of each part. */
  readonly of: ConfidenceSettings
}

/**
 * Of a question of several parts the weakest decides: the confidence is that of the weakest part, or where the whole is
 * supported better, that of the whole, but in log-odds at most 1.18 above any part. Above a part of which the passage that
 * supports the whole best holds nothing, it is not lifted. It is at most 2 above an end that this passage does not hold; all
 * of it less where its collection's scale answers below even odds. It is at most that of what stands beside a quotation: what
 * was quoted supports the quotation.
 * On a scale each piece is read by its own length (`byLength`).
 *
 * @param of the confidence of the whole and of each part
 */
export function weakestPart(of: PolicyConfidence): PolicyConfidence {
  return confidenceBy(weakestPartModel([of.model]), { kind: 'weakest-part', of: of.settings })
}

/**
 * How much weaker than the whole a part may be where the whole is supported, in log-odds: a part is measured against what was
 * found for the whole, and often leans on it. It is what lies between the thresholds .55 and .8: a part that would be refused by
 * itself gets no answer without a caution.
 */
const ABOVE_PART = 1.18

/** The same of an end that the best passage does not hold: of a few words, it says less. */
const ABOVE_END = 2

/**
 * Share of these lifts that counts on a collection's scale, at most: where it answers below even odds, what nothing supports
 * would be lifted above that, and the lifts are less by as much. Above 1, for pieces are read lower there.
 */
const MOST_SHARE = 1.2

/**
 * The model behind `weakestPart`.
 *
 * @param models those that may be asked of parts, such as `logisticModel`
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
        // On a scale a piece is read by its own length.
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

/** A share whose log-odds are that much higher. */
function raised(share: number, by: number): number {
  return share / (share + (1 - share) * Math.exp(-by))
}
