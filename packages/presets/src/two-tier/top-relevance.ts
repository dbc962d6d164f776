/** The confidence model of policies that judge by the best chunk alone. */
import { scoreShare } from 'hono-rag-gate/core/evidence'
import { recordedNumber } from 'hono-rag-gate/core/lib'
import { clipConfidence, confidenceBy, type ConfidenceModel, type PolicyConfidence } from 'hono-rag-gate/core/policy'
import { curves, type Signals, TEXT_SIGNALS } from 'hono-rag-gate/core/signals'
import { BM25_K1 } from 'hono-rag-gate/core/text'

/** Settings of the model; it has none. */
export interface TopRelevanceSettings {
  readonly kind: 'top-relevance'
}

/** Confidence is the best reranker grade divided by 3; without grades, the best BM25 score divided by its maximum. */
export function topRelevance(): PolicyConfidence {
  return confidenceBy(topRelevanceModel, { kind: 'top-relevance' })
}

/** The model behind `topRelevance`. */
export const topRelevanceModel: ConfidenceModel<TopRelevanceSettings> = Object.freeze({
  kind: 'top-relevance',
  validate: () => undefined,
  reads: () => [curves, TEXT_SIGNALS.topBm25],
  confidence: (_settings: TopRelevanceSettings, signals: Signals) => {
    const grade = signals.curves?.grade
    if (grade === undefined) return clipConfidence(recordedNumber(signals.topBm25) / (BM25_K1 + 1))
    const best: unknown = grade.scores[0]
    return typeof best === 'number' ? clipConfidence(scoreShare('grade', best)) : NaN
  },
})
