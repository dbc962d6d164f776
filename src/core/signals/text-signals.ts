/** The signals measured from text, by name. A new signal is a file beside this one and a line here. */
import type { TextFeatures } from './text-features.ts'
import { bm25Gap } from './bm25-gap.ts'
import { chunkCosineGap } from './chunk-cosine-gap.ts'
import { questionLikelihood } from './question-likelihood.ts'
import { sentenceMatch } from './sentence-match.ts'
import { keywordCoverage } from './keyword-coverage.ts'
import { sentenceCoverage } from './sentence-coverage.ts'
import { titleMatch } from './title-match.ts'
import { topBm25 } from './top-bm25.ts'

/** Every signal measured from text. */
export const TEXT_SIGNALS = {
  sentenceCoverage,
  topBm25,
  bm25Gap,
  questionLikelihood,
  sentenceMatch,
  titleMatch,
  chunkCosineGap,
  keywordCoverage,
} satisfies Record<string, (features: TextFeatures) => number>

/** Name of a signal measured from text. */
export type TextSignalName = keyof typeof TEXT_SIGNALS
