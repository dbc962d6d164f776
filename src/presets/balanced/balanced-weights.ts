/** Weights of `balanced`. Written by `npm run fit`; do not edit. */
import type { LackingWeights, LogisticWeights } from '../../core/policy/logistic.ts'

/** Where the weights come from. */
export const BALANCED_PROVENANCE = [
  'npm run fit, 2026-11-22: squad-ooc (5812), clapnq (600), azure-faq (306), gov-faq (399), tex-faq (460), perl-faq (287), covid-qa (1000), scifact-missing (693)',
  'an intercept for each set, of which the mean is kept',
  'sets and labels weighted alike',
  'hash embeddings and BM25, convex mix, top 10',
  'Newton’s method, L2 0.005 on standardised signals',
  'no random step, so no seed',
].join('; ')

/** With the collection's lexicon and a title. */
export const BALANCED_WEIGHTS: LogisticWeights = {
  intercept: -3.5369,
  weights: {
    questionLikelihood: 4.1616,
    sentenceMatch: 4.8015,
    chunkCosineGap: 6.7706,
    titleMatch: 0.8696,
  },
}

/** Without one of them, or both. */
export const BALANCED_LACKING: readonly LackingWeights[] = [
  {
    missing: ['lexicon'],
    intercept: -3.4708,
    weights: {
      questionLikelihood: 3.768,
      sentenceMatch: 5.367,
      chunkCosineGap: 7.3664,
      titleMatch: 0.862,
    },
  },
  {
    missing: ['title'],
    intercept: -3.5174,
    weights: {
      questionLikelihood: 4.2315,
      sentenceMatch: 5.2137,
      chunkCosineGap: 6.8738,
    },
  },
  {
    missing: ['lexicon', 'title'],
    intercept: -3.4864,
    weights: {
      questionLikelihood: 3.8381,
      sentenceMatch: 5.9716,
      chunkCosineGap: 7.25,
    },
  },
]
