/** Confidence models: from signals to one number, 0..1. */
import { RagGateError } from '../../errors.ts'
import type { AnswerSignals } from '../answer/answer-signals.ts'
import { isCode } from '../gates/finding.ts'
import { isRecord } from '../lib/guards.ts'
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
  /** The confidence that it reads on a collection's scale. @default it reads none */
  unscaled?(settings: Settings): PolicyConfidence
  /** On what it rests. @default nothing is said about it */
  calibration?(settings: Settings): Calibration | undefined
  /** Fields of a structured answer that it looks at. @default none */
  answerFields?(settings: Settings): readonly string[]
}

/**
 * On what a confidence rests: `uncalibrated`, questions from elsewhere; `scaled`, those and the collection's own documents;
 * `calibrated`, labelled questions of the collection. Only labels promise a rate.
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

/** Confidence by the model of a policy, 0..1; `NaN` when a signal it needs is missing or not finite. */
export function confidenceOf({ model, settings }: PolicyConfidence, signals: Signals, answer?: AnswerSignals): number {
  return model.confidence(settings, signals, answer)
}

/** On what the confidence of a policy rests; `undefined` where its model says nothing about it. */
export function calibrationOf({ model, settings }: PolicyConfidence, signals: Signals): Calibration | undefined {
  const said = model.calibration?.(settings)
  // Recorded only under the policy that it was learned for. It stands in a header: a model without types may say anything.
  return signals.scale ? 'scaled' : said && isCode(said) ? said : undefined
}

/** Settings of a model that asks another one. */
export interface OuterSettings extends ConfidenceSettings {
  readonly of: ConfidenceSettings
}

/**
 * The confidence within the settings of another.
 *
 * @param models those that may be there
 * @throws `policy_invalid` for any other
 */
export function confidenceWithin(
  models: readonly ConfidenceModel[],
  { of: settings }: OuterSettings,
): PolicyConfidence {
  const model = models.find(({ kind }) => isRecord(settings) && kind === settings.kind)
  if (model === undefined) throw invalidConfidence('.of names no known confidence')
  return { model, settings }
}

/** What a model leaves to the one within its settings. @param models those that may be there */
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

/** The error of a confidence model whose settings are wrong. @param problem follows the word `confidence` */
export function invalidConfidence(problem: string, param = 'confidence'): RagGateError {
  return new RagGateError('policy_invalid', `confidence${problem}`, { param })
}

/** What is not a finite number becomes NaN; the rest is held within 0..1. */
export function clipConfidence(value: number): number {
  if (!Number.isFinite(value)) return NaN
  return value > 1 ? 1 : value < 0 ? 0 : value
}
