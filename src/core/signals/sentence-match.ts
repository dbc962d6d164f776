import type { ChunkFeatures, SentenceFeatures, TextFeatures } from './text-features.ts'

/** How much of a term the chunk's title says for each of its sentences: what a document is about need not be repeated. */
const TITLE_WEIGHT = 0.5

/** The same summands, added up in another order, may come to a hair more. */
const ROUNDING = 1 - 1e-9

/** Question terms of typical weight that every sentence is taken to hold besides, so that two words are no match. */
const PRIOR_TERMS = 4

/**
 * How much of the question the best single sentence of the five best chunks says, and how little else: idf of the terms
 * it holds, as a share of all the question's; times the length of the question over that of the sentence, both as
 * vectors of idf. A missing term is held by .5 when the chunk's title holds it.
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
 * @param known what another chunk reaches: a sentence that cannot reach more is not looked at closely. @default 0
 * @returns 0..1, `known` and up
 */
export function bestSentence({ questionTerms, idfMass }: TextFeatures, chunk: ChunkFeatures, known = 0): number {
  const squares = questionTerms.reduce((sum, { idf }) => sum + idf * idf, 0)
  const prior = (PRIOR_TERMS * squares) / questionTerms.length
  let best = known
  for (const sentence of chunk.sentences) {
    const said = idfSaid(questionTerms, chunk, sentence)
    const match = (squaredIdf: number): number => (Math.sqrt(squares / (squaredIdf + prior)) * said) / idfMass
    // It says at least what it holds of the question.
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
