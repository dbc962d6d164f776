import type { TextFeatures } from './text-features.ts'

/** Number of best chunks compared. */
const CHUNKS = 10

/**
 * BM25 of the best chunk minus the mean of the others, divided by the question's idf mass: whether one passage stands out among
 * those on the topic. If ten chunks were found, duplicates count as the lowest of them, since each took the place of a worse
 * chunk. With a single chunk the lead is three quarters of its BM25, because nothing is known of the rest of the collection.
 *
 * @returns 0 up to 2.2; 0 without chunks, or when the question has no terms
 */
export function bm25Lead({ idfMass, chunks, evidence }: TextFeatures): number {
  if (idfMass === 0) return 0
  const [top = 0, ...others] = chunks.map((chunk) => chunk.bm25).sort((a, b) => b - a)
  const least = others.at(-1) ?? top / 4
  if (others.length === 0) others.push(least)
  if (evidence.chunks.length >= CHUNKS) while (others.length < CHUNKS - 1) others.push(least)
  const mean = others.reduce((sum, bm25) => sum + bm25, 0) / others.length
  return (top - mean) / idfMass
}
