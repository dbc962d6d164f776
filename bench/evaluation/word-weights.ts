/**
 * Weights of the word reranker. Written by `npm run fit`; do not edit.
 *
 * Conditional logit over the first 20 chunks of answerable questions, sets weighted alike, no random step:
 * squad-ooc (477), clapnq (285), azure-faq (136), gov-faq (228), tex-faq (230), perl-faq (134), covid-qa (640),
 * scifact-missing (353)
 */
export const WORD_WEIGHTS = {
  indexScore: 3.045,
  likelihood: 3.868,
  sentenceMatch: 4.248,
  sentenceCoverage: 2.343,
  titleCoverage: 5.253,
  nearCoverage: 0.607,
  cosine: 5.02,
} as const
