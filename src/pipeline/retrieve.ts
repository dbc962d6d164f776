/** One retrieval: published passages for a question, by every method of the retriever, fused. */
import { scoreWithinRange } from '../core/evidence/score-kinds.ts'
import type { QuestionPorts, QuestionSettings } from './question-settings.ts'
import type { Retriever } from '../ports/retriever.ts'
import type { Ranking } from '../core/evidence/chunk.ts'
import type { Evidence } from '../core/evidence/evidence.ts'
import { fuse } from '../core/evidence/fusion.ts'
import { namespaceOf } from '../core/lib/ids.ts'
import { idfMass, type Lexicon } from '../core/text/lexicon.ts'
import { passesFilter, type PassageFilter } from '../core/evidence/passage-filter.ts'
import { checkPassage } from '../core/evidence/rows.ts'
import { terms } from '../core/text/terms.ts'
import { asRagGateError, RagGateError } from '../errors.ts'
import type { QuestionPlace } from './find-place.ts'
import { confirmSameEmbedding } from './same-embedding.ts'
import { type Faults, withinDeadline } from './within-deadline.ts'

/** What a retrieval that ended badly is called. */
const RETRIEVER_FAULTS: Faults = {
  late: 'retriever_timeout',
  failed: 'retriever_unavailable',
  what: 'The retrieval',
}

/** Where is searched. */
export interface Search extends Pick<QuestionPlace, 'collection' | 'policy' | 'filter'> {
  readonly lexicon: Lexicon
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
      confirmSameEmbedding(retriever, search, signal),
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
  { collection: where, policy: { language }, lexicon, filter }: Search,
  words: string,
  signal: AbortSignal,
): Promise<Evidence> {
  const { tenant, id: collection, unpublishedChunkIds } = where
  const returned = await retriever.retrieve({
    tenant,
    collection,
    namespace: namespaceOf(tenant, collection),
    question: words,
    topK: topK + Math.min(topK, unpublishedChunkIds.length),
    signal,
    ...(filter && { filter }),
  })
  const rankings = checkRankings(returned, filter, unpublishedChunkIds)
  return fuse(rankings, { idfMass: idfMass(lexicon, terms(words, language)), topK })
}

/**
 * What a custom retriever gave, held to what it must be: a grade of 7 or a logit is no score of its kind, and is dropped and
 * counted like one that is no number; what is no ranking or no passage is a fault. What no published document has is no
 * evidence. A retriever that knows no filters finds what a caller may not see: that must not go unnoticed.
 */
function checkRankings(
  returned: readonly Ranking[],
  filter: PassageFilter | undefined,
  unpublishedChunkIds: readonly string[],
): readonly Ranking[] {
  const unpublished = new Set(unpublishedChunkIds)
  try {
    return returned.map(({ kind, entries }) => {
      const checked = entries.map((entry) => {
        const passage = checkPassage(entry.passage)
        if (filter !== undefined && !passesFilter(passage, filter)) {
          throw new RagGateError('retriever_misconfigured', 'The retriever found what the filter leaves out')
        }
        return { passage, score: scoreWithinRange(kind, entry.score) }
      })
      return { kind, entries: checked.filter(({ passage }) => !unpublished.has(passage.id)) }
    })
  } catch (thrown) {
    throw asRagGateError(thrown, 'retriever_bad_response', 'The retriever returned no rankings')
  }
}
