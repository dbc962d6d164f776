import { type QuestionTerm, type ReadChunk, type Reading, type ReadSentence, SYNONYM_WEIGHT } from './text-features.ts'

/** How much of a term the chunk's title says for each of its sentences: what a document is about need not be repeated. */
const TITLE_WEIGHT = 0.5

/** Question terms of typical weight that every sentence is taken to hold besides, so that two words are no match. */
const PRIOR_TERMS = 4

/**
 * How much of the question the best single sentence of the five best chunks says, and how little else: idf to the power
 * of 1.5 of the terms it holds, each by its emphasis, as a share of all the question's; times the length of the question
 * over that of the sentence, both as vectors of idf. A missing term is held by .5 when the chunk's title holds it, by .3
 * when the sentence holds a synonym.
 *
 * @returns 0..1; 0 without chunks, or when the question has no terms
 * @see G. Salton and C. Buckley, "Term-weighting approaches in automatic text retrieval", Information Processing &
 *   Management 24(5), 1988 (vectors of idf and their lengths; the power and the emphasis are ours)
 */
export function sentenceMatch({ questionTerms, chunks }: Reading): number {
  const squares = questionTerms.reduce((sum, { idf }) => sum + idf * idf, 0)
  const prior = (PRIOR_TERMS * squares) / questionTerms.length
  const weights = questionTerms.map(({ idf }) => idf ** 1.5)
  let best = 0
  for (const chunk of chunks) {
    for (const sentence of chunk.sentences) {
      const length = Math.sqrt(squares / (sentence.squaredIdf + prior))
      best = Math.max(best, length * shareSaid(questionTerms, weights, holdings(weights.length, chunk, sentence)))
    }
  }
  return Math.min(1, best)
}

/** How far each term is held, 0..1. */
function holdings(terms: number, { titled }: ReadChunk, { held, synonyms }: ReadSentence): readonly number[] {
  const by = Array.from({ length: terms }, () => 0)
  for (const at of synonyms) by[at] = SYNONYM_WEIGHT
  for (const at of titled) by[at] = TITLE_WEIGHT
  for (const at of held) by[at] = 1
  return by
}

function shareSaid(
  questionTerms: readonly QuestionTerm[],
  weights: readonly number[],
  held: readonly number[],
): number {
  let said = 0
  let unsaid = 0
  questionTerms.forEach(({ emphasis }, at) => {
    said += held[at]! * emphasis.found * weights[at]!
    unsaid += (1 - held[at]!) * emphasis.missing * weights[at]!
  })
  return said / (said + unsaid)
}
