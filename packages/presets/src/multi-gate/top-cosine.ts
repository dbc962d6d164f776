/** The confidence model of policies that judge by cosine similarity. */
import { clipConfidence, confidenceBy, type ConfidenceModel, type PolicyConfidence } from 'hono-rag-gate/core/policy'
import { type Signals, topCosine as topCosineSignal } from 'hono-rag-gate/core/signals'

/** Settings of the model; it has none. */
export interface TopCosineSettings {
  readonly kind: 'top-cosine'
}

/** Confidence is the best raw cosine, clipped to 0..1. */
export function topCosine(): PolicyConfidence {
  return confidenceBy(topCosineModel, { kind: 'top-cosine' })
}

/** The model behind `topCosine`. */
export const topCosineModel: ConfidenceModel<TopCosineSettings> = Object.freeze({
  kind: 'top-cosine',
  validate: () => undefined,
  reads: () => [topCosineSignal],
  confidence: (_settings: TopCosineSettings, signals: Signals) => clipConfidence(signals.topCosine ?? NaN),
})
