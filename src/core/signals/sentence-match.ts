import type { ChunkFeatures, SentenceFeatures, TextFeatures } from './text-features.ts'

/** Weight of a term that only the chunk's title contains: a sentence need not repeat the document's topic. */
const TITLE_WEIGHT = 0.5

/** The same summands, added up in another order, may give slightly more. */
const ROUNDING = 1 - 1e-9

/** Further terms, of the question's mean squared idf, that each sentence is assumed to contain: two words are no match. */
const PRIOR_TERMS = 4

/**
 * How well the best single sentence of the five best chunks matches the question: the share of the question's idf mass that it
 * contains, times the length of the question divided by that of the sentence, both as idf vectors. A missing term counts by
 * half if the chunk's title contains it.
 *
 * @returns 0..1; 0 without chunks, or when the question has no terms
 * @see G. Salton and C. Buckley, "Term-weighting approaches in automatic text retrieval", Information Processing &
 *   Management 24(5), 1988 (vectors of idf and their lengths)
 */
export function sentenceMatch(features: TextFeatures): number {
  return features.chunks.reduce((best, chunk) => bestSentence(features, chunk, best), 0)
}

/**
 * The same of one chunk.
 *
 * @param known value of another chunk; sentences that cannot exceed it are skipped. @default 0
 * @returns 0..1, `known` and up
 */
export function bestSentence({ questionTerms, idfMass }: TextFeatures, chunk: ChunkFeatures, known = 0): number {
  const squares = questionTerms.reduce((sum, { idf }) => sum + idf * idf, 0)
  const prior = (PRIOR_TERMS * squares) / questionTerms.length
  let best = known
  for (const sentence of chunk.sentences) {
    const said = idfSaid(questionTerms, chunk, sentence)
    const match = (squaredIdf: number): number => (Math.sqrt(squares / (squaredIdf + prior)) * said) / idfMass
    // The sentence contains at least these terms of the question.
    const least = sentence.held.reduce((sum, at) => sum + questionTerms[at]!.idf ** 2, 0)
    if (match(least * ROUNDING) > best) best = Math.max(best, match(sentence.squaredIdf()))
  }
  return Math.min(1, best)
}

function idfSaid(
  questionTerms: TextFeatures['questionTerms'],
  { titled }: ChunkFeatures,
  { held }: SentenceFeatures,
): number {
  return questionTerms.reduce(
    (said, { idf }, at) => said + (held.includes(at) ? idf : titled.includes(at) ? TITLE_WEIGHT * idf : 0),
    0,
  )
}
