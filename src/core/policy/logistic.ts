/** A logistic model over the signals measured from text. */
import { TEXT_SIGNALS } from '../signals/text-signals.ts'
import { isRecord } from '../lib/guards.ts'
import { recordedNumber } from '../lib/numbers.ts'
import type { Signals } from '../signals/measure.ts'
import { confidenceBy, type ConfidenceModel, invalidConfidence } from './confidence.ts'
import type { PolicyConfidence } from './confidence.ts'
import type { TextSignalName } from '../signals/text-signals.ts'

/** The numbers of a logistic model. */
export interface LogisticWeights {
  /** Added to the weighted sum; any finite number. */
  readonly intercept: number
  /** Weight of each signal, any finite number; a signal that is not named has none. */
  readonly weights: Readonly<Partial<Record<TextSignalName, number>>>
}

/** Settings of the logistic model. */
export interface LogisticSettings extends LogisticWeights {
  readonly kind: 'logistic'
  /** Where the weights come from. */
  readonly provenance: string
  /**
   * Whether the model and the thresholds that go with it were fitted on questions of the collection that is asked. Where
   * they were not, no rate of false answers or refusals is promised.
   *
   * @default nothing is said about it
   */
  readonly calibrated?: boolean
}

/**
 * A confidence of 1 / (1 + e^−z), z the intercept and the weighted sum of signals.
 *
 * @throws `policy_invalid`
 */
export function logistic(settings: Omit<LogisticSettings, 'kind'>): PolicyConfidence {
  return confidenceBy(logisticModel, { kind: 'logistic', ...settings })
}

/** The model behind `logistic`. */
export const logisticModel: ConfidenceModel<LogisticSettings> = Object.freeze({
  kind: 'logistic',
  validate: (settings: LogisticSettings) => {
    validateWeights(settings)
    if (typeof settings.provenance !== 'string') {
      throw invalidConfidence('.provenance must say where the weights come from')
    }
    if (settings.calibrated !== undefined && typeof settings.calibrated !== 'boolean') {
      throw invalidConfidence('.calibrated must be true or false')
    }
  },
  reads: ({ weights }: LogisticSettings) =>
    Object.values(TEXT_SIGNALS).filter(({ name }) => Object.hasOwn(weights, name)),
  calibration: ({ calibrated }: LogisticSettings) =>
    calibrated === undefined ? undefined : calibrated ? 'calibrated' : 'uncalibrated',
  confidence: (settings: LogisticSettings, signals: Signals) => {
    let z = settings.intercept
    for (const [name, weight] of Object.entries(settings.weights))
      z += weight * recordedNumber(signals[name as TextSignalName])
    return 1 / (1 + Math.exp(-z))
  },
})

function validateWeights({ intercept, weights }: LogisticWeights): void {
  if (!isRecord(weights)) throw invalidConfidence('.weights must name signals')
  for (const [name, weight] of [['intercept', intercept] as const, ...Object.entries(weights)]) {
    if (!Number.isFinite(weight)) throw invalidConfidence(`: the weight of ${name} must be a finite number`)
  }
  const unknown = Object.keys(weights).find((name) => !Object.hasOwn(TEXT_SIGNALS, name))
  if (unknown !== undefined) throw invalidConfidence(`: there is no signal ${unknown}`)
}
