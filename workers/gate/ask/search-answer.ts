/** Answers without a model: the passages of the context as search results. */
import type { RagGateContext } from 'hono-rag-gate'

/** Takes the place of a model name in answer keys and streams. */
export const SEARCH = 'search'

/** A passage of the context, with the text that a model would get. */
export interface SearchResult {
  readonly id: string
  readonly document_id: string
  readonly title: string | undefined
  readonly section: string | undefined
  readonly source: string | undefined
  readonly text: string
}

/** A sentence with the number of passages, and the passages, best first. */
export function searchAnswer({ chunks }: RagGateContext['context']): {
  readonly answer: string
  readonly passages: readonly SearchResult[]
} {
  return {
    answer: `Found ${chunks.length} ${chunks.length === 1 ? 'passage' : 'passages'} for this question.`,
    passages: chunks.map(({ id, documentId, title, section, source, text }) => ({
      id,
      document_id: documentId,
      title,
      section,
      source,
      text,
    })),
  }
}
