/** Recommendations for a confidence, and an analysis of its metrics. */
import { DISAGREE_BELOW } from './bm25-dense-agreement.ts'
import { retrievalOf, type RetrievalSignals } from './retrieval-signals.ts'
import type { Band, Decision, Wording } from 'hono-rag-gate/core/policy'
import { type Assessment, confidenceRecord, type ConfidenceRecord } from './confidence-record.ts'
import { floored } from 'hono-rag-gate/core/lib'
import type { Verdict } from 'hono-rag-gate/core/gates'
import { SPECIFICATION_RECOMMENDATIONS, RECOMMENDATIONS, type RecommendationCode } from './texts.ts'

/** One recommendation. */
export interface Recommendation {
  /** Stable. */
  readonly code: RecommendationCode
  readonly text: string
}

/** Settings of `recommend`. */
export interface RecommendOptions {
  /**
   * Whether a knowledge graph can be searched. If not, it is not recommended.
   *
   * @default 'none'
   */
  readonly graph?: 'available' | 'none'
  /**
   * `specification` uses the names of search tools from the specification's product.
   *
   * @default 'neutral'
   */
  readonly wording?: Wording
}

/** Documents per chunk above which the results are scattered. */
const SCATTERED_ABOVE = 0.7

/**
 * Recommendations for the retrieval, most urgent first; empty if it is strong and supported by a graph.
 *
 * @see the specification of weighted-signals, "Dedicated Tool" and "Low Confidence Example"
 */
export function recommend(assessment: Assessment, options: RecommendOptions = {}): readonly Recommendation[] {
  const { band, signals } = assessment
  const retrieval = signals.chunkCount > 0 ? retrievalOf(signals) : undefined
  const graph = options.graph === 'available'
  const codes: RecommendationCode[] = [...BY_BAND[band]]
  if (band === 'very-low' && graph) codes.push('try_graph_search')
  if (band === 'low' && (retrieval?.bm25DenseAgreement ?? 1) < DISAGREE_BELOW) codes.push('bm25_dense_disagree')
  if ((retrieval?.documentDiversity ?? 0) > SCATTERED_ABOVE) codes.push('high_diversity')
  if (graph && retrieval?.graphSupport !== true) codes.push('no_graph')
  const texts = options.wording === 'specification' ? SPECIFICATION_RECOMMENDATIONS : RECOMMENDATIONS
  return codes.map((code) => ({ code, text: texts[code] }))
}

const BY_BAND: Readonly<Record<Band, readonly RecommendationCode[]>> = {
  high: [],
  medium: ['moderate'],
  low: ['low'],
  'very-low': ['very_low', 'try_expansion', 'try_exact_match'],
}

/** The result of a tool that only assesses a retrieval. */
export interface RetrievalAssessment extends Pick<
  ConfidenceRecord,
  'overall_confidence' | 'top_score' | 'score_gap' | 'bm25_dense_agreement' | 'graph_support' | 'interpretation'
> {
  readonly recommendations: readonly string[]
}

/**
 * The short record, with recommendations.
 *
 * @see the specification of weighted-signals, "Dedicated Tool"
 */
export function assessRetrieval(assessment: Assessment, options: RecommendOptions = {}): RetrievalAssessment {
  const record = confidenceRecord(assessment)
  return {
    overall_confidence: record.overall_confidence,
    top_score: record.top_score,
    score_gap: record.score_gap,
    bm25_dense_agreement: record.bm25_dense_agreement,
    graph_support: record.graph_support,
    interpretation: record.interpretation,
    recommendations: recommend(assessment, options).map(({ text }) => text),
  }
}

/** Whether a metric supports the retrieval, is neutral, or counts against it. */
export type Standing = 'good' | 'fair' | 'poor'

/** One line of an analysis. */
export interface AnalysisLine {
  readonly metric: 'top_score' | 'score_gap' | 'agreement' | 'graph' | 'spread' | 'diversity' | 'conclusion'
  readonly standing: Standing
  /** With its mark. */
  readonly text: string
}

const MARKS: Readonly<Record<Standing, string>> = { good: '✅', fair: '⚠️', poor: '❌' }

/**
 * Explains the confidence: one line per metric, and a conclusion. Spread is listed only if high, the graph only if it
 * supports, agreement only if defined.
 *
 * @param assessment with the verdict if there is one: a refused answer is never called safe
 * @returns without chunks, the conclusion alone
 * @see the specification of weighted-signals, "Example Scenarios"
 */
export function analyse(assessment: Assessment & Partial<Pick<Decision, 'verdict'>>): readonly AnalysisLine[] {
  const { signals, band, verdict } = assessment
  const retrieval = signals.chunkCount > 0 ? retrievalOf(signals) : undefined
  return [...(retrieval === undefined ? [] : metricLines(retrieval)), conclusion(band, verdict)]
}

function metricLines(retrieval: RetrievalSignals): readonly AnalysisLine[] {
  const { topScore, scoreGap, scoreSpread, bm25DenseAgreement: agreement } = retrieval
  const { documentCount: documents, documentDiversity } = retrieval
  const lines: AnalysisLine[] = [
    topScore >= 0.85
      ? line('top_score', 'good', `Top score is very high (${floored(topScore)})`)
      : topScore >= 0.7
        ? line('top_score', 'fair', `Top score is fair (${floored(topScore)})`)
        : line('top_score', 'poor', `Top score is mediocre (${floored(topScore)})`),
    scoreGap >= 0.1
      ? line('score_gap', 'good', `Clear winner (gap = ${floored(scoreGap)})`)
      : line('score_gap', 'poor', `No clear winner (gap = ${floored(scoreGap)})`),
  ]
  if (retrieval.bm25DenseComparable) {
    const figures = `(${floored(agreement)} correlation)`
    lines.push(
      agreement >= 0.7
        ? line('agreement', 'good', `BM25 and dense agree ${figures}`)
        : agreement >= DISAGREE_BELOW
          ? line('agreement', 'fair', `BM25 and dense agree in part ${figures}`)
          : line('agreement', 'poor', `BM25 and dense disagree ${figures}`),
    )
  }
  if (retrieval.graphSupport) lines.push(line('graph', 'good', 'Knowledge graph supports results'))
  if (scoreSpread > 0.15) {
    lines.push(line('spread', 'poor', `High score spread (${floored(scoreSpread)} - inconsistent)`))
  }
  lines.push(
    documents === 1
      ? line('diversity', 'good', 'Results from single document (focused)')
      : documentDiversity > SCATTERED_ABOVE
        ? line('diversity', 'poor', `Results from ${documents} different documents (scattered)`)
        : line('diversity', 'fair', `Results from ${documents} documents`),
  )
  return lines
}

/** Based on the band, but never milder than the verdict, which may have another reason. */
function conclusion(band: Band, verdict: Verdict = 'pass'): AnalysisLine {
  const standing = verdict === 'refuse' ? 'very-low' : verdict === 'advise' && band === 'high' ? 'medium' : band
  switch (standing) {
    case 'high':
      return { metric: 'conclusion', standing: 'good', text: '→ Safe to use for automated response' }
    case 'medium':
      return { metric: 'conclusion', standing: 'fair', text: '→ Review recommended before use' }
    case 'low':
    case 'very-low':
      return { metric: 'conclusion', standing: 'poor', text: "→ Flag for human review, don't auto-answer" }
  }
}

function line(metric: AnalysisLine['metric'], standing: Standing, text: string): AnalysisLine {
  return { metric, standing, text: `${MARKS[standing]} ${text}` }
}
