import type { TextFeatures } from './text-features.ts'

/** Value for a chunk without a title: the mean over the titles of eight families of questions. */
const UNTITLED = 0.2

/**
 * Share of the terms in the best chunk's title that occur in the question: whether it asks about the document's topic.
 *
 * @returns 0..1; .2 when the best chunk has no title, and without chunks
 */
export function titleMatch({ questionTerms, titleTerms }: TextFeatures): number {
  if (titleTerms.length === 0) return UNTITLED
  const asked = new Set(questionTerms.map(({ term }) => term))
  return titleTerms.filter((term) => asked.has(term)).length / titleTerms.length
}
