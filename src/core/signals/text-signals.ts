/** The text signals by name. To add one, write a file beside this one and add a line here. */
import { createTermReader } from '../text/term-reader.ts'
import { bm25Lead } from './bm25-lead.ts'
import { chunkCosineGap } from './chunk-cosine-gap.ts'
import { keywordCoverage } from './keyword-coverage.ts'
import { questionLikelihood } from './question-likelihood.ts'
import { sentenceCoverage } from './sentence-coverage.ts'
import { sentenceMatch } from './sentence-match.ts'
import type { Signal, Subject } from './signal.ts'
import { read, type TextFeatures } from './text-features.ts'
import { titleMatch } from './title-match.ts'
import { topBm25 } from './top-bm25.ts'

/** The functions that compute each signal from text features. */
export const OF_FEATURES = {
  sentenceCoverage,
  topBm25,
  bm25Lead,
  questionLikelihood,
  sentenceMatch,
  titleMatch,
  chunkCosineGap,
  keywordCoverage,
} satisfies Record<string, (features: TextFeatures) => number>

/** Name of a text signal. */
export type TextSignalName = keyof typeof OF_FEATURES

/** All text signals. */
export const TEXT_SIGNALS = Object.fromEntries(
  Object.entries(OF_FEATURES).map(([name, of]) => [name, ofText(name, of)]),
) as Readonly<Record<TextSignalName, Signal<number>>> // By the same names.

/** Number of distinct terms of the question. */
export const questionTermCount = ofText('questionTermCount', ({ questionTerms }) => questionTerms.length)

/** Text features of a subject, computed once. */
export function textFeatures({ words, evidence, lexicon, language, memory, lasting }: Subject): TextFeatures {
  return memory(textFeatures, () =>
    read(
      words,
      evidence,
      lexicon,
      lasting(language, () => createTermReader(language)),
    ),
  )
}

function ofText(name: string, of: (features: TextFeatures) => number): Signal<number> {
  return { name, ofWords: true, measure: (subject) => of(textFeatures(subject)) }
}
