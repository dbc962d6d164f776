import type { TextFeatures } from './text-features.ts'

/**
 * Share of the question's distinct terms that occur anywhere in the ten best chunks, unweighted.
 *
 * @returns 0..1; 0 without chunks, or when the question has no terms
 */
export function keywordCoverage({ questionTerms, chunks }: TextFeatures): number {
  if (questionTerms.length === 0) return 0
  const found = questionTerms.filter((_, at) => chunks.some(({ counts }) => (counts[at] ?? 0) > 0))
  return found.length / questionTerms.length
}
