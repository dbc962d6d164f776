/**
 * The way of a question up to the verdict: collection and policy, answer cache, retrieval, measuring, judging, and the
 * context that a model would read. No HTTP, and no model: what may be answered is decided before anything can answer it.
 */
import type { Context } from '../core/evidence/context.ts'
import type { CacheState, Decision } from '../core/policy/decision.ts'
import type { Evidence } from '../core/evidence/evidence.ts'
import type { ConvexWeights, FusionMethod } from '../core/evidence/fusion.ts'
import { EMPTY_LEXICON } from '../core/text/lexicon.ts'
import type { Policy } from '../core/policy/policy.ts'
import type { Audience } from '../core/reports/refusal.ts'
import { checkPassageFilter, type PassageFilter } from '../core/evidence/passage-filter.ts'
import type { Rule } from '../core/policy/rules.ts'
import type { SearchMode } from '../core/evidence/search-mode.ts'
import { isRagGateError, RagGateError, type RagGateErrorCode } from '../errors.ts'
import type { AnswerCache, CachedAnswer } from '../ports/answer-cache.ts'
import type { Principal } from '../ports/authenticator.ts'
import type { Clock } from '../ports/clock.ts'
import type { Collection, Collections } from '../ports/collections.ts'
import type { QuestionRewriter } from '../ports/question-rewriter.ts'
import type { Reranker } from '../ports/reranker.ts'
import type { Retriever } from '../ports/retriever.ts'
import { type Asking, judgeEvidence, measureAndJudge } from './asking.ts'
import { expandWhereWeak, type LastRound } from './expand-retrieval.ts'
import { type ContextSettings, fitContext, type FittedContext } from './fit-context.ts'
import { newId } from './new-id.ts'
import { questionKey } from './question-key.ts'
import { bestOf, retrieve, RETRIEVER_FAULTS } from './retrieve.ts'
import { confirmSameEmbedding, requireSameEmbedding } from './same-embedding.ts'
import { type Faults, withinDeadline } from './within-deadline.ts'

/** What gating a question needs. */
export interface GatePorts {
  readonly retriever: Retriever
  readonly collections: Collections
  readonly clock: Clock
  /** Scores the fused evidence before it is measured. Without one, retrieval scores and texts decide. */
  readonly reranker?: Reranker
  /** Words a weak question anew for the further round. Without one, words of the best chunks are added to it. */
  readonly rewriter?: QuestionRewriter
  /** Without one, every question is retrieved and judged. */
  readonly cache?: AnswerCache
}

/** What is the same for every question of a route. */
export interface GateSettings extends ContextSettings {
  readonly policy: (tenant: string, collection: string, policyId: string | null) => Policy
  readonly mode: 'enforce' | 'observe'
  /** Asked after the policy's gates. */
  readonly rules?: readonly Rule[]
  /** Which passages a caller's question may be answered from; without it all of the collection. */
  readonly filter?: (principal: Principal, collection: string) => PassageFilter | undefined
  /** Chunks judged. */
  readonly topK: number
  /** Chunks retrieved of each method, `topK` and up: the deeper, the more of those judged carry every method's score. */
  readonly candidates: number
  /** How the rankings are ordered as one. @default 'convex' */
  readonly fusion?: FusionMethod
  readonly fusionWeights: ConvexWeights
  /** Constant of the fusion `rrf`, 0 and up. @default 60 */
  readonly rrfK?: number
  /** Deadline of the retrieval and of a further round, headers and body together; of every look into the database too. */
  readonly retrievalTimeoutMs: number
  /** How long the reranker may take; then the evidence is judged as it was retrieved. */
  readonly rerankTimeoutMs: number
  readonly prompt: string
  /** Confidence of the first judgement under which one further round is tried, 0..1. @default never */
  readonly expandBelow?: number
  /** How long the rewriter may take, milliseconds. @default 1000 */
  readonly rewriteTimeoutMs?: number
  /** How long past its lifetime an answer may stand in for a retriever that failed, seconds. @default 0 */
  readonly staleIfErrorSeconds?: number
}

/** One question, read and validated. */
export interface AskedQuestion {
  /** Normalised. */
  readonly question: string
  readonly collection: string
  readonly principal: Principal
  readonly audience: Audience
  /** Who may share a cached answer; see `AnswerKeyParts`. */
  readonly partition: string
  readonly deployment: string
  /** Path of the request. */
  readonly path: string
  readonly model: string
  readonly vary: readonly string[]
  /** Options that the request chose and an answer depends on. */
  readonly options: Readonly<Record<string, string>>
  /** Which methods of retrieval take part. @default 'hybrid' */
  readonly searchMode?: SearchMode
}

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
 * Takes a question up to its verdict.
 *
 * @throws `collection_not_found`; `embedding_mismatch`; `search_mode`; `retriever_timeout`, `retriever_unavailable` and whatever else the retriever declares.
 *   A failure is never turned into missing evidence.
 */
export async function gateQuestion(
  ports: GatePorts,
  settings: GateSettings,
  asked: AskedQuestion,
): Promise<GatedQuestion> {
  const { tenant } = asked.principal
  const collection = await withinDeadline(settings.retrievalTimeoutMs, STORE_FAULTS, () =>
    ports.collections.find(tenant, asked.collection),
  )
  if (collection === null) throw collectionNotFound()
  requireSameEmbedding(ports.retriever, collection)
  const policy = settings.policy(tenant, collection.id, collection.policyId)
  const filter = filterFor(settings, asked, collection)
  const key = ports.cache === undefined ? undefined : questionKey(ports, settings, asked, collection, policy, filter)
  const found = key === undefined ? null : await readCache(ports, key)
  if (found?.fresh === true) return { kind: 'cached', answer: found.answer, ageSeconds: found.ageSeconds, stale: false }

  const lexicon = await withinDeadline(settings.retrievalTimeoutMs, STORE_FAULTS, async () =>
    collection.lexiconId === null ? EMPTY_LEXICON : ports.collections.lexicon(collection.lexiconId),
  )
  const asking: Asking = { ports, settings, asked, collection, lexicon, policy, filter }
  const startedMs = ports.clock.nowMs()
  let retrieved: Evidence
  try {
    retrieved = await withinDeadline(settings.retrievalTimeoutMs, RETRIEVER_FAULTS, async (signal) => {
      const [evidence] = await Promise.all([
        retrieve(asking, asked.question, signal),
        confirmSameEmbedding(ports.retriever, collection, signal),
      ])
      return evidence
    })
  } catch (thrown) {
    if (found === null || !mayServeStale(found, settings.staleIfErrorSeconds, thrown)) throw thrown
    console.warn('[rag-gate] the retriever failed: an answer past its lifetime is sent', thrown)
    return { kind: 'cached', answer: found.answer, ageSeconds: found.ageSeconds, stale: true }
  }
  const retrievalMs = ports.clock.nowMs() - startedMs
  const judged = await judgeEvidence(asking, bestOf(retrieved, settings.topK), settings.rerankTimeoutMs)
  const last = await expandWhereWeak(asking, { retrieved, judged, retrievalMs })
  const fitted = fitContext(settings, last.judged.evidence, last.judged, (evidence, about) =>
    measureAndJudge(asking, evidence, [about]),
  )
  return {
    kind: 'judged',
    decision: decisionOf(asking, last, fitted),
    evidence: fitted.evidence,
    context: fitted.context,
    policy,
    cache: key === undefined ? 'bypass' : 'miss',
    stale: found !== null,
    ...(key === undefined ? {} : { key }),
    retrievalMs: last.retrievalMs,
    ...(ports.reranker === undefined ? {} : { rerankMs: last.judged.rerankMs }),
  }
}

/** An answer found, and how old it is. */
interface FoundAnswer {
  readonly answer: CachedAnswer
  readonly ageSeconds: number
  readonly fresh: boolean
}

/** A cache that fails is a cache that holds nothing: the question is then judged like any other. */
async function readCache({ cache, clock }: GatePorts, key: string): Promise<FoundAnswer | null> {
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
function filterFor(settings: GateSettings, asked: AskedQuestion, collection: Collection): PassageFilter | undefined {
  const filter = settings.filter?.(asked.principal, collection.id)
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
  { ports, collection }: Asking,
  { judged: { evidence: found, reranker }, expansion }: LastRound,
  { evidence, signals, judgement }: FittedContext,
): Decision {
  return {
    id: newId(ports.clock),
    tenant: collection.tenant,
    collection: collection.id,
    corpusVersion: collection.corpusVersion,
    signals,
    rankedBy: found.rankedBy,
    reranker,
    ...(expansion === undefined ? {} : { expansion }),
    evidenceIds: evidence.chunks.map(({ id }) => id),
    documentIds: [...new Set(evidence.chunks.map(({ documentId }) => documentId))],
    ...judgement,
  }
}
