import type { TextFeatures } from './text-features.ts'

/**
 * Cosine of the best chunk with the question minus that of the second. A term's weight is the square root of its count in a
 * chunk, and the same times its idf in the question.
 *
 * @returns 0..1; 0 with fewer than two chunks, or when the question has no terms
 */
export function chunkCosineGap({ questionTerms, chunks }: TextFeatures): number {
  const squares = questionTerms.reduce((sum, { idf }) => sum + idf * idf, 0)
  if (!(squares > 0)) return 0
  const cosines = chunks.map(({ counts, length }) => {
    let shared = 0
    questionTerms.forEach(({ idf }, at) => (shared += idf * Math.sqrt(counts[at]!)))
    // The squared weights of a chunk add up to its number of terms.
    return length > 0 ? shared / Math.sqrt(squares * length) : 0
  })
  const [top = 0, second = top] = cosines.sort((a, b) => b - a)
  return Math.min(1, top - second)
}
