/** Confidence models: from signals to one number, 0..1. */
import { RagGateError } from '../../errors.ts'
import type { AnswerSignals } from '../answer/answer-signals.ts'
import type { PartSignals, Signals } from '../signals/measure.ts'

/** Settings of a confidence model, as a policy stores them: plain data. */
export interface ConfidenceSettings {
  /** Kind of the model that they are for. */
  readonly kind: string
}

/**
 * One way to make a confidence.
 *
 * @typeParam Settings what it is set to, with `kind` naming it
 */
export interface ConfidenceModel<Settings extends ConfidenceSettings = ConfidenceSettings> {
  /** As its settings name it. */
  readonly kind: Settings['kind']
  /** @throws `policy_invalid` when a member is missing or out of range */
  validate(settings: Settings): void
  /**
   * Pure.
   *
   * @param answer what was measured of the answer, once there is one and the policy judges it
   * @returns 0..1; `NaN` when a signal it needs is missing or not finite
   */
  confidence(settings: Settings, signals: Signals, answer?: AnswerSignals): number
  /** Whether it counts the scores of a reader where there are any. @default it does not */
  countsReader?(settings: Settings): boolean
  /** Fields of a structured answer that it looks at. @default none */
  answerFields?(settings: Settings): readonly string[]
}

/** A confidence model with its settings, as a policy uses it. */
export interface PolicyConfidence {
  readonly model: ConfidenceModel
  readonly settings: ConfidenceSettings
}

/**
 * A confidence model with settings, checked.
 *
 * @throws `policy_invalid`
 */
export function confidenceBy<Settings extends ConfidenceSettings>(
  model: ConfidenceModel<Settings>,
  settings: Settings,
): PolicyConfidence {
  model.validate(settings)
  return Object.freeze({ model, settings })
}

/**
 * How much weaker than the whole a part may be where the whole is supported: a part is measured against what was found
 * for the whole, and often leans on it. Foreign parts lie far below (docs/evasion.md).
 */
const PART_FACTOR = 2

/** The same of stretches: one of a few words says less, and fits worse where a long question is supported. */
const STRETCH_FACTOR = 6

/**
 * Confidence by the model of a policy, 0..1; `NaN` when a signal it needs is missing or not finite. Of a question of
 * several parts the weakest decides: the confidence is that of the weakest part, or where the whole is supported better,
 * that of the whole, but at most twice that of the weakest part. It is at most six times that of the
 * weakest stretch of a long part.
 */
export function confidenceOf({ model, settings }: PolicyConfidence, signals: Signals, answer?: AnswerSignals): number {
  const whole = model.confidence(settings, signals, answer)
  const { parts = [], stretches = [] } = signals
  // A record may be damaged.
  if (!Array.isArray(parts) || !Array.isArray(stretches)) return NaN
  const weakest = (pieces: readonly PartSignals[]): number =>
    Math.min(...pieces.map((piece) => model.confidence(settings, { ...signals, ...piece }, answer)))
  const ofParts = parts.length === 0 ? whole : Math.max(weakest(parts), Math.min(whole, PART_FACTOR * weakest(parts)))
  return stretches.length === 0 ? ofParts : Math.min(ofParts, STRETCH_FACTOR * weakest(stretches))
}

/** The error of a confidence model whose settings are wrong. @param problem follows the word `confidence` */
export function invalidConfidence(problem: string, param = 'confidence'): RagGateError {
  return new RagGateError('policy_invalid', `confidence${problem}`, { param })
}

/** What is not a finite number becomes NaN; the rest is held within 0..1. */
export function clipConfidence(value: number): number {
  if (!Number.isFinite(value)) return NaN
  return value > 1 ? 1 : value < 0 ? 0 : value
}
