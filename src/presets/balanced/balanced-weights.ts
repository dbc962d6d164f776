/** Weights of `balanced`. Written by `npm run fit`; do not edit. */
import type { LackingWeights, LogisticWeights } from '../../core/policy/logistic.ts'

/** Where the weights come from. */
export const BALANCED_PROVENANCE = 'npm run fit, 2026-11-24: docs/internal/evaluation.md'

/** With the collection's lexicon and a title. */
export const BALANCED_WEIGHTS: LogisticWeights = {
  intercept: -3.456,
  weights: {
    questionLikelihood: 3.1127,
    sentenceMatch: 4.1168,
    chunkCosineGap: 4.2322,
    bm25Lead: 1.6835,
    titleMatch: 0.948,
  },
}

/** Without one of them, or both. */
export const BALANCED_LACKING: readonly LackingWeights[] = [
  {
    missing: ['lexicon'],
    intercept: -3.5161,
    weights: {
      questionLikelihood: 2.135,
      sentenceMatch: 5.1047,
      chunkCosineGap: 3.0975,
      bm25Lead: 2.5917,
      titleMatch: 1.0013,
    },
  },
  {
    missing: ['title'],
    intercept: -3.4475,
    weights: {
      questionLikelihood: 3.2596,
      sentenceMatch: 4.6281,
      chunkCosineGap: 4.5711,
      bm25Lead: 1.5543,
    },
  },
  {
    missing: ['lexicon', 'title'],
    intercept: -3.5373,
    weights: {
      questionLikelihood: 2.3127,
      sentenceMatch: 5.8387,
      chunkCosineGap: 3.2217,
      bm25Lead: 2.4354,
    },
  },
]
