import type { TextFeatures } from './text-features.ts'

/**
 * Largest share of the question's idf mass that a single sentence of the five best chunks contains. A passage may contain the
 * question's words scattered; a sentence that contains them together usually answers it.
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
  // Added up in another order than `idfMass`, the same terms may give slightly more.
  return Math.min(1, best / idfMass)
}
