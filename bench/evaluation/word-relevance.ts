/** How well the words of each chunk answer a question, beside the words of the other chunks found for it. */
import type { Evidence } from '../../src/core/evidence/evidence.ts'
import { clamp01, finite } from '../../src/core/lib/numbers.ts'
import type { Lexicon } from '../../src/core/text/lexicon.ts'
import { likelihoodFrom } from '../../src/core/signals/question-likelihood.ts'
import { bestSentence } from '../../src/core/signals/sentence-match.ts'
import { questionParts } from '../../src/language/english/question-parts.ts'
import { type ChunkFeatures, read, type TextFeatures } from '../../src/core/signals/text-features.ts'
import { WORD_WEIGHTS } from './word-weights.ts'
import { english } from '../../src/language/english/english.ts'
import { plainTermReader } from '../../src/core/text/terms.ts'

/** What is seen of a chunk that is read alone, each 0..1. */
export const WORD_FEATURES = {
  /** What the index said: the fused score, or the cosine where nothing was fused. */
  indexScore: ({ evidence }) => {
    const { scores } = evidence.chunks[0]!
    return clamp01(finite(scores.convex) ?? finite(scores.cosine) ?? 0)
  },
  likelihood: likelihoodFrom,
  sentenceMatch: bestSentence,
  /** Idf share of the question that its best sentence holds. */
  sentenceCoverage: (features, { sentences }) =>
    Math.max(0, ...sentences.map(({ held }) => idfShare(features, (at) => (held.includes(at) ? 1 : 0)))),
  /** Idf share that its title holds. */
  titleCoverage: (features, { titled }) => idfShare(features, (at) => (titled.includes(at) ? 1 : 0)),
  /** Idf share of what it does not hold but comes near to. */
  nearCoverage: (features, { nearness }) => idfShare(features, (at) => nearness[at]!),
  /** Cosine with the question: roots of counts, times idf in the question. */
  cosine: ({ questionTerms }, { counts, length }) => {
    const squares = questionTerms.reduce((sum, { idf }) => sum + idf * idf, 0)
    const shared = questionTerms.reduce((sum, { idf }, at) => sum + idf * Math.sqrt(counts[at]!), 0)
    return length > 0 ? Math.min(1, shared / Math.sqrt(squares * length)) : 0
  },
} satisfies Readonly<Record<string, (features: TextFeatures, chunk: ChunkFeatures) => number>>

/** Name of a word feature. */
export type WordFeature = keyof typeof WORD_FEATURES

/** A number for each word feature. */
export type WordFeatures = Readonly<Record<WordFeature, number>>

function idfShare({ questionTerms, idfMass }: TextFeatures, heldBy: (at: number) => number): number {
  return questionTerms.reduce((sum, { idf }, at) => sum + idf * heldBy(at), 0) / idfMass
}

/**
 * The word features of every chunk, in the order of the evidence: each is read as if it were the only one, so that all are
 * read alike, however far down they stand.
 *
 * @returns zeros for a question without terms
 */
export function wordFeatures(question: string, evidence: Evidence, lexicon: Lexicon): readonly WordFeatures[] {
  const { bare } = questionParts(question)
  const reader = plainTermReader(english)
  return evidence.chunks.map((chunk) => {
    const features = read(bare, { ...evidence, chunks: [chunk] }, lexicon, reader)
    if (features.idfMass === 0) return NOTHING
    const entries = Object.entries(WORD_FEATURES).map(([name, feature]) => [
      name,
      feature(features, features.chunks[0]!),
    ])
    // An entry for every name was just made.
    return Object.fromEntries(entries) as WordFeatures
  })
}

// An entry for every name.
const NOTHING = Object.freeze(Object.fromEntries(Object.keys(WORD_FEATURES).map((name) => [name, 0]))) as WordFeatures

/**
 * A linear score for each chunk: the higher, the likelier it is the one that answers. Scores compare chunks of one question
 * and mean nothing between questions.
 *
 * @param question normalised (`normaliseQuestion`)
 * @param lexicon the collection's
 * @returns finite numbers, one for each chunk in the order of the evidence
 */
export function wordRelevance(
  question: string,
  evidence: Evidence,
  lexicon: Lexicon,
  weights: WordFeatures = WORD_WEIGHTS,
): readonly number[] {
  return wordFeatures(question, evidence, lexicon).map((own) =>
    Object.entries(weights).reduce((sum, [name, weight]) => sum + weight * own[name as WordFeature], 0),
  )
}

/** Settings of `rankByWords`. */
export interface RankByWordsOptions {
  /**
   * Chunks kept, best first. Whole, 1 and up.
   *
   * @default all of them
   */
  readonly topK?: number
  /** @default the weights that `npm run fit` wrote */
  readonly weights?: WordFeatures
}

/**
 * Evidence in order of word relevance; ties keep the order they came in. Scores stay what the methods gave: the order alone
 * is that of the words.
 *
 * @param question normalised (`normaliseQuestion`)
 * @param lexicon the collection's
 */
export function rankByWords(
  question: string,
  evidence: Evidence,
  lexicon: Lexicon,
  { topK = evidence.chunks.length, weights = WORD_WEIGHTS }: RankByWordsOptions = {},
): Evidence {
  const relevance = wordRelevance(question, evidence, lexicon, weights)
  const order = relevance.map((_, at) => at).sort((a, b) => relevance[b]! - relevance[a]!)
  return { ...evidence, chunks: order.slice(0, topK).map((at) => evidence.chunks[at]!) }
}
