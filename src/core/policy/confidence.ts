/** Confidence models: from signals to one number, 0..1. */
import { RagGateError } from '../../errors.ts'
import { advisoryFactors } from '../../presets/advisory/advisory-factors.ts'
import type { AnswerSignals } from '../answer/answer-signals.ts'
import { BM25_K1 } from '../text/bm25.ts'
import { TOP_GRADE } from '../evidence/grade.ts'
import { requireFieldNames } from '../gates/response-quality.ts'
import type { Signals } from '../signals/measure.ts'
import { isRecord } from '../lib/guards.ts'
import { TEXT_SIGNALS, type TextSignalName } from '../signals/index.ts'
import {
  validateWeightedSignals,
  weightedConfidence,
  type WeightedSignalsModel,
} from '../../presets/weighted-signals/weighted-confidence.ts'

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

/** How a confidence is made. */
export type ConfidenceModel =
  /** 1 / (1 + e^−z), z the intercept and the weighted sum of signals. */
  | (LogisticWeights & {
      readonly kind: 'logistic'
      /** Where the weights come from. */
      readonly provenance: string
      /**
       * Whether the model and the thresholds that go with it were fitted on questions of the collection that is asked.
       * Where they were not, no rate of false answers or refusals is promised.
       *
       * @default nothing is said about it
       */
      readonly calibrated?: boolean
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

/** @throws `policy_invalid` when the kind is unknown, or a member of the model is missing or not what its type says */
export function validateConfidenceModel(model: ConfidenceModel): void {
  // Read from a file it may be anything.
  const given: unknown = model
  if (!isRecord(given) || !KINDS.includes(model.kind)) throw invalid(`.kind must be one of ${KINDS.join(', ')}`)
  if (model.kind === 'weighted-signals') validateWeightedSignals(model)
  if (model.kind === 'advisory-factors') {
    for (const name of ['requiredFields', 'optionalFields'] as const) {
      requireFieldNames(`confidence.${name}`, model[name], 'confidence')
    }
  }
  if (model.kind !== 'logistic') return
  validateWeights(model)
  if (typeof model.provenance !== 'string') throw invalid('.provenance must say where the weights come from')
  if (model.calibrated !== undefined && typeof model.calibrated !== 'boolean')
    throw invalid('.calibrated must be true or false')
  const { lacking = [] } = model
  if (!Array.isArray(lacking)) throw invalid('.lacking must be a list of models')
  for (const each of lacking) validateLacking(each)
}

function validateLacking(model: LackingWeights): void {
  const missing: unknown = isRecord(model) ? model.missing : undefined
  if (!Array.isArray(missing) || missing.length === 0 || missing.some((part) => !PARTS.includes(part))) {
    throw invalid(`.lacking: missing must name some of ${PARTS.join(', ')}`)
  }
  validateWeights(model)
}

function validateWeights({ intercept, weights }: LogisticWeights): void {
  if (!isRecord(weights)) throw invalid('.weights must name signals')
  for (const [name, weight] of [['intercept', intercept] as const, ...Object.entries(weights)]) {
    if (!Number.isFinite(weight)) throw invalid(`: the weight of ${name} must be a finite number`)
  }
  const unknown = Object.keys(weights).find((name) => !Object.hasOwn(TEXT_SIGNALS, name))
  if (unknown !== undefined) throw invalid(`: there is no signal ${unknown}`)
}

function invalid(problem: string): RagGateError {
  return new RagGateError('policy_invalid', `confidence${problem}`, { param: 'confidence' })
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
      const { grade } = signals.curves
      if (grade === undefined) return clip(numberOf(signals, 'topBm25') / (BM25_K1 + 1))
      const best: unknown = grade.scores[0]
      return typeof best === 'number' ? clip(best / TOP_GRADE) : NaN
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
