import { meanOf } from '../lib/statistics.ts'
import type { TextFeatures } from './text-features.ts'

/**
 * Lead of the best chunk over the mean of the others in BM25, divided by the question's idf mass: does one passage stand
 * out among those on the topic? Where no other was found, it leads by three quarters of what it has: what
 * else the collection has was not seen.
 *
 * @returns 0 up to 2.2; 0 without chunks, or when the question has no terms
 */
export function bm25Lead({ idfMass, chunks }: TextFeatures): number {
  if (idfMass === 0) return 0
  const [top = 0, ...others] = chunks.map((chunk) => chunk.bm25).sort((a, b) => b - a)
  return (top - (others.length === 0 ? top / 4 : meanOf(others))) / idfMass
}
