/** One retrieval: published passages for some words, by the methods that take part, fused. */
import type { Ranking } from '../core/chunk.ts'
import type { Evidence } from '../core/evidence.ts'
import { fuseConvex } from '../core/fusion.ts'
import { namespaceOf } from '../core/ids.ts'
import { idfMass } from '../core/lexicon.ts'
import { rankingsOfMode } from '../core/search-mode.ts'
import { terms } from '../core/text.ts'
import type { Asking } from './asking.ts'
import type { Faults } from './within-deadline.ts'

/** What a retrieval that ended badly is called. */
export const RETRIEVER_FAULTS: Faults = {
  late: 'retriever_timeout',
  failed: 'retriever_unavailable',
  what: 'The retrieval',
}

/**
 * Everything that was retrieved for these words, fused: as many as `topK` of each method.
 *
 * @param words the question, or other words for it
 * @throws what the retriever throws; `search_mode`
 */
export async function retrieve(
  { ports, settings, asked, collection: searched, lexicon }: Asking,
  words: string,
  signal: AbortSignal,
): Promise<Evidence> {
  const { topK, fusionWeights } = settings
  const { tenant, id: collection, unpublishedChunkIds } = searched
  const wanted = topK + Math.min(topK, unpublishedChunkIds.length)
  const namespace = namespaceOf(tenant, collection)
  const returned = await ports.retriever.retrieve({
    tenant,
    collection,
    namespace,
    question: words,
    topK: wanted,
    signal,
  })
  const rankings = rankingsOfMode(publishedOnly(returned, unpublishedChunkIds), asked.searchMode ?? 'hybrid')
  return fuseConvex(rankings, {
    weights: fusionWeights,
    idfMass: idfMass(lexicon, terms(words)),
    topK: rankings.reduce((count, { entries }) => count + entries.length, 0),
  })
}

/** The best of the evidence, as many as are judged. */
export function bestOf(evidence: Evidence, topK: number): Evidence {
  return { ...evidence, chunks: evidence.chunks.slice(0, topK) }
}

/** What the index holds and no published document has is no evidence. */
function publishedOnly(rankings: readonly Ranking[], unpublishedChunkIds: readonly string[]): readonly Ranking[] {
  if (unpublishedChunkIds.length === 0) return rankings
  const unpublished = new Set(unpublishedChunkIds)
  return rankings.map(({ kind, entries }) => ({
    kind,
    entries: entries.filter(({ passage }) => !unpublished.has(passage.id)),
  }))
}
