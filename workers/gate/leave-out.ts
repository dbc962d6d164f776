/** Leaving passages out of a search: without those that answer it, a question becomes one to be refused. */
import type { Ranking } from 'hono-rag-gate/core/evidence'

/** What a passage is known by. */
export interface PassageIds {
  readonly id: string
  readonly documentId: string
}

/** Whether a passage is meant by ids of passages or documents. */
export function isNamed({ id, documentId }: PassageIds, ids: ReadonlySet<string>): boolean {
  return ids.has(id) || ids.has(documentId)
}

/**
 * Rankings without the passages that are named, by their own id or that of their document. Order and scores of the rest
 * stay as they are.
 */
export function leaveOut(rankings: readonly Ranking[], ids: readonly string[]): readonly Ranking[] {
  if (ids.length === 0) return rankings
  const leftOut = new Set(ids)
  return rankings.map(({ kind, entries }) => ({
    kind,
    entries: entries.filter(({ passage }) => !isNamed(passage, leftOut)),
  }))
}
