import type { TextFeatures } from './text-features.ts'

/**
 * BM25 of the chunk that has most of it, divided by the question's idf mass: how much of what BM25 can give for this
 * question was found in one chunk. Unlike a raw BM25 score it means the same in every question.
 *
 * @returns 0 up to k1 + 1 = 2.2; 0 without chunks, or when the question has no terms
 */
export function topBm25({ idfMass, chunks }: TextFeatures): number {
  if (idfMass === 0) return 0
  return Math.max(0, ...chunks.map((chunk) => chunk.bm25)) / idfMass
}
