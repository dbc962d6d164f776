/** Weights of `balanced`. Written by `npm run fit`; do not edit. */
import type { LackingWeights, LogisticWeights } from '../../core/policy/confidence.ts'

/** Where the weights come from. */
export const BALANCED_PROVENANCE = [
  'npm run fit, 2026-11-22: squad-ooc (5812), clapnq (600), azure-faq (306)',
  'sets and labels weighted alike',
  'hash embeddings and BM25, convex mix, top 10',
  'Newton’s method, L2 0.005 on standardised signals',
  'no random step, so no seed',
].join('; ')

/** With the collection's lexicon and a title. */
export const BALANCED_WEIGHTS: LogisticWeights = {
  intercept: -3.1926,
  weights: {
    questionLikelihood: 4.6707,
    sentenceMatch: 3.8114,
    chunkCosineGap: 4.7082,
    titleMatch: 0.6899,
  },
}

/** Without one of them, or both. */
export const BALANCED_LACKING: readonly LackingWeights[] = [
  {
    missing: ['lexicon'],
    intercept: -3.1345,
    weights: {
      questionLikelihood: 2.9106,
      sentenceMatch: 3.4427,
      chunkCosineGap: 7.2128,
      titleMatch: 1.0274,
    },
  },
  {
    missing: ['title'],
    intercept: -3.1711,
    weights: {
      questionLikelihood: 4.8202,
      sentenceMatch: 4.2821,
      chunkCosineGap: 4.9082,
    },
  },
  {
    missing: ['lexicon', 'title'],
    intercept: -3.1022,
    weights: {
      questionLikelihood: 3.042,
      sentenceMatch: 4.1706,
      chunkCosineGap: 7.3009,
    },
  },
]
