import type { Reading } from '../reading.ts'

const CHUNKS = 5

/**
 * Share of the question's idf mass that the best single sentence of the five best chunks holds. A passage may scatter
 * the question's words; a sentence that holds them together usually answers.
 *
 * @returns 0..1; 0 without chunks, or when the question has no terms
 */
export function sentenceCoverage({ questionTerms, idfMass, chunks }: Reading): number {
  if (idfMass === 0) return 0
  let best = 0
  for (const chunk of chunks.slice(0, CHUNKS)) {
    for (const sentence of chunk.sentences) {
      let held = 0
      for (const { term, idf } of questionTerms) if (sentence.has(term)) held += idf
      if (held > best) best = held
    }
  }
  return best / idfMass
}
