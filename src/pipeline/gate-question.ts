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
import type { SharedKeyParts } from '../core/policy/answer-key.ts'
import type { CachedAnswer } from '../ports/answer-cache.ts'
import type { Collection } from '../ports/collections.ts'
import { assessEvidence } from './assess-evidence.ts'
import { findLexicon, findPlace, type QuestionPlace } from './find-place.ts'
import { newId } from './new-id.ts'
import { keyOfEvidence, questionKey, sharedKeyParts } from './question-key.ts'
import { FULL_USE, type QuestionPorts, type QuestionRequest, type QuestionSettings } from './question-settings.ts'
import type { Search } from './retrieve.ts'
import { findStored, isSendable, mayStandIn, type StoredAnswer } from './stored-answer.ts'
import { type FirstRetrieval, retrieveFirst, type WeighedEvidence, weighEvidence } from './weigh-evidence.ts'

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

type CachedResult = Extract<GateResult, { kind: 'cached' }>
type JudgedResult = Extract<GateResult, { kind: 'judged' }>

/**
 * Takes a question up to its verdict, stage by stage. Three of them may end it early: a question that is refused for
 * itself, one that was answered before, and one that was answered before from the same evidence.
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

  const shared = place.purges && sharedKeyParts(ports, settings, request, place)
  const key = shared && questionKey(shared, place.collection)
  const stored = await findStored(ports, request, place, key)
  if (isSendable(stored, request)) return cachedAs('hit', stored, place)
  requireNewWanted(request)

  const search = await searchFor(ports, settings, request, place)
  const first = await retrieveOrStandIn(ports, settings, request, place, search, stored)
  if ('kind' in first) return first

  const weighed = await weighEvidence(ports, settings, search, { ...request, ...place }, first)
  const decision = decisionOf(newId(ports.clock), place.collection, weighed)
  const evidenceKey = shared && (await keyOfAnswerFrom(weighed, shared))
  const same = await findFromBefore(ports, request, place, evidenceKey)
  if (key !== undefined && isSendable(same, request)) {
    return { ...cachedAs('evidence-hit', same, place), judged: { decision, key, ...weighed.timings } }
  }
  return {
    kind: 'judged',
    decision,
    evidence: weighed.assessed.evidence,
    context: weighed.assessed.context,
    policy: place.policy,
    ...partInCache(request, key, evidenceKey),
    stale: stored !== null,
    purgeEpoch: place.purges?.epoch ?? 0,
    ...weighed.timings,
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
  place: QuestionPlace,
  search: Search,
  stored: StoredAnswer | null,
): Promise<FirstRetrieval | CachedResult> {
  try {
    return await retrieveFirst(ports, settings, search, question)
  } catch (thrown) {
    if (stored === null || !mayStandIn(stored, settings.staleIfErrorSeconds, thrown)) throw thrown
    ports.onWarning?.({
      code: isRagGateError(thrown) ? thrown.code : 'retriever_unavailable',
      message: 'The retriever failed: an answer past its lifetime is sent',
      cause: thrown,
    })
    return cachedAs('stale', stored, place)
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
async function keyOfAnswerFrom({ assessed }: WeighedEvidence, shared: SharedKeyParts): Promise<string | undefined> {
  return assessed.judgement.verdict === 'refuse' ? undefined : keyOfEvidence(shared, assessed)
}

/** How the cache took part so far, and where the answer may be kept. */
function partInCache(
  { cacheUse = FULL_USE }: QuestionRequest,
  key: string | undefined,
  evidenceKey: string | undefined,
): Pick<JudgedResult, 'cache' | 'key' | 'evidenceKey'> {
  const cache = key === undefined || !cacheUse.read ? 'bypass' : 'miss'
  if (key === undefined || !cacheUse.store) return { cache }
  return { cache, key, ...(evidenceKey === undefined ? {} : { evidenceKey }) }
}

function cachedAs(
  cache: CachedResult['cache'],
  { answer, ageSeconds, residentSeconds }: StoredAnswer,
  { policy }: QuestionPlace,
): CachedResult {
  return { kind: 'cached', cache, answer, policy, ageSeconds, ttlSeconds: answer.lifetimeSeconds - residentSeconds }
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
