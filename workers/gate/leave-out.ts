/** Leaves passages out of a search: without the passages that answer it, a question becomes unanswerable. */
import type { Ranking } from 'hono-rag-gate/core/evidence'

/** Ids of a passage. */
export interface PassageIds {
  readonly id: string
  readonly documentId: string
}

/** Whether a passage or its document is among the ids. */
export function isNamed({ id, documentId }: PassageIds, ids: ReadonlySet<string>): boolean {
  return ids.has(id) || ids.has(documentId)
}

/**
 * Rankings without the passages that are named by their own id or their document's; order and scores of the others are
 * unchanged.
 */
export function leaveOut(rankings: readonly Ranking[], ids: readonly string[]): readonly Ranking[] {
  if (ids.length === 0) return rankings
  const leftOut = new Set(ids)
  return rankings.map(({ kind, entries }) => ({
    kind,
    entries: entries.filter(({ passage }) => !isNamed(passage, leftOut)),
  }))
}
