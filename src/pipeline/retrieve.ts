/** One retrieval: published passages for some words, by the methods that take part, fused. */
import { scoreWithinRange } from '../core/evidence/score-kinds.ts'
import type { RetrievalSettings } from './question-settings.ts'
import type { Retriever } from '../ports/retriever.ts'
import type { Collection } from '../ports/collections.ts'
import type { Ranking } from '../core/evidence/chunk.ts'
import type { Evidence } from '../core/evidence/evidence.ts'
import { fuse } from '../core/evidence/fusion.ts'
import { leaveOut } from '../core/evidence/leave-out.ts'
import { namespaceOf } from '../core/lib/ids.ts'
import { idfMass, type Lexicon } from '../core/text/lexicon.ts'
import { passesFilter, type PassageFilter } from '../core/evidence/passage-filter.ts'
import { checkPassage } from '../core/evidence/rows.ts'
import { rankingsOfMode, type SearchMode } from '../core/evidence/search-mode.ts'
import { terms } from '../core/text/terms.ts'
import { RagGateError } from '../errors.ts'
import type { Faults } from './within-deadline.ts'

/** What a retrieval that ended badly is called. */
export const RETRIEVER_FAULTS: Faults = {
  late: 'retriever_timeout',
  failed: 'retriever_unavailable',
  what: 'The retrieval',
}

/** Where is searched, and how: the same for every wording of a question. */
export interface Search {
  readonly collection: Collection
  readonly lexicon: Lexicon
  /** Which passages may be found; `undefined` for all. */
  readonly filter: PassageFilter | undefined
  readonly searchMode: SearchMode
  /** Ids of passages and documents that are left out, in a trial. @default none */
  readonly without?: readonly string[]
}

/** Further candidates in a trial: as many passages as may be left out of the best and still be made up for. */
const CANDIDATES_FOR_TRIALS = 100

/**
 * Everything that was retrieved for these words, fused: as many as `candidates` of each method, and up to as many again
 * while the collection has unpublished chunks, which take places and are left out.
 *
 * @param words the question, or other words for it
 * @throws what the retriever throws; `search_mode`; `retriever_bad_response` when it found what is no passage; `retriever_misconfigured` when it ignores the filter
 */
export async function retrieve(
  retriever: Retriever,
  settings: RetrievalSettings,
  searched: Search,
  words: string,
  signal: AbortSignal,
): Promise<Evidence> {
  const { collection: where, lexicon, filter, searchMode, without = [] } = searched
  const { tenant, id: collection, unpublishedChunkIds } = where
  const { candidates, fusion, fusionWeights, rrfK } = settings
  const spare = without.length > 0 ? CANDIDATES_FOR_TRIALS : 0
  const topK = candidates + Math.min(candidates, unpublishedChunkIds.length) + spare
  const search = { tenant, collection, namespace: namespaceOf(tenant, collection), question: words, topK, signal }
  const returned = await retriever.retrieve(filter === undefined ? search : { ...search, filter })
  if (filter !== undefined) requireFiltered(returned, filter)
  const published = publishedOnly(returned, unpublishedChunkIds).map(checked)
  const rankings = rankingsOfMode(withoutLeftOut(published, without, candidates), searchMode)
  return fuse(rankings, {
    method: fusion,
    k: rrfK,
    weights: fusionWeights,
    idfMass: idfMass(lexicon, terms(words)),
    topK: rankings.reduce((count, { entries }) => count + entries.length, 0),
  })
}

/** The best of the evidence, as many as are judged. */
export function bestOf(evidence: Evidence, topK: number): Evidence {
  return { ...evidence, chunks: evidence.chunks.slice(0, topK) }
}

/** A retriever that knows no filters finds what a caller may not see: that must not go unnoticed. */
function requireFiltered(rankings: readonly Ranking[], filter: PassageFilter): void {
  if (rankings.every(({ entries }) => entries.every(({ passage }) => passesFilter(passage, filter)))) return
  throw new RagGateError('retriever_misconfigured', 'The retriever found what the filter leaves out')
}

/**
 * What a retriever of somebody's own gave, held to what it must be. A grade of 7 or a logit is no score of its kind: it is
 * dropped and counted like one that is no number. What is no passage is a fault.
 */
function checked({ kind, entries }: Ranking): Ranking {
  return {
    kind,
    entries: entries.map(({ passage, score }) => ({
      passage: checkPassage(passage),
      score: scoreWithinRange(kind, score),
    })),
  }
}

/** The rankings of a trial without what it leaves out: as many passages of each method as in any other search. */
function withoutLeftOut(
  rankings: readonly Ranking[],
  without: readonly string[],
  candidates: number,
): readonly Ranking[] {
  if (without.length === 0) return rankings
  return leaveOut(rankings, without).map(({ kind, entries }) => ({
    kind,
    entries: entries.slice(0, candidates),
  }))
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
