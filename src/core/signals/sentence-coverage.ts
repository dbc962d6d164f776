import type { TextFeatures } from './text-features.ts'

/**
 * Share of the question's idf mass that the best single sentence of the five best chunks holds. A passage may scatter
 * the question's words; a sentence that holds them together usually answers.
 *
 * @returns 0..1; 0 without chunks, or when the question has no terms
 */
export function sentenceCoverage({ questionTerms, idfMass, chunks }: TextFeatures): number {
  if (idfMass === 0) return 0
  let best = 0
  for (const { sentences } of chunks) {
    for (const sentence of sentences) {
      let held = 0
      for (const at of sentence.held) held += questionTerms[at]!.idf
      best = Math.max(best, held)
    }
  }
  // Added up in another order than the mass was, a whole may come out a hair above it.
  return Math.min(1, best / idfMass)
}
