import type { TextFeatures } from './text-features.ts'

/**
 * Highest BM25 of a chunk, divided by the question's idf mass, which determines the maximum. Unlike raw BM25 it is comparable
 * between questions.
 *
 * @returns 0 up to k1 + 1 = 2.2; 0 without chunks, or when the question has no terms
 */
export function topBm25({ idfMass, chunks }: TextFeatures): number {
  if (idfMass === 0) return 0
  return Math.max(0, ...chunks.map((chunk) => chunk.bm25)) / idfMass
}
