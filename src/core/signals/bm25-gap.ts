import type { TextFeatures } from './text-features.ts'

/**
 * Lead of the best chunk over the runner-up in BM25, divided by the question's idf mass: is there one passage that
 * answers, or are there many that touch the topic?
 *
 * @returns 0 up to 2.2; 0 with one chunk, which has no runner-up, without chunks, or when the question has no terms
 */
export function bm25Gap({ idfMass, chunks }: TextFeatures): number {
  if (idfMass === 0) return 0
  const [top = 0, second = top] = chunks.map((chunk) => chunk.bm25).sort((a, b) => b - a)
  return (top - second) / idfMass
}
