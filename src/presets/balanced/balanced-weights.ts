/** Weights of `balanced`. Written by `npm run fit`; do not edit. */
import type { LackingWeights, LogisticWeights } from '../../core/policy/logistic.ts'

/** Where the weights come from. */
export const BALANCED_PROVENANCE = 'npm run fit, 2026-11-24: docs/internal/evaluation.md'

/** With the collection's lexicon and a title. */
export const BALANCED_WEIGHTS: LogisticWeights = {
  intercept: -3.456,
  weights: {
    questionLikelihood: 3.1121,
    sentenceMatch: 4.1263,
    chunkCosineGap: 4.2894,
    bm25Lead: 1.6644,
    titleMatch: 0.9497,
  },
}

/** Without one of them, or both. */
export const BALANCED_LACKING: readonly LackingWeights[] = [
  {
    missing: ['lexicon'],
    intercept: -3.5154,
    weights: {
      questionLikelihood: 2.1347,
      sentenceMatch: 5.1192,
      chunkCosineGap: 3.1829,
      bm25Lead: 2.5612,
      titleMatch: 1.0033,
    },
  },
  {
    missing: ['title'],
    intercept: -3.4477,
    weights: {
      questionLikelihood: 3.2621,
      sentenceMatch: 4.6386,
      chunkCosineGap: 4.629,
      bm25Lead: 1.5329,
    },
  },
  {
    missing: ['lexicon', 'title'],
    intercept: -3.5365,
    weights: {
      questionLikelihood: 2.3151,
      sentenceMatch: 5.8531,
      chunkCosineGap: 3.3057,
      bm25Lead: 2.4037,
    },
  },
]
