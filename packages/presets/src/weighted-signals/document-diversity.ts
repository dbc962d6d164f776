import type { Chunk } from 'hono-rag-gate/core/evidence'

/** How many documents the chunks come from. A chunk without a document id is a document of its own. */
export function documentCount(chunks: readonly Chunk[]): number {
  const named = chunks.filter(({ documentId }) => isNamed(documentId))
  return new Set(named.map(({ documentId }) => documentId)).size + chunks.length - named.length
}

/**
 * Documents per chunk: do the results come from one source or from many?
 *
 * @returns above 0 up to 1 (every chunk from another document); 0 without chunks
 * @see the specification of weighted-signals, "Document Diversity"
 */
export function documentDiversity(chunks: readonly Chunk[]): number {
  return chunks.length === 0 ? 0 : documentCount(chunks) / chunks.length
}

/** What a careless retriever leaves out is `undefined` or `null`, in spite of its type. */
function isNamed(documentId: string | null | undefined): boolean {
  return (documentId ?? '') !== ''
}
