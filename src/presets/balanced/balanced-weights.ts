/** Weights of `balanced`. Written by `npm run fit`; do not edit. */
import type { LackingWeights, LogisticWeights } from '../../core/policy/logistic.ts'

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
  intercept: -3.659,
  weights: {
    questionLikelihood: 4.5745,
    sentenceMatch: 4.7811,
    chunkCosineGap: 4.6067,
    titleMatch: 0.4904,
  },
}

/** Without one of them, or both. */
export const BALANCED_LACKING: readonly LackingWeights[] = [
  {
    missing: ['lexicon'],
    intercept: -3.1572,
    weights: {
      questionLikelihood: 3.8793,
      sentenceMatch: 4.2934,
      chunkCosineGap: 5.7268,
      titleMatch: 0.5966,
    },
  },
  {
    missing: ['title'],
    intercept: -3.6593,
    weights: {
      questionLikelihood: 4.6552,
      sentenceMatch: 5.1788,
      chunkCosineGap: 4.7561,
    },
  },
  {
    missing: ['lexicon', 'title'],
    intercept: -3.1504,
    weights: {
      questionLikelihood: 3.9742,
      sentenceMatch: 4.8018,
      chunkCosineGap: 5.8707,
    },
  },
]
