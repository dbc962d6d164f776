/** One retrieval: published passages for a question, by every method of the retriever, fused. */
import { scoreWithinRange } from '../core/evidence/score-kinds.ts'
import type { QuestionPorts, QuestionSettings } from './question-settings.ts'
import type { Retriever } from '../ports/retriever.ts'
import type { Collection } from '../ports/collections.ts'
import type { Ranking } from '../core/evidence/chunk.ts'
import type { Evidence } from '../core/evidence/evidence.ts'
import { fuse } from '../core/evidence/fusion.ts'
import { namespaceOf } from '../core/lib/ids.ts'
import type { Language } from '../core/text/language.ts'
import { idfMass, type Lexicon } from '../core/text/lexicon.ts'
import { passesFilter, type PassageFilter } from '../core/evidence/passage-filter.ts'
import { checkPassage } from '../core/evidence/rows.ts'
import { terms } from '../core/text/terms.ts'
import { RagGateError } from '../errors.ts'
import { confirmSameEmbedding } from './same-embedding.ts'
import { type Faults, withinDeadline } from './within-deadline.ts'

/** What a retrieval that ended badly is called. */
const RETRIEVER_FAULTS: Faults = {
  late: 'retriever_timeout',
  failed: 'retriever_unavailable',
  what: 'The retrieval',
}

/** Where is searched. */
export interface Search {
  readonly collection: Collection
  /** The policy's, or none. */
  readonly language: Language | undefined
  readonly lexicon: Lexicon
  /** Which passages may be found; `undefined` for all. */
  readonly filter: PassageFilter | undefined
}

/** What was retrieved, and how long that took. */
export interface Retrieval {
  /** Fused, as many passages as are judged. */
  readonly evidence: Evidence
  readonly retrievalMs: number
}

/**
 * Retrieves, and asks beside it whether the index still embeds as the collection was embedded.
 *
 * @param words the question without the talk around it
 * @throws `retriever_timeout`, `retriever_unavailable`, `embedding_mismatch`; what the retriever throws;
 *   `retriever_bad_response` when it found what is no passage; `retriever_misconfigured` when it ignores the filter
 */
export async function retrieve(
  { retriever, clock }: Pick<QuestionPorts, 'retriever' | 'clock'>,
  { retrieval: { topK, timeoutMs } }: Pick<QuestionSettings, 'retrieval'>,
  search: Search,
  words: string,
): Promise<Retrieval> {
  const startedMs = clock.nowMs()
  const evidence = await withinDeadline(timeoutMs, RETRIEVER_FAULTS, async (signal) => {
    const [found] = await Promise.all([
      findEvidence(retriever, topK, search, words, signal),
      confirmSameEmbedding(retriever, search.collection, signal),
    ])
    return found
  })
  return { evidence, retrievalMs: clock.nowMs() - startedMs }
}

/**
 * Published passages, fused: `topK` of each method are asked for, and up to as many again while the collection has
 * unpublished chunks, which take places and are left out.
 */
async function findEvidence(
  retriever: Retriever,
  topK: number,
  { collection: where, language, lexicon, filter }: Search,
  words: string,
  signal: AbortSignal,
): Promise<Evidence> {
  const { tenant, id: collection, unpublishedChunkIds } = where
  const asked = topK + Math.min(topK, unpublishedChunkIds.length)
  const search = {
    tenant,
    collection,
    namespace: namespaceOf(tenant, collection),
    question: words,
    topK: asked,
    signal,
  }
  const returned = await retriever.retrieve(filter === undefined ? search : { ...search, filter })
  if (filter !== undefined) requireFiltered(returned, filter)
  const published = publishedOnly(returned, unpublishedChunkIds).map(checked)
  return fuse(published, { idfMass: idfMass(lexicon, terms(words, language)), topK })
}

/** A retriever that knows no filters finds what a caller may not see: that must not go unnoticed. */
function requireFiltered(rankings: readonly Ranking[], filter: PassageFilter): void {
  if (rankings.every(({ entries }) => entries.every(({ passage }) => passesFilter(passage, filter)))) return
  throw new RagGateError('retriever_misconfigured', 'The retriever found what the filter leaves out')
}

/**
 * What a custom retriever gave, held to what it must be. A grade of 7 or a logit is no score of its kind: it is
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

/** What the index holds and no published document has is no evidence. */
function publishedOnly(rankings: readonly Ranking[], unpublishedChunkIds: readonly string[]): readonly Ranking[] {
  if (unpublishedChunkIds.length === 0) return rankings
  const unpublished = new Set(unpublishedChunkIds)
  return rankings.map(({ kind, entries }) => ({
    kind,
    entries: entries.filter(({ passage }) => !unpublished.has(passage.id)),
  }))
}
