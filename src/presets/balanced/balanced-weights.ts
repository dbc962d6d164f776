/** Weights of `balanced`. Written by `npm run fit`; do not edit. */
import type { LogisticWeights } from '../../core/policy/logistic.ts'

/** Where the weights come from. */
export const BALANCED_PROVENANCE = 'npm run fit, 2026-11-24: docs/internal/evaluation.md'

/** Of the five signals. */
export const BALANCED_WEIGHTS: LogisticWeights = {
  intercept: -3.4717,
  weights: {
    questionLikelihood: 3.0802,
    sentenceMatch: 4.1716,
    chunkCosineGap: 4.3252,
    bm25Lead: 1.6687,
    titleMatch: 0.9512,
  },
}
