/**
 * The way of a question up to the verdict: collection and policy, answer cache, retrieval, measuring, judging, and the
 * context that a model would read. No HTTP, and no model: what may be answered is decided before anything can answer it.
 */
import type { Context } from '../core/evidence/context.ts'
import type { CacheState, Decision, Expansion } from '../core/policy/decision.ts'
import type { Evidence } from '../core/evidence/evidence.ts'
import { questionFindings } from '../core/policy/question-findings.ts'
import { questionParts } from '../core/text/question-parts.ts'
import { EMPTY_LEXICON, type Lexicon } from '../core/text/lexicon.ts'
import type { Policy } from '../core/policy/policy.ts'
import { checkPassageFilter, type PassageFilter } from '../core/evidence/passage-filter.ts'
import { isRagGateError, RagGateError } from '../errors.ts'
import type { CachedAnswer } from '../ports/answer-cache.ts'
import type { Principal } from '../ports/authenticator.ts'
import type { Collection } from '../ports/collections.ts'
import type { Retriever } from '../ports/retriever.ts'
import { type AssessedEvidence, assessEvidence } from './assess-evidence.ts'
import { expandRetrieval } from './expand-retrieval.ts'
import { newId } from './new-id.ts'
import type {
  QuestionRequest,
  CacheUse,
  QuestionPorts,
  QuestionSettings,
  RetrievalSettings,
} from './question-settings.ts'
import { bestOf, retrieve, RETRIEVER_FAULTS, type Search } from './retrieve.ts'
import { keyOfEvidence, questionKey, sharedKeyParts } from './question-key.ts'
import { confirmSameEmbedding, requireSameEmbedding } from './same-embedding.ts'
import { findStored, knownPurges, mayStandIn, type StoredAnswer } from './stored-answer.ts'
import { type Faults, withinDeadline } from './within-deadline.ts'

/** What became of a question. */
export type GateResult =
  | {
      readonly kind: 'cached'
      readonly answer: CachedAnswer
      /** The policy that decided: it is part of the key under which the answer was found. */
      readonly policy: Policy
      /** What `Age` says. */
      readonly ageSeconds: number
      /** Seconds of its lifetime that are left; negative past it. */
      readonly ttlSeconds: number
      /** `hit`: before anything was retrieved; `evidence-hit`: after retrieval and judgement; `stale`: past its lifetime. */
      readonly cache: Extract<CacheState, 'hit' | 'evidence-hit' | 'stale'>
      /** Of an evidence hit: how it was judged today, and where it belongs so that the next question needs no retrieval. */
      readonly judged?: {
        readonly decision: Decision
        readonly key: string
        readonly retrievalMs: number
        readonly rerankMs?: number
      }
    }
  | {
      readonly kind: 'judged'
      readonly decision: Decision
      readonly evidence: Evidence
      /** What fits of it into the budget, for the model. */
      readonly context: Context
      readonly policy: Policy
      readonly cache: Extract<CacheState, 'miss' | 'bypass'>
      /** Whether the cache held an answer that is no longer fresh. */
      readonly stale: boolean
      /** Where the answer may be stored; absent when it must not be. */
      readonly key?: string
      /** Where else, once it is known by its evidence; absent for a refusal, and where the corpus never changed. */
      readonly evidenceKey?: string
      /** Latest purge known when the question came. */
      readonly purgeEpoch: number
      readonly retrievalMs: number
      /** Absent without a reranker. */
      readonly rerankMs?: number
    }

/** How the cache takes part where nothing else is said. */
const FULL_USE: CacheUse = { read: true, store: true }

/**
 * Takes a question up to its verdict: find the collection, refuse what cannot be read or judged, make the key, look into
 * the cache, retrieve, assess (rerank, fit the context, measure, judge), where that was weak and a further round is set,
 * retrieve and assess once more, and look into the cache for an answer from the same evidence.
 *
 * @throws `not_cached` where only a stored answer is wanted; `collection_not_found`; `embedding_mismatch`; `search_mode`; `retriever_timeout`, `retriever_unavailable` and whatever else the retriever declares.
 *   A failure is never turned into missing evidence.
 */
export async function gateQuestion(
  ports: QuestionPorts,
  settings: QuestionSettings,
  request: QuestionRequest,
): Promise<GateResult> {
  const { question, principal, searchMode = 'hybrid', cacheUse = FULL_USE, without } = request
  const { retrieval } = settings
  // A trial is nobody's answer: it has no key to be kept under.
  const cached = ports.cache !== undefined && without === undefined && (cacheUse.read || cacheUse.store)
  // Read before anything is retrieved: what is purged while this question is answered reaches its answer too.
  const purging = cached ? knownPurges(ports, principal.tenant, retrieval.timeoutMs) : undefined
  const collection = await findCollection(ports, settings, request)
  const policy = settings.policy(principal.tenant, collection.id, collection.policyId, collection)
  const filter = filterFor(retrieval, principal, collection)
  const purges = await purging
  const refused = await refuseUnseen(ports, settings, question, collection, policy)
  if (refused !== undefined) return refused
  const shared = purges && sharedKeyParts(ports, settings, request, collection, policy, filter)
  const key = shared && questionKey(shared, collection)
  const found = key === undefined || !cacheUse.read ? null : await findStored(ports, key, purges!)
  if (found?.fresh === true && mayBeSent(found, request)) return cachedAs('hit', found, policy)
  if (cacheUse.only !== undefined) {
    throw new RagGateError('not_cached', 'There is no stored answer, and only a stored one was asked for')
  }

  const lexicon = await findLexicon(ports, settings, collection)
  const { asked } = questionParts(question)
  const search: Search = { collection, lexicon, filter, searchMode, ...(without === undefined ? {} : { without }) }
  const startedMs = ports.clock.nowMs()
  let retrieved: Evidence
  try {
    retrieved = await retrieveFirst(ports.retriever, retrieval, search, asked)
  } catch (thrown) {
    if (found === null || !mayStandIn(found, settings.staleIfErrorSeconds, thrown)) throw thrown
    ports.onWarning?.({
      code: isRagGateError(thrown) ? thrown.code : 'retriever_unavailable',
      message: 'The retriever failed: an answer past its lifetime is sent',
      cause: thrown,
    })
    return cachedAs('stale', found, policy)
  }
  const retrievalMs = ports.clock.nowMs() - startedMs
  const measures = { question, policy, lexicon }
  const assess = (evidence: Evidence, timeoutMs: number): Promise<AssessedEvidence> =>
    assessEvidence(ports, settings, measures, evidence, timeoutMs)
  const first = await assess(bestOf(retrieved, retrieval.topK), retrieval.rerankTimeoutMs)
  const further = await expandRetrieval(ports, retrieval, search, asked, { retrieved, assessed: first, retrievalMs })
  const last =
    further.evidence === undefined
      ? first
      : await assess(further.evidence, Math.max(1, retrieval.rerankTimeoutMs - first.rerankMs))
  const rerankMs = last === first ? first.rerankMs : first.rerankMs + last.rerankMs
  const decision = decisionOf(newId(ports.clock), collection, last, further.expansion)
  const timings = { retrievalMs: further.retrievalMs, ...(ports.reranker === undefined ? {} : { rerankMs }) }
  // An answer to what is refused is never stored, nor is one before the first change of the documents asked for by evidence.
  const evidenceKey = shared && decision.verdict !== 'refuse' ? await keyOfEvidence(shared, last) : undefined
  if (evidenceKey !== undefined && cacheUse.read && collection.corpusVersion > FIRST_VERSION) {
    const same = await findStored(ports, evidenceKey, purges!)
    if (same?.fresh === true && mayBeSent(same, request)) {
      return { ...cachedAs('evidence-hit', same, policy), judged: { decision, key: key!, ...timings } }
    }
  }
  return {
    kind: 'judged',
    decision,
    evidence: last.evidence,
    context: last.context,
    policy,
    cache: key === undefined || !cacheUse.read ? 'bypass' : 'miss',
    stale: found !== null,
    ...(key === undefined || !cacheUse.store ? {} : { key, ...(evidenceKey === undefined ? {} : { evidenceKey }) }),
    purgeEpoch: purges?.epoch ?? 0,
    ...timings,
  }
}

/** Version of a collection that was published once, or never changes: there is nothing older to find by its evidence. */
const FIRST_VERSION = 1

function cachedAs(
  cache: 'hit' | 'evidence-hit' | 'stale',
  { answer, ageSeconds, residentSeconds }: StoredAnswer,
  policy: Policy,
): Extract<GateResult, { kind: 'cached' }> {
  return { kind: 'cached', cache, answer, policy, ageSeconds, ttlSeconds: answer.lifetimeSeconds - residentSeconds }
}

/** Whether a fresh answer is young enough for this caller, and his to be had on demand. */
function mayBeSent({ answer, ageSeconds }: StoredAnswer, { cacheUse, principal }: QuestionRequest): boolean {
  const { maxAgeSeconds = Infinity, only } = cacheUse ?? FULL_USE
  return ageSeconds <= maxAgeSeconds && (only !== 'own' || answer.principalId === principal.id)
}

const NO_EVIDENCE: Evidence = { rankedBy: 'convex', chunks: [], kinds: [], dropped: 0 }

/**
 * A question that is refused for itself needs no retrieval. Where a refusal does not stand (`observe`, disabled gates), it
 * is retrieved and judged like any other.
 */
async function refuseUnseen(
  { clock }: QuestionPorts,
  settings: QuestionSettings,
  question: string,
  collection: Collection,
  policy: Policy,
): Promise<GateResult | undefined> {
  const stands = settings.mode === 'enforce' && policy.dangerouslyDisableGates !== true
  if (!stands || questionFindings(question).length === 0) return undefined
  const measures = { question, policy, lexicon: EMPTY_LEXICON }
  const assessed = await assessEvidence({ clock }, settings, measures, NO_EVIDENCE, 1)
  const { evidence, context } = assessed
  const decision = decisionOf(newId(clock), collection, assessed, undefined)
  return {
    kind: 'judged',
    decision,
    evidence,
    context,
    policy,
    cache: 'bypass',
    stale: false,
    purgeEpoch: 0,
    retrievalMs: 0,
  }
}

async function findCollection(
  { collections, retriever }: QuestionPorts,
  { retrieval }: QuestionSettings,
  { principal, collection: id }: QuestionRequest,
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

/** Checked for every question: where it comes from a function, it may depend on who asks. */
function filterFor(
  settings: RetrievalSettings,
  principal: Principal,
  collection: Collection,
): PassageFilter | undefined {
  const filter = settings.filter?.(principal, collection.id)
  return filter === undefined ? undefined : checkPassageFilter(filter)
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
