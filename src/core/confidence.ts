/** Confidence models: from signals to one number, 0..1. */
import { RagGateError } from '../errors.ts'
import { advisoryFactors } from './advisory-factors.ts'
import type { AnswerSignals } from './answer-signals.ts'
import type { Signals } from './measure.ts'
import { TEXT_SIGNALS, type TextSignalName } from './signals/index.ts'
import { validateWeightedSignals, weightedConfidence, type WeightedSignalsModel } from './weighted-confidence.ts'

/** The numbers of a logistic model. */
export interface LogisticWeights {
  readonly intercept: number
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

/** How a confidence is made. */
export type ConfidenceModel =
  /** 1 / (1 + e^−z), z the intercept and the weighted sum of signals. */
  | (LogisticWeights & {
      readonly kind: 'logistic'
      /** Where the weights come from. */
      readonly provenance: string
      /**
       * Models to use instead where parts are missing; where parts are missing and none of these fits, there is no
       * confidence.
       *
       * @default the one model is used whatever is missing
       */
      readonly lacking?: readonly LackingWeights[]
    })
  /** The best raw cosine, clipped to 0..1. */
  | { readonly kind: 'top-cosine' }
  /** The best grade of a reranker as a share of 3; without grades, the best BM25 as a share of what it can reach. */
  | { readonly kind: 'top-relevance' }
  /** The weighted sum of seven retrieval signals. */
  | WeightedSignalsModel
  /** Retrieval, source and response quality, added up; before there is an answer, the first alone. */
  | {
      readonly kind: 'advisory-factors'
      readonly requiredFields: readonly string[]
      readonly optionalFields: readonly string[]
    }

const PARTS: readonly MeasuredPart[] = ['lexicon', 'title']
const KINDS: readonly string[] = [
  'logistic',
  'top-cosine',
  'top-relevance',
  'weighted-signals',
  'advisory-factors',
] satisfies ConfidenceModel['kind'][]

/** @throws `policy_invalid` when the kind is unknown, or a weight is not finite or names no signal */
export function validateConfidenceModel(model: ConfidenceModel): void {
  if (!KINDS.includes(model.kind)) {
    throw new RagGateError('policy_invalid', `confidence.kind must be one of ${KINDS.join(', ')}`, {
      param: 'confidence',
    })
  }
  if (model.kind === 'weighted-signals') validateWeightedSignals(model)
  if (model.kind !== 'logistic') return
  validateWeights(model)
  for (const lacking of model.lacking ?? []) {
    if (lacking.missing.length === 0 || lacking.missing.some((part) => !PARTS.includes(part))) {
      throw new RagGateError('policy_invalid', `confidence.lacking: missing must name some of ${PARTS.join(', ')}`, {
        param: 'confidence',
      })
    }
    validateWeights(lacking)
  }
}

function validateWeights(model: LogisticWeights): void {
  const weights = Object.entries(model.weights)
  for (const [name, weight] of [['intercept', model.intercept] as const, ...weights]) {
    if (!Number.isFinite(weight)) {
      throw new RagGateError('policy_invalid', `confidence: the weight of ${name} must be a finite number`, {
        param: 'confidence',
      })
    }
  }
  for (const [name] of weights) {
    if (!Object.hasOwn(TEXT_SIGNALS, name)) {
      throw new RagGateError('policy_invalid', `confidence: there is no signal ${name}`, { param: 'confidence' })
    }
  }
}

/**
 * What the signals were measured without, in a fixed order; a part of which nothing was recorded is missing, too.
 *
 * @returns nothing when all was there
 */
export function missingParts(signals: Signals): readonly MeasuredPart[] {
  const counts = { lexicon: signals.lexiconChunkCount, title: signals.topTitleTermCount }
  return PARTS.filter((part) => !(counts[part] > 0))
}

function weightsFor(model: Extract<ConfidenceModel, LogisticWeights>, signals: Signals): LogisticWeights | undefined {
  const missing = missingParts(signals)
  if (model.lacking === undefined || missing.length === 0) return model
  return model.lacking.find((fit) => PARTS.every((part) => fit.missing.includes(part) === missing.includes(part)))
}

/** Confidence by a model, 0..1; `NaN` when a signal it needs is missing or not finite. */
export function confidenceOf(model: ConfidenceModel, signals: Signals, answer?: AnswerSignals): number {
  switch (model.kind) {
    case 'logistic': {
      const fit = weightsFor(model, signals)
      if (fit === undefined) return NaN
      let z = fit.intercept
      for (const [name, weight] of Object.entries(fit.weights)) z += weight * numberOf(signals, name)
      return 1 / (1 + Math.exp(-z))
    }
    case 'top-cosine':
      return clip(signals.curves.cosine?.scores[0] ?? NaN)
    case 'top-relevance': {
      const grade = signals.curves.grade?.scores[0]
      return clip(grade === undefined ? signals.topBm25 / 2.2 : grade / 3)
    }
    case 'weighted-signals':
      return weightedConfidence(model, signals)
    case 'advisory-factors':
      return clip(advisoryFactors(model, signals, answer).confidence)
  }
}

function numberOf(signals: Signals, name: string): number {
  const value: unknown = signals[name as TextSignalName]
  return typeof value === 'number' && Number.isFinite(value) ? value : NaN
}

/** What is not a finite number becomes NaN. */
function clip(value: number): number {
  if (!Number.isFinite(value)) return NaN
  return value > 1 ? 1 : value < 0 ? 0 : value
}
