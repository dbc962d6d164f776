/** Weights of `balanced`. Written by `npm run fit`; do not edit. */
import type { LackingWeights, LogisticWeights } from '../../core/policy/logistic.ts'

/** Where the weights come from. */
export const BALANCED_PROVENANCE = 'npm run fit, 2026-11-22: docs/internal/evaluation.md'

/** With the collection's lexicon and a title. */
export const BALANCED_WEIGHTS: LogisticWeights = {
  intercept: -3.5225,
  weights: {
    questionLikelihood: 4.1578,
    sentenceMatch: 4.7542,
    chunkCosineGap: 6.7187,
    titleMatch: 0.868,
  },
}

/** Without one of them, or both. */
export const BALANCED_LACKING: readonly LackingWeights[] = [
  {
    missing: ['lexicon'],
    intercept: -3.4588,
    weights: {
      questionLikelihood: 3.7763,
      sentenceMatch: 5.3134,
      chunkCosineGap: 7.2942,
      titleMatch: 0.8629,
    },
  },
  {
    missing: ['title'],
    intercept: -3.5041,
    weights: {
      questionLikelihood: 4.2277,
      sentenceMatch: 5.1683,
      chunkCosineGap: 6.8231,
    },
  },
  {
    missing: ['lexicon', 'title'],
    intercept: -3.475,
    weights: {
      questionLikelihood: 3.846,
      sentenceMatch: 5.9198,
      chunkCosineGap: 7.1796,
    },
  },
]
