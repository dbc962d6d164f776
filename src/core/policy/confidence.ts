/** Confidence models: from signals to one number, 0..1. */
import { RagGateError } from '../../errors.ts'
import type { AnswerSignals } from '../answer/answer-signals.ts'
import type { Signals } from '../signals/measure.ts'
import type { Signal } from '../signals/signal.ts'

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
  /** The signals that it reads: they are measured for it. @default none */
  reads?(settings: Settings): readonly Signal[]
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

/** Confidence by the model of a policy, 0..1; `NaN` when a signal it needs is missing or not finite. */
export function confidenceOf({ model, settings }: PolicyConfidence, signals: Signals, answer?: AnswerSignals): number {
  return model.confidence(settings, signals, answer)
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
