/** Weights of `balanced`. Written by `npm run fit`; do not edit. */
import type { LackingWeights, LogisticWeights } from '../confidence.ts'

/** Where the weights come from. */
export const BALANCED_PROVENANCE = [
  'npm run fit, 2026-11-21: squad-ooc (5812), clapnq (600), azure-faq (306)',
  'sets and labels weighted alike',
  'hash embeddings and BM25, convex mix, top 10',
  'Newton’s method, L2 0.005 on standardised signals',
  'no random step, so no seed',
].join('; ')

/** With the collection's lexicon and a title. */
export const BALANCED_WEIGHTS: LogisticWeights = {
  intercept: -3.083,
  weights: {
    questionLikelihood: 4.7762,
    sentenceCosine: 3.3587,
    chunkCosineGap: 4.716,
    titleMatch: 0.7716,
  },
}

/** Without one of them, or both. */
export const BALANCED_LACKING: readonly LackingWeights[] = [
  {
    missing: ['lexicon'],
    intercept: -3.1519,
    weights: {
      questionLikelihood: 2.6933,
      sentenceCosine: 3.7997,
      chunkCosineGap: 7.266,
      titleMatch: 1.0854,
    },
  },
  {
    missing: ['title'],
    intercept: -3.0165,
    weights: {
      questionLikelihood: 5.0545,
      sentenceCosine: 3.6011,
      chunkCosineGap: 5.0009,
    },
  },
  {
    missing: ['lexicon', 'title'],
    intercept: -3.0785,
    weights: {
      questionLikelihood: 2.9956,
      sentenceCosine: 4.2122,
      chunkCosineGap: 7.4304,
    },
  },
]
