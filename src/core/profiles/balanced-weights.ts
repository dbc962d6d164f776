/** Weights of `balanced`. Written by `npm run fit`; do not edit. */
import type { LackingWeights, LogisticWeights } from '../confidence.ts'

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
  intercept: -3.4794,
  weights: {
    questionLikelihood: 4.5672,
    sentenceCosine: 4.0935,
    chunkCosineGap: 5.0556,
    titleMatch: 0.708,
  },
}

/** Without one of them, or both. */
export const BALANCED_LACKING: readonly LackingWeights[] = [
  {
    missing: ['lexicon'],
    intercept: -3.0259,
    weights: {
      questionLikelihood: 3.6129,
      sentenceCosine: 4.1205,
      chunkCosineGap: 6.1227,
      titleMatch: 0.7952,
    },
  },
  {
    missing: ['title'],
    intercept: -3.4411,
    weights: {
      questionLikelihood: 4.7829,
      sentenceCosine: 4.3978,
      chunkCosineGap: 5.3692,
    },
  },
  {
    missing: ['lexicon', 'title'],
    intercept: -2.9778,
    weights: {
      questionLikelihood: 3.8439,
      sentenceCosine: 4.533,
      chunkCosineGap: 6.3879,
    },
  },
]
