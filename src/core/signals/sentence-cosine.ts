import { type Reading, SYNONYM_WEIGHT } from '../reading.ts'

/** Question terms of typical weight that every sentence is taken to hold besides, so that two words are no match. */
const PRIOR_TERMS = 4

/**
 * Cosine of the question and the best single sentence of the five best chunks, each distinct term weighing its idf, and a
 * synonym .3 of the missing term's. It asks both ways: the sentence holds the question's words, and speaks of little
 * else.
 *
 * @returns 0..1; 0 without chunks, or when the question has no terms
 * @see G. Salton and C. Buckley, "Term-weighting approaches in automatic text retrieval", Information Processing &
 *   Management 24(5), 1988
 */
export function sentenceCosine({ questionTerms, chunks }: Reading): number {
  const squares = questionTerms.reduce((sum, { idf }) => sum + idf * idf, 0)
  const prior = (PRIOR_TERMS * squares) / questionTerms.length
  let best = 0
  for (const { sentences } of chunks) {
    for (const { held, synonyms, squaredIdf } of sentences) {
      let shared = 0
      for (const at of held) shared += questionTerms[at]!.idf ** 2
      for (const at of synonyms) shared += SYNONYM_WEIGHT * questionTerms[at]!.idf ** 2
      best = Math.max(best, shared / Math.sqrt(squares * (squaredIdf + prior)))
    }
  }
  return Math.min(1, best)
}
