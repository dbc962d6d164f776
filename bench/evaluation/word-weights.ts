/**
 * Weights of the word reranker. Written by `npm run fit`; do not edit.
 *
 * Conditional logit over the first 20 chunks of answerable questions, sets weighted alike, no random step:
 * squad-ooc (477), clapnq (285), azure-faq (136), gov-faq (228), tex-faq (230), perl-faq (134), covid-qa (640),
 * scifact-missing (353)
 */
export const WORD_WEIGHTS = {
  indexScore: 3.511,
  likelihood: 3.876,
  sentenceMatch: 4.319,
  sentenceCoverage: 2.293,
  titleCoverage: 5.244,
  nearCoverage: 0.539,
  cosine: 4.401,
} as const
