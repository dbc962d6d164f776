/** Retrieval: published passages for a question, by every method of the retriever, fused. */
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

/** Errors of a failed retrieval. */
const RETRIEVER_FAULTS: Faults = {
  late: 'retriever_timeout',
  failed: 'retriever_unavailable',
  what: 'The retrieval',
}

/** A search: where and for what. */
export interface Search extends Pick<QuestionPlace, 'collection' | 'policy' | 'filter'> {
  readonly lexicon: Lexicon
}

/** Retrieved evidence, and the time it took. */
export interface Retrieval {
  /** Fused, cut to the number of passages that are judged. */
  readonly evidence: Evidence
  readonly retrievalMs: number
}

/**
 * Retrieves evidence, and checks in parallel that the index still has the collection's embedding.
 *
 * @param words what is searched for
 * @throws `retriever_timeout`, `retriever_unavailable`, `embedding_mismatch`; the retriever's errors;
 *   `retriever_bad_response` for an invalid passage; `retriever_misconfigured` when it ignores the filter
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
 * Published passages, fused. It requests `topK` per method, and up to twice as many while the collection has unpublished
 * chunks, which are then left out.
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
 * Validates a custom retriever's rankings. A score out of range, such as a grade of 7 or a logit, is marked to be dropped and
 * counted; an invalid ranking or passage is an error. Unpublished passages are removed. A passage outside the filter is an
 * error, because the retriever would otherwise show callers passages that they may not see.
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
          throw new RagGateError('retriever_misconfigured', 'The retriever ignored the filter')
        }
        return { passage, score: scoreWithinRange(kind, entry.score) }
      })
      return { kind, entries: checked.filter(({ passage }) => !unpublished.has(passage.id)) }
    })
  } catch (thrown) {
    throw asRagGateError(thrown, 'retriever_bad_response', 'The retriever returned no rankings')
  }
}
