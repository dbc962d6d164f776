import type { TextFeatures } from './text-features.ts'

/** Of the titles of eight families of questions, in the mean: what a chunk without a title is taken to have. */
const UNTITLED = 0.2

/**
 * Share of the terms in the best chunk's title that the question names: does it ask about what the document is about?
 *
 * @returns 0..1; .2 when the best chunk has no title, and without chunks
 */
export function titleMatch({ questionTerms, titleTerms }: TextFeatures): number {
  if (titleTerms.length === 0) return UNTITLED
  const asked = new Set(questionTerms.map(({ term }) => term))
  return titleTerms.filter((term) => asked.has(term)).length / titleTerms.length
}
