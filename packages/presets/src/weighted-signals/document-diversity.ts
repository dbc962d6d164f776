import type { Chunk } from 'hono-rag-gate/core/evidence'

/** Number of documents that the chunks come from. Each chunk without a document id counts as its own document. */
export function documentCount(chunks: readonly Chunk[]): number {
  const named = chunks.filter(({ documentId }) => isNamed(documentId))
  return new Set(named.map(({ documentId }) => documentId)).size + chunks.length - named.length
}

/**
 * Number of documents divided by number of chunks.
 *
 * @returns above 0, at most 1 (every chunk from another document); 0 without chunks
 * @see the specification of weighted-signals, "Document Diversity"
 */
export function documentDiversity(chunks: readonly Chunk[]): number {
  return chunks.length === 0 ? 0 : documentCount(chunks) / chunks.length
}

/** Untyped retrievers may omit the id, despite its type. */
function isNamed(documentId: string | null | undefined): boolean {
  return (documentId ?? '') !== ''
}
