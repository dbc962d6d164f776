/** A logistic model over the signals measured from text. */
import { lexiconChunkCount, TEXT_SIGNALS, topTitleTermCount } from '../signals/text-signals.ts'
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

/** A logistic model for evidence of which parts could not be measured. */
export interface LackingWeights extends LogisticWeights {
  /** Exactly what is missing, as `missingParts` says it. */
  readonly missing: readonly MeasuredPart[]
}

/**
 * What signals may have been measured without: `lexicon`, the collection's term statistics; `title`, the title of the
 * best chunk.
 */
export type MeasuredPart = 'lexicon' | 'title'

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
  /**
   * Models to use instead where parts are missing; where parts are missing and none of these fits, there is no
   * confidence.
   *
   * @default the one model is used, parts missing or not
   */
  readonly lacking?: readonly LackingWeights[]
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
    const { lacking = [] } = settings
    if (!Array.isArray(lacking)) throw invalidConfidence('.lacking must be a list of models')
    for (const each of lacking) validateLacking(each)
  },
  reads: ({ weights, lacking = [] }: LogisticSettings) => {
    const named = new Set([weights, ...lacking.map((fit) => fit.weights)].flatMap(Object.keys))
    const signals = Object.values(TEXT_SIGNALS).filter(({ name }) => named.has(name))
    return lacking.length === 0 ? signals : [...signals, lexiconChunkCount, topTitleTermCount]
  },
  calibration: ({ calibrated }: LogisticSettings) =>
    calibrated === undefined ? undefined : calibrated ? 'calibrated' : 'uncalibrated',
  confidence: (settings: LogisticSettings, signals: Signals) => {
    const fit = weightsFor(settings, signals)
    if (fit === undefined) return NaN
    let z = fit.intercept
    for (const [name, weight] of Object.entries(fit.weights))
      z += weight * recordedNumber(signals[name as TextSignalName])
    return 1 / (1 + Math.exp(-z))
  },
})

const PARTS: readonly MeasuredPart[] = ['lexicon', 'title']

function validateLacking(model: LackingWeights): void {
  const missing: unknown = isRecord(model) ? model.missing : undefined
  if (!Array.isArray(missing) || missing.length === 0 || missing.some((part) => !PARTS.includes(part))) {
    throw invalidConfidence(`.lacking: missing must name some of ${PARTS.join(', ')}`)
  }
  validateWeights(model)
}

function validateWeights({ intercept, weights }: LogisticWeights): void {
  if (!isRecord(weights)) throw invalidConfidence('.weights must name signals')
  for (const [name, weight] of [['intercept', intercept] as const, ...Object.entries(weights)]) {
    if (!Number.isFinite(weight)) throw invalidConfidence(`: the weight of ${name} must be a finite number`)
  }
  const unknown = Object.keys(weights).find((name) => !Object.hasOwn(TEXT_SIGNALS, name))
  if (unknown !== undefined) throw invalidConfidence(`: there is no signal ${unknown}`)
}

/**
 * What the signals were measured without, in a fixed order; a part of which nothing was recorded is missing, too.
 *
 * @returns nothing when all was there
 */
export function missingParts(signals: Signals): readonly MeasuredPart[] {
  const counts = { lexicon: signals.lexiconChunkCount, title: signals.topTitleTermCount }
  return PARTS.filter((part) => !(recordedNumber(counts[part]) > 0))
}

function weightsFor(model: LogisticSettings, signals: Signals): LogisticWeights | undefined {
  const missing = missingParts(signals)
  if (model.lacking === undefined || missing.length === 0) return model
  return model.lacking.find((fit) => PARTS.every((part) => fit.missing.includes(part) === missing.includes(part)))
}
