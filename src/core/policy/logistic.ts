/** A logistic regression model over the signals measured from text. */
import { TEXT_SIGNALS, type TextSignalName } from '../signals/text-signals.ts'
import { recordedNumber } from '../lib/numbers.ts'
import { boolean, group, type OptionKind, type OptionKinds, required, requireOptions, string } from '../lib/options.ts'
import type { Signals } from '../signals/measure.ts'
import { confidenceBy, type ConfidenceModel, type PolicyConfidence } from './confidence.ts'

/** Coefficients of a logistic model. */
export interface LogisticWeights {
  /** Added to the weighted sum; any finite number. */
  readonly intercept: number
  /** Weight of each signal, any finite number; 0 for signals not named. */
  readonly weights: Readonly<Partial<Record<TextSignalName, number>>>
}

/** Settings of the logistic model. */
export interface LogisticSettings extends LogisticWeights {
  readonly kind: 'logistic'
  /** Where the weights come from. */
  readonly provenance: string
  /**
   * Whether the model and its thresholds were fitted on labelled questions of the collection. If not, no error rate is
   * promised.
   *
   * @default not stated
   */
  readonly calibrated?: boolean
}

/**
 * The confidence 1 / (1 + e^−z), where z is the intercept plus the weighted sum of signals.
 *
 * @throws `policy_invalid`
 */
export function logistic(settings: Omit<LogisticSettings, 'kind'>): PolicyConfidence {
  return confidenceBy(logisticModel, { kind: 'logistic', ...settings })
}

const WEIGHT: OptionKind = { words: 'a finite number', holds: Number.isFinite }
const SETTINGS: OptionKinds<LogisticSettings> = {
  kind: required(string),
  intercept: required(WEIGHT),
  weights: required(group(Object.fromEntries(Object.keys(TEXT_SIGNALS).map((name) => [name, WEIGHT])))),
  provenance: required(string),
  calibrated: boolean,
}

/** The model behind `logistic`. */
export const logisticModel: ConfidenceModel<LogisticSettings> = Object.freeze({
  kind: 'logistic',
  validate: (settings: LogisticSettings) => requireOptions(settings, SETTINGS, 'policy_invalid', 'confidence'),
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
