/** The three factors of an advisory confidence. They are capped where they arise, and added up. */
import { RELEVANCE_KINDS, scoreShare } from 'hono-rag-gate/core/evidence'
import { clipConfidence, confidenceBy, type ConfidenceModel, type PolicyConfidence } from 'hono-rag-gate/core/policy'
import { required, requireOptions, string } from 'hono-rag-gate/core/lib'
import type { AnswerSignals, SourceKind } from 'hono-rag-gate/core/answer'
import { BM25_K1 } from 'hono-rag-gate/core/text'
import { curves as curvesSignal, type Signals, TEXT_SIGNALS } from 'hono-rag-gate/core/signals'
import { FIELD_NAMES, responseQualityOf } from './response-quality.ts'

/** The factors, and their sum. A factor that cannot be told is not a number. */
export interface AdvisoryFactors {
  /** 0..0.4. */
  readonly retrievalQuality: number
  /** 0..0.3; 0 before there is an answer. */
  readonly sourceQuality: number
  /** 0..0.3; 0 before there is an answer. */
  readonly responseQuality: number
  /** 0..1. */
  readonly confidence: number
}

/** Quality of a source, by its kind. */
const SOURCE_QUALITY: Readonly<Record<SourceKind, number>> = Object.freeze({
  government: 0.3,
  regulatory: 0.25,
  'market-data': 0.2,
  'third-party': 0.1,
  unknown: 0,
})

/** Settings of the confidence model: the fields that a structured answer is held against. */
export interface AdvisoryFactorsSettings {
  readonly kind: 'advisory-factors'
  readonly requiredFields: readonly string[]
  readonly optionalFields: readonly string[]
}

/** Retrieval, source and response quality, added up; before there is an answer, the first alone. */
export function advisoryFactorsConfidence(fields: Omit<AdvisoryFactorsSettings, 'kind'>): PolicyConfidence {
  return confidenceBy(advisoryFactorsModel, { kind: 'advisory-factors', ...fields })
}

/** The model behind `advisoryFactorsConfidence`. */
export const advisoryFactorsModel: ConfidenceModel<AdvisoryFactorsSettings> = Object.freeze({
  kind: 'advisory-factors',
  validate: (settings: AdvisoryFactorsSettings) => {
    const names = required(FIELD_NAMES)
    const kinds = { kind: required(string), requiredFields: names, optionalFields: names }
    requireOptions(settings, kinds, 'policy_invalid', 'confidence')
  },
  reads: () => [curvesSignal, TEXT_SIGNALS.topBm25],
  confidence: (settings: AdvisoryFactorsSettings, signals: Signals, answer?: AnswerSignals) =>
    clipConfidence(advisoryFactors(settings, signals, answer).confidence),
  answerFields: ({ requiredFields, optionalFields }: AdvisoryFactorsSettings) => [...requiredFields, ...optionalFields],
})

/** The factors of a question, and of its answer when there is one. */
export function advisoryFactors(
  fields: { readonly requiredFields: readonly string[]; readonly optionalFields: readonly string[] },
  signals: Signals,
  answer?: AnswerSignals,
): AdvisoryFactors {
  const retrieval = retrievalQuality(signals)
  const source = answer === undefined ? 0 : sourceQuality(answer.citedSources)
  const response = answer === undefined ? 0 : (responseQualityOf(fields, answer) ?? NaN)
  return {
    retrievalQuality: retrieval,
    sourceQuality: source,
    responseQuality: response,
    confidence: calculateConfidence(retrieval, source, response),
  }
}

/**
 * The factors added up and held within 0..1; not a number when one of them is none.
 *
 * @see docs/internal/differences.md: the printed formula weighs them twice
 */
export function calculateConfidence(retrieval: number, source: number, response: number): number {
  const sum = retrieval + source + response
  // .4 + .2 + .1 must not come out below .7: what is added up from tenths is rounded to a trillionth.
  return Math.max(0, Math.min(1, Math.round(sum * 1e12) / 1e12))
}

/** From where on relevance is high, and medium, in the specification's words; below it is low. */
const HIGH_FROM = 0.7
const MEDIUM_FROM = 0.5

/**
 * Quality of the retrieval by its best chunk: .3 to .4 for high relevance, .2 to .3 for medium, up to .2 for low, rising
 * all the way; 0 without chunks; not a number when its score is none.
 */
export function retrievalQuality(signals: Signals): number {
  if (signals.chunkCount === 0) return 0
  const best = bestRelevance(signals)
  if (!Number.isFinite(best)) return NaN
  const relevance = Math.max(0, Math.min(1, best))
  if (relevance >= HIGH_FROM) return 0.3 + (0.1 * (relevance - HIGH_FROM)) / (1 - HIGH_FROM)
  if (relevance >= MEDIUM_FROM) return 0.2 + (0.1 * (relevance - MEDIUM_FROM)) / (HIGH_FROM - MEDIUM_FROM)
  return 0.1 + (0.1 * relevance) / MEDIUM_FROM
}

/** By the first kind of score that any chunk carries: a broken one is not passed over for the next. */
function bestRelevance({ curves = {}, topBm25 = NaN }: Signals): number {
  const read = RELEVANCE_KINDS.find((kind) => kind !== 'convex' && curves[kind] !== undefined)
  if (read === undefined) return Number.isFinite(topBm25) ? topBm25 / (BM25_K1 + 1) : NaN
  const best = curves[read]?.scores[0]
  if (typeof best !== 'number') return NaN
  return scoreShare(read, best)
}

/** Mean over the cited sources; 0 when none is cited. */
export function sourceQuality(cited: readonly SourceKind[]): number {
  if (cited.length === 0) return 0
  return cited.reduce((sum, kind) => sum + SOURCE_QUALITY[kind], 0) / cited.length
}
