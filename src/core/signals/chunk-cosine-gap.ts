import type { TextFeatures } from './text-features.ts'

/**
 * Lead of the best chunk over the runner-up in cosine with the question. A term weighs the root of its count in a chunk,
 * and that times its idf in the question.
 *
 * @returns 0..1; 0 with one chunk, which has no runner-up, without chunks, or when the question has no terms
 */
export function chunkCosineGap({ questionTerms, chunks }: TextFeatures): number {
  const squares = questionTerms.reduce((sum, { idf }) => sum + idf * idf, 0)
  if (!(squares > 0)) return 0
  const cosines = chunks.map(({ counts, length }) => {
    let shared = 0
    questionTerms.forEach(({ idf }, at) => (shared += idf * Math.sqrt(counts[at]!)))
    // Squared roots of counts add up to the number of terms.
    return length > 0 ? shared / Math.sqrt(squares * length) : 0
  })
  const [top = 0, second = top] = cosines.sort((a, b) => b - a)
  return Math.min(1, top - second)
}
