/** Confidence models, which map signals to one number, 0..1. */
import { RagGateError } from '../../errors.ts'
import type { AnswerSignals } from '../answer/answer-signals.ts'
import { isCode } from '../gates/finding.ts'
import { isRecord } from '../lib/guards.ts'
import type { Signals } from '../signals/measure.ts'
import type { Signal } from '../signals/signal.ts'

/** Settings of a confidence model, as a policy stores them: plain data. */
export interface ConfidenceSettings {
  /** Kind of the model to which they belong. */
  readonly kind: string
}

/**
 * Computes a confidence from signals.
 *
 * @typeParam Settings its settings, with its `kind`
 */
export interface ConfidenceModel<Settings extends ConfidenceSettings = ConfidenceSettings> {
  /** Name of the model in settings. */
  readonly kind: Settings['kind']
  /** @throws `policy_invalid` when a member is missing or out of range */
  validate(settings: Settings): void
  /**
   * Pure.
   *
   * @param answer signals of the answer, once there is one and the policy judges it
   * @returns 0..1; `NaN` when a signal it needs is missing or not finite
   */
  confidence(settings: Settings, signals: Signals, answer?: AnswerSignals): number
  /** The signals that it needs. @default none */
  reads?(settings: Settings): readonly Signal[]
  /** Whether it uses a reader's scores if there are any. @default it does not */
  countsReader?(settings: Settings): boolean
  /** The inner confidence that it reads on a collection's scale. @default none */
  unscaled?(settings: Settings): PolicyConfidence
  /** How it was calibrated. @default not stated */
  calibration?(settings: Settings): Calibration | undefined
  /** Fields of a structured answer that it reads. @default none */
  answerFields?(settings: Settings): readonly string[]
}

/**
 * How a confidence was calibrated: `uncalibrated`, on other questions; `scaled`, additionally to the collection's documents;
 * `calibrated`, on labelled questions of the collection. Only the last promises an error rate.
 */
export type Calibration = 'uncalibrated' | 'scaled' | 'calibrated'

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
 * Confidence by the model of a policy, 0..1; `NaN` when a signal it needs is missing or not finite. A recorded scale counts
 * only where the policy reads one, as when the question was asked.
 */
export function confidenceOf({ model, settings }: PolicyConfidence, signals: Signals, answer?: AnswerSignals): number {
  return model.confidence(settings, model.unscaled ? signals : { ...signals, scale: null }, answer)
}

/** How a policy's confidence was calibrated; `undefined` if its model does not state it. */
export function calibrationOf({ model, settings }: PolicyConfidence, signals: Signals): Calibration | undefined {
  const said = model.calibration?.(settings)
  // A scale is recorded only under the confidence for which it was learned. The value goes into a header, so it is checked.
  return signals.scale ? 'scaled' : said && isCode(said) ? said : undefined
}

/** Settings of a model that contains another one. */
export interface OuterSettings extends ConfidenceSettings {
  readonly of: ConfidenceSettings
}

/**
 * The inner confidence of a model's settings.
 *
 * @param models allowed inner models
 * @throws `policy_invalid` for any other
 */
export function confidenceWithin(
  models: readonly ConfidenceModel[],
  { of: settings }: OuterSettings,
): PolicyConfidence {
  const model = models.find(({ kind }) => isRecord(settings) && kind === settings.kind)
  if (!model) throw invalidConfidence('.of names no known confidence')
  return { model, settings }
}

/** Methods that a model delegates to its inner model. @param models allowed inner models */
export function leftToInner(
  models: readonly ConfidenceModel[],
): Required<Pick<ConfidenceModel<OuterSettings>, 'countsReader' | 'calibration' | 'answerFields'>> {
  const asked =
    <Said>(ask: (inner: PolicyConfidence) => Said) =>
    (outer: OuterSettings): Said =>
      ask(confidenceWithin(models, outer))
  return {
    countsReader: asked(({ model, settings }) => model.countsReader?.(settings) === true),
    calibration: asked(({ model, settings }) => model.calibration?.(settings)),
    answerFields: asked(({ model, settings }) => model.answerFields?.(settings) ?? []),
  }
}

/** Error for invalid settings of a confidence model. @param problem follows the word `confidence` */
export function invalidConfidence(problem: string, param = 'confidence'): RagGateError {
  return new RagGateError('policy_invalid', `confidence${problem}`, { param })
}

/** Clips to 0..1; non-finite values become NaN. */
export function clipConfidence(value: number): number {
  if (!Number.isFinite(value)) return NaN
  return value > 1 ? 1 : value < 0 ? 0 : value
}
