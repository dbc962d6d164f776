/** Weights of `balanced`. Written by `npm run fit`; do not edit. */
import type { LogisticWeights } from '../../core/policy/logistic.ts'

/** Where the weights come from. */
export const BALANCED_PROVENANCE = 'npm run fit, 2026-11-24: docs/internal/evaluation.md'

/** Of the five signals. */
export const BALANCED_WEIGHTS: LogisticWeights = {
  intercept: -3.4564,
  weights: {
    questionLikelihood: 3.113,
    sentenceMatch: 4.1286,
    chunkCosineGap: 4.2941,
    bm25Lead: 1.6617,
    titleMatch: 0.9489,
  },
}
