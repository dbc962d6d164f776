import type { TextFeatures } from './text-features.ts'

/**
 * Share of the terms in the best chunk's title that the question names: does it ask about what the document is about?
 *
 * @returns 0..1; 0 when the best chunk has no title (`topTitleTermCount` says so)
 */
export function titleMatch({ questionTerms, titleTerms }: TextFeatures): number {
  if (titleTerms.length === 0) return 0
  const asked = new Set(questionTerms.map(({ term }) => term))
  return titleTerms.filter((term) => asked.has(term)).length / titleTerms.length
}
