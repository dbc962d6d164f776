import { meanOf } from '../lib/statistics.ts'
import type { TextFeatures } from './text-features.ts'

/** Chunks that are compared, the best. */
const CHUNKS = 10

/**
 * Lead of the best chunk over the mean of the others in BM25, divided by the question's idf mass: does one passage stand
 * out among those on the topic? Where ten were found, a copy of another counts as the least of them, as it took the place of
 * a worse one. Where no other was found, the best leads by three quarters of what it has: what else the collection has was
 * not seen.
 *
 * @returns 0 up to 2.2; 0 without chunks, or when the question has no terms
 */
export function bm25Lead({ idfMass, chunks, evidence }: TextFeatures): number {
  if (idfMass === 0) return 0
  const [top = 0, ...others] = chunks.map((chunk) => chunk.bm25).sort((a, b) => b - a)
  const least = others.at(-1) ?? top / 4
  if (others.length === 0) others.push(least)
  if (evidence.chunks.length >= CHUNKS) while (others.length < CHUNKS - 1) others.push(least)
  return (top - meanOf(others)) / idfMass
}
