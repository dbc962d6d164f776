/**
 * The way of a question up to the verdict: collection and policy, answer cache, retrieval, measuring, judging, and the
 * context that a model would read. No HTTP, and no model: what may be answered is decided before anything can answer it.
 */
import type { Context } from '../core/evidence/context.ts'
import type { CacheState, Decision } from '../core/policy/decision.ts'
import type { Evidence } from '../core/evidence/evidence.ts'
import type { Policy } from '../core/policy/policy.ts'
import { questionFindings } from '../core/policy/question-findings.ts'
import { EMPTY_LEXICON } from '../core/text/lexicon.ts'
import { isRagGateError, RagGateError } from '../errors.ts'
import type { CachedAnswer } from '../ports/answer-cache.ts'
import type { Lead } from '../ports/coalescer.ts'
import type { Collection } from '../ports/collections.ts'
import { type AssessedEvidence, assessEvidence } from './assess-evidence.ts'
import { findLexicon, findPlace, type QuestionPlace } from './find-place.ts'
import { joinFlight, type JoinedFlight, workAsLeader } from './join-flight.ts'
import { newId } from './new-id.ts'
import { type AnswerKeys, answerKeys, keyOfEvidence } from './question-key.ts'
import { FULL_USE, type QuestionPorts, type QuestionRequest, type QuestionSettings } from './question-settings.ts'
import { findSimilar } from './find-similar.ts'
import type { Search } from './retrieve.ts'
import { findStored, isOutage, isSendable, mayBeSentStale, mayStandIn, type StoredAnswer } from './stored-answer.ts'
import { type FirstRetrieval, retrieveFirst, type WeighedEvidence, weighEvidence } from './weigh-evidence.ts'

/** A question answered from the cache. */
export interface CachedResult {
  readonly kind: 'cached'
  readonly answer: CachedAnswer
  /** The policy that decided: it is part of the key under which the answer was found. */
  readonly policy: Policy
  /** Rounds of retrieval on the way of this question: none before a `hit`. */
  readonly retrievals: number
  /** What `Age` says. */
  readonly ageSeconds: number
  /** Seconds of its lifetime that are left; negative past it. */
  readonly ttlSeconds: number
  /**
   * `hit`: before anything was retrieved; `evidence-hit`: after retrieval and judgement; `similar`: likewise, and made for
   * another wording; `collapsed`: made meanwhile for somebody who asked the same. Past its lifetime: `stale` in the place
   * of one that could not be made, `refreshed` until a new one is there, which the caller has made.
   */
  readonly cache: Extract<CacheState, 'hit' | 'evidence-hit' | 'stale'> | 'similar' | 'collapsed' | 'refreshed'
  /** Of one that was found after retrieval: how it was judged today. */
  readonly judged?: {
    readonly decision: Decision
    /** Where it belongs, so that the next question needs no retrieval; absent for another wording. */
    readonly key?: string
    readonly retrievalMs: number
    readonly rerankMs?: number
  }
  /** Where others may wait for what becomes of it. */
  readonly lead?: Lead
}

/** A question judged anew: a handler may answer it, or it is refused. */
export interface JudgedResult {
  readonly kind: 'judged'
  readonly decision: Decision
  readonly evidence: Evidence
  /** What fits of it into the budget, for the model. */
  readonly context: Context
  readonly policy: Policy
  readonly cache: Extract<CacheState, 'miss' | 'bypass'>
  /** Whether the cache held an answer that is no longer fresh. */
  readonly stale: boolean
  /** What may be sent instead where no answer can be made. */
  readonly standIn?: CachedResult
  /** Where the answer may be stored; absent when it must not be. */
  readonly key?: string
  /** Where else, once it is known by its evidence; absent for a refusal, and where the corpus never changed. */
  readonly evidenceKey?: string
  /** Where else, for other wordings of the question; absent without `reuse`. */
  readonly anyQuestionKey?: string
  /** Latest purge known when the question came. */
  readonly purgeEpoch: number
  /** Rounds of retrieval: none for a question that is refused for itself. */
  readonly retrievals: number
  readonly retrievalMs: number
  /** Absent without a reranker. */
  readonly rerankMs?: number
  /** Where others may wait for what becomes of it. */
  readonly lead?: Lead
  /** Whether it had no share in the answer of somebody who asked the same. */
  readonly alone?: true
}

/** What became of a question. */
export type GateResult = CachedResult | JudgedResult

/**
 * Takes a question up to its verdict, stage by stage. Some of them may end it early: a question that is refused for
 * itself, one that was answered before, or is being answered for somebody else, and one that was answered before from the
 * same evidence. Whoever gets a `lead` with the result says by it how the answer ended.
 *
 * @throws `not_cached` where only a stored answer is wanted; `collection_not_found`; `embedding_mismatch`; `search_mode`; `retriever_timeout`, `retriever_unavailable` and whatever else the retriever declares.
 *   A failure is never turned into missing evidence.
 */
export async function gateQuestion(
  ports: QuestionPorts,
  settings: QuestionSettings,
  request: QuestionRequest,
): Promise<GateResult> {
  const place = await findPlace(ports, settings, request)
  const unseen = await refuseUnseen(ports, settings, request, place)
  if (unseen !== undefined) return unseen

  const keys = answerKeys(ports, settings, request, place)
  const stored = await findStored(ports, request, place, keys?.byQuestion)
  if (isSendable(stored, request)) return cachedAs('hit', stored, place, 0)
  if (mayBeSentStale(stored, settings, request)) return cachedAs('refreshed', stored, place, 0)
  requireNewWanted(request)

  const flight = await joinFlight(ports, settings, request, place, keys?.byQuestion)
  if (flight.answer !== undefined) return cachedAs('collapsed', flight.answer, place, 0)
  return workAsLeader(flight, () => gateAnew(ports, settings, request, { ...place, keys, stored, flight }))
}

/** What is known of a question whose answer is not stored. */
interface UnansweredQuestion extends QuestionPlace {
  readonly keys: AnswerKeys | undefined
  /** An answer past its lifetime, or not young enough for this caller. */
  readonly stored: StoredAnswer | null
  readonly flight: JoinedFlight
}

/** The stages from the retrieval on. */
async function gateAnew(
  ports: QuestionPorts,
  settings: QuestionSettings,
  request: QuestionRequest,
  unanswered: UnansweredQuestion,
): Promise<GateResult> {
  const { keys, stored, policy } = unanswered
  const search = await searchFor(ports, settings, request, unanswered)
  const first = await retrieveOrStandIn(ports, settings, request, unanswered, search)
  if ('kind' in first) return first

  const weighed = await weighEvidence(ports, settings, search, { ...request, policy }, first)
  const { assessed, timings } = weighed
  const decision = decisionOf(newId(ports.clock), unanswered.collection, weighed)
  const retrievals = 1 + (weighed.expansion?.retrievals ?? 0)
  const evidenceKey = keys && (await keyOfAnswerFrom(assessed, keys))
  const same = await findFromBefore(ports, request, unanswered, evidenceKey)
  if (keys !== undefined && isSendable(same, request)) {
    return {
      ...cachedAs('evidence-hit', same, unanswered, retrievals),
      judged: { decision, key: keys.byQuestion, ...timings },
    }
  }
  const similar = await findSimilar(ports, settings, request, unanswered, assessed)
  if (similar.stored !== undefined) {
    return { ...cachedAs('similar', similar.stored, unanswered, retrievals), judged: { decision, ...timings } }
  }
  return {
    kind: 'judged',
    decision,
    evidence: assessed.evidence,
    context: assessed.context,
    policy,
    ...partInCache(request, keys?.byQuestion, evidenceKey, similar.key),
    stale: stored !== null,
    ...(mayStandIn(stored, settings) ? { standIn: cachedAs('stale', stored, unanswered, retrievals) } : {}),
    ...(unanswered.flight.alone === undefined ? {} : { alone: true }),
    purgeEpoch: unanswered.purges?.epoch ?? 0,
    retrievals,
    ...timings,
  }
}

/**
 * A question that is refused for itself needs no retrieval. Where a refusal does not stand (`observe`, disabled gates), it
 * is retrieved and judged like any other.
 */
async function refuseUnseen(
  { clock }: QuestionPorts,
  settings: QuestionSettings,
  { question }: QuestionRequest,
  { collection, policy }: QuestionPlace,
): Promise<GateResult | undefined> {
  const stands = settings.mode === 'enforce' && policy.dangerouslyDisableGates !== true
  if (!stands || questionFindings(question).length === 0) return undefined
  const measures = { question, policy, lexicon: EMPTY_LEXICON }
  const assessed = await assessEvidence({ clock }, settings, measures, NO_EVIDENCE, 1)
  const { evidence, context } = assessed
  return {
    kind: 'judged',
    decision: decisionOf(newId(clock), collection, { assessed }),
    evidence,
    context,
    policy,
    cache: 'bypass',
    stale: false,
    purgeEpoch: 0,
    retrievals: 0,
    retrievalMs: 0,
  }
}

const NO_EVIDENCE: Evidence = { rankedBy: 'convex', chunks: [], kinds: [], dropped: 0 }

/** @throws `not_cached` where nothing but a stored answer is wanted */
function requireNewWanted({ cacheUse = FULL_USE }: QuestionRequest): void {
  if (cacheUse.only === undefined) return
  throw new RagGateError('not_cached', 'There is no stored answer, and only a stored one was asked for')
}

async function searchFor(
  ports: QuestionPorts,
  settings: QuestionSettings,
  { searchMode = 'hybrid', without }: QuestionRequest,
  { collection, filter }: QuestionPlace,
): Promise<Search> {
  const lexicon = await findLexicon(ports, settings, collection)
  return { collection, lexicon, filter, searchMode, ...(without === undefined ? {} : { without }) }
}

/** Retrieves; where that fails, an answer past its lifetime may be sent in its place. */
async function retrieveOrStandIn(
  ports: QuestionPorts,
  settings: QuestionSettings,
  { question }: QuestionRequest,
  unanswered: UnansweredQuestion,
  search: Search,
): Promise<FirstRetrieval | CachedResult> {
  try {
    return await retrieveFirst(ports, settings, search, question)
  } catch (thrown) {
    const { stored } = unanswered
    if (!isOutage(thrown) || !mayStandIn(stored, settings)) throw thrown
    ports.onWarning?.({
      code: isRagGateError(thrown) ? thrown.code : 'retriever_unavailable',
      message: 'The retriever failed: an answer past its lifetime is sent',
      cause: thrown,
    })
    return cachedAs('stale', stored, unanswered, 1)
  }
}

/** Version of a collection that was published once, or never changes: there is nothing older to find by its evidence. */
const FIRST_VERSION = 1

/** Looks for the answer to the same evidence, as it was before the documents changed. */
async function findFromBefore(
  ports: QuestionPorts,
  request: QuestionRequest,
  place: QuestionPlace,
  evidenceKey: string | undefined,
): Promise<StoredAnswer | null> {
  return place.collection.corpusVersion > FIRST_VERSION ? findStored(ports, request, place, evidenceKey) : null
}

/** An answer to what is refused is never stored, so it has no key by its evidence. */
async function keyOfAnswerFrom(assessed: AssessedEvidence, { shared }: AnswerKeys): Promise<string | undefined> {
  return assessed.judgement.verdict === 'refuse' ? undefined : keyOfEvidence(shared, assessed)
}

/** How the cache took part so far, and where the answer may be kept. */
function partInCache(
  { cacheUse = FULL_USE }: QuestionRequest,
  key: string | undefined,
  evidenceKey: string | undefined,
  anyQuestionKey: string | undefined,
): Pick<JudgedResult, 'cache' | 'key' | 'evidenceKey' | 'anyQuestionKey'> {
  const cache = key === undefined || !cacheUse.read ? 'bypass' : 'miss'
  if (key === undefined || !cacheUse.store) return { cache }
  return {
    cache,
    key,
    ...(evidenceKey === undefined ? {} : { evidenceKey }),
    ...(anyQuestionKey === undefined ? {} : { anyQuestionKey }),
  }
}

function cachedAs(
  cache: CachedResult['cache'],
  { answer, ageSeconds, residentSeconds }: StoredAnswer,
  { policy }: QuestionPlace,
  retrievals: number,
): CachedResult {
  return {
    kind: 'cached',
    cache,
    answer,
    policy,
    retrievals,
    ageSeconds,
    ttlSeconds: answer.lifetimeSeconds - residentSeconds,
  }
}

function decisionOf(
  id: string,
  collection: Collection,
  { assessed, expansion }: Pick<WeighedEvidence, 'assessed' | 'expansion'>,
): Decision {
  const { evidence, reranker, signals, judgement } = assessed
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
