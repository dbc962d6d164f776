/**
 * The way of a question up to the verdict: collection and policy, answer cache, retrieval, measuring, judging, and the
 * context that a model would read. No HTTP, and no model: what may be answered is decided before anything can answer it.
 */
import type { Context } from '../core/evidence/context.ts'
import type { CacheState, Decision, Expansion } from '../core/policy/decision.ts'
import type { Evidence } from '../core/evidence/evidence.ts'
import { EMPTY_LEXICON, type Lexicon } from '../core/text/lexicon.ts'
import type { Policy } from '../core/policy/policy.ts'
import { checkPassageFilter, type PassageFilter } from '../core/evidence/passage-filter.ts'
import { isRagGateError, RagGateError, type RagGateErrorCode } from '../errors.ts'
import type { CachedAnswer } from '../ports/answer-cache.ts'
import type { Principal } from '../ports/authenticator.ts'
import type { Collection } from '../ports/collections.ts'
import type { Retriever } from '../ports/retriever.ts'
import { type AssessedEvidence, assessEvidence } from './assess-evidence.ts'
import { expandRetrieval } from './expand-retrieval.ts'
import { newId } from './new-id.ts'
import type { AskedQuestion, QuestionPorts, QuestionSettings, RetrievalSettings } from './question-settings.ts'
import { bestOf, retrieve, RETRIEVER_FAULTS, type Search } from './retrieve.ts'
import { questionKey } from './question-key.ts'
import { confirmSameEmbedding, requireSameEmbedding } from './same-embedding.ts'
import { type Faults, withinDeadline } from './within-deadline.ts'

/** What became of a question. */
export type GatedQuestion =
  | { readonly kind: 'cached'; readonly answer: CachedAnswer; readonly ageSeconds: number; readonly stale: boolean }
  | {
      readonly kind: 'judged'
      readonly decision: Decision
      readonly evidence: Evidence
      /** What fits of it into the budget, for the model. */
      readonly context: Context
      readonly policy: Policy
      readonly cache: Exclude<CacheState, 'hit' | 'stale'>
      /** Whether the cache held an answer that is no longer fresh. */
      readonly stale: boolean
      /** Where an answer may be stored; absent without a cache. */
      readonly key?: string
      readonly retrievalMs: number
      /** Absent without a reranker. */
      readonly rerankMs?: number
    }

/**
 * Takes a question up to its verdict: find the collection, make the key, look into the cache, retrieve, assess (rerank,
 * fit the context, measure, judge), and where that was weak and a further round is set, retrieve and assess once more.
 *
 * @throws `collection_not_found`; `embedding_mismatch`; `search_mode`; `retriever_timeout`, `retriever_unavailable` and whatever else the retriever declares.
 *   A failure is never turned into missing evidence.
 */
export async function gateQuestion(
  ports: QuestionPorts,
  settings: QuestionSettings,
  asked: AskedQuestion,
): Promise<GatedQuestion> {
  const { question, principal, searchMode = 'hybrid', without } = asked
  const { retrieval } = settings
  const collection = await findCollection(ports, settings, asked)
  const policy = settings.policy(principal.tenant, collection.id, collection.policyId, collection)
  const filter = filterFor(retrieval, principal, collection)
  // A trial is nobody's answer: it has no key to be kept under.
  const cached = ports.cache !== undefined && without === undefined
  const key = cached ? questionKey(ports, settings, asked, collection, policy, filter) : undefined
  const found = key === undefined ? null : await readCache(ports, key)
  if (found?.fresh === true) return { kind: 'cached', answer: found.answer, ageSeconds: found.ageSeconds, stale: false }

  const lexicon = await findLexicon(ports, settings, collection)
  const search: Search = { collection, lexicon, filter, searchMode, ...(without === undefined ? {} : { without }) }
  const startedMs = ports.clock.nowMs()
  let retrieved: Evidence
  try {
    retrieved = await retrieveFirst(ports.retriever, retrieval, search, question)
  } catch (thrown) {
    if (found === null || !mayServeStale(found, settings.staleIfErrorSeconds, thrown)) throw thrown
    ports.onWarning?.({
      code: isRagGateError(thrown) ? thrown.code : 'retriever_unavailable',
      message: 'The retriever failed: an answer past its lifetime is sent',
      cause: thrown,
    })
    return { kind: 'cached', answer: found.answer, ageSeconds: found.ageSeconds, stale: true }
  }
  const retrievalMs = ports.clock.nowMs() - startedMs
  const measures = { question, policy, lexicon }
  const assess = (evidence: Evidence, timeoutMs: number): Promise<AssessedEvidence> =>
    assessEvidence(ports, settings, measures, evidence, timeoutMs)
  const first = await assess(bestOf(retrieved, retrieval.topK), retrieval.rerankTimeoutMs)
  const further = await expandRetrieval(ports, retrieval, search, question, { retrieved, assessed: first, retrievalMs })
  const last =
    further.evidence === undefined
      ? first
      : await assess(further.evidence, Math.max(1, retrieval.rerankTimeoutMs - first.rerankMs))
  const rerankMs = last === first ? first.rerankMs : first.rerankMs + last.rerankMs
  return {
    kind: 'judged',
    decision: decisionOf(newId(ports.clock), collection, last, further.expansion),
    evidence: last.evidence,
    context: last.context,
    policy,
    cache: key === undefined ? 'bypass' : 'miss',
    stale: found !== null,
    ...(key === undefined ? {} : { key }),
    retrievalMs: further.retrievalMs,
    ...(ports.reranker === undefined ? {} : { rerankMs }),
  }
}

async function findCollection(
  { collections, retriever }: QuestionPorts,
  { retrieval }: QuestionSettings,
  { principal, collection: id }: AskedQuestion,
): Promise<Collection> {
  const found = await withinDeadline(retrieval.timeoutMs, STORE_FAULTS, () => collections.find(principal.tenant, id))
  if (found === null) throw collectionNotFound()
  requireSameEmbedding(retriever, found)
  return found
}

function findLexicon(
  { collections }: QuestionPorts,
  { retrieval }: QuestionSettings,
  { lexiconId }: Collection,
): Promise<Lexicon> {
  return withinDeadline(retrieval.timeoutMs, STORE_FAULTS, async () =>
    lexiconId === null ? EMPTY_LEXICON : collections.lexicon(lexiconId),
  )
}

/** The first retrieval, and beside it the question whether the index still embeds as the collection was embedded. */
function retrieveFirst(
  retriever: Retriever,
  settings: RetrievalSettings,
  search: Search,
  question: string,
): Promise<Evidence> {
  return withinDeadline(settings.timeoutMs, RETRIEVER_FAULTS, async (signal) => {
    const [evidence] = await Promise.all([
      retrieve(retriever, settings, search, question, signal),
      confirmSameEmbedding(retriever, search.collection, signal),
    ])
    return evidence
  })
}

/** An answer found, and how old it is. */
interface FoundAnswer {
  readonly answer: CachedAnswer
  readonly ageSeconds: number
  readonly fresh: boolean
}

/** A cache that fails is a cache that holds nothing: the question is then judged like any other. */
async function readCache({ cache, clock }: QuestionPorts, key: string): Promise<FoundAnswer | null> {
  try {
    const answer = (await cache?.get(key)) ?? null
    if (answer === null) return null
    const ageSeconds = Math.floor((clock.nowMs() - answer.storedAtMs) / 1000)
    // An answer from the future tells of a clock that was set back: its age is unknown.
    return { answer, ageSeconds, fresh: ageSeconds >= 0 && ageSeconds < answer.lifetimeSeconds }
  } catch {
    return null
  }
}

/** Checked for every question: where it comes from a function, it may depend on who asks. */
function filterFor(
  settings: RetrievalSettings,
  principal: Principal,
  collection: Collection,
): PassageFilter | undefined {
  const filter = settings.filter?.(principal, collection.id)
  return filter === undefined ? undefined : checkPassageFilter(filter)
}

/** What a retriever does that is down. What it cannot search at all, it could not search before either. */
const OUTAGES: readonly RagGateErrorCode[] = [
  'retriever_timeout',
  'retriever_unavailable',
  'retriever_misconfigured',
  'retriever_bad_response',
]

/**
 * Whether an answer past its lifetime may stand in for a retriever that failed: within the window of the route, and that
 * of the answer. The key names the corpus version, so it was given over the same documents.
 *
 * @see RFC 5861, section 4
 */
function mayServeStale({ answer, ageSeconds }: FoundAnswer, windowSeconds = 0, thrown: unknown): boolean {
  const window = Math.min(windowSeconds, answer.staleIfErrorSeconds ?? 0)
  const outage = isRagGateError(thrown) && OUTAGES.includes(thrown.code)
  return outage && ageSeconds >= 0 && ageSeconds < answer.lifetimeSeconds + window
}

const STORE_FAULTS: Faults = { late: 'store_unavailable', failed: 'store_unavailable', what: 'The database' }

/** The one answer for a collection that does not exist, or not for this caller. */
export function collectionNotFound(): RagGateError {
  return new RagGateError('collection_not_found', 'There is no such collection; ingest a document into it first')
}

function decisionOf(
  id: string,
  collection: Collection,
  { evidence, reranker, signals, judgement }: AssessedEvidence,
  expansion: Expansion | undefined,
): Decision {
  return {
    id,
    tenant: collection.tenant,
    collection: collection.id,
    corpusVersion: collection.corpusVersion,
    signals,
    rankedBy: evidence.rankedBy,
    reranker,
    ...(expansion === undefined ? {} : { expansion }),
    evidenceIds: evidence.chunks.map((chunk) => chunk.id),
    documentIds: [...new Set(evidence.chunks.map(({ documentId }) => documentId))],
    ...judgement,
  }
}
