/** The three factors of an advisory confidence, each capped at its maximum and then summed. */
import { RELEVANCE_KINDS, scoreShare } from 'hono-rag-gate/core/evidence'
import { clipConfidence, confidenceBy, type ConfidenceModel, type PolicyConfidence } from 'hono-rag-gate/core/policy'
import { required, requireOptions, string } from 'hono-rag-gate/core/lib'
import type { AnswerSignals, SourceKind } from 'hono-rag-gate/core/answer'
import { BM25_K1 } from 'hono-rag-gate/core/text'
import { curves as curvesSignal, type Signals, TEXT_SIGNALS } from 'hono-rag-gate/core/signals'
import { FIELD_NAMES, responseQualityOf } from './response-quality.ts'

/** The factors and their sum. A factor that cannot be computed is `NaN`. */
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

/** Quality of a source by its kind. */
const SOURCE_QUALITY: Readonly<Record<SourceKind, number>> = Object.freeze({
  government: 0.3,
  regulatory: 0.25,
  'market-data': 0.2,
  'third-party': 0.1,
  unknown: 0,
})

/** Settings of the confidence model: the fields expected in a structured answer. */
export interface AdvisoryFactorsSettings {
  readonly kind: 'advisory-factors'
  readonly requiredFields: readonly string[]
  readonly optionalFields: readonly string[]
}

/** Sum of retrieval, source and response quality; before generation, retrieval quality alone. */
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

/** Computes the factors; without answer signals, source and response quality are 0. */
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
 * Sum of the factors, clamped to 0..1; `NaN` if a factor is not finite.
 *
 * @see docs/internal/differences.md: the printed formula weighs them twice
 */
export function calculateConfidence(retrieval: number, source: number, response: number): number {
  const sum = retrieval + source + response
  // Rounded to 12 decimals: in floating point .4 + .2 + .1 is slightly below .7.
  return Math.max(0, Math.min(1, Math.round(sum * 1e12) / 1e12))
}

/** Bounds of high and medium relevance in the specification; anything lower is low. */
const HIGH_FROM = 0.7
const MEDIUM_FROM = 0.5

/**
 * Retrieval quality from the best chunk's relevance, piecewise linear: .3 to .4 for high relevance, .2 to .3 for
 * medium, .1 to .2 for low. 0 without chunks; `NaN` if the score is not finite.
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

/** Uses the first score kind that any chunk carries, even if broken: falling back would hide the fault. */
function bestRelevance({ curves = {}, topBm25 = NaN }: Signals): number {
  const read = RELEVANCE_KINDS.find((kind) => kind !== 'convex' && curves[kind] !== undefined)
  if (read === undefined) return Number.isFinite(topBm25) ? topBm25 / (BM25_K1 + 1) : NaN
  const best = curves[read]?.scores[0]
  if (typeof best !== 'number') return NaN
  return scoreShare(read, best)
}

/** Mean source quality over the cited sources; 0 if none is cited. */
export function sourceQuality(cited: readonly SourceKind[]): number {
  if (cited.length === 0) return 0
  return cited.reduce((sum, kind) => sum + SOURCE_QUALITY[kind], 0) / cited.length
}
