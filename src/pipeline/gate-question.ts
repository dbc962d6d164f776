/**
 * The way of a question up to the verdict: collection and policy, answer cache, retrieval, measuring, judging. No HTTP,
 * and no model: what may be answered is decided before anything can answer it.
 */
import { answerKey } from '../core/answer-key.ts'
import { canonicalJson, lengthPrefixed } from '../core/canonical.ts'
import type { Ranking } from '../core/chunk.ts'
import type { CacheState, Decision } from '../core/decision.ts'
import type { Evidence } from '../core/evidence.ts'
import { type ConvexWeights, fuseConvex } from '../core/fusion.ts'
import { namespaceOf } from '../core/ids.ts'
import { EMPTY_LEXICON, idfMass, type Lexicon } from '../core/lexicon.ts'
import { measure } from '../core/measure.ts'
import { judge, type Policy } from '../core/policy.ts'
import type { Audience } from '../core/refusal.ts'
import type { RerankerOutcome } from '../core/rerank.ts'
import { askRules, type Rule } from '../core/rules.ts'
import { checkPassageFilter, filterKey, passesFilter, type PassageFilter } from '../core/passage-filter.ts'
import { terms } from '../core/text.ts'
import { RagGateError } from '../errors.ts'
import type { AnswerCache, CachedAnswer } from '../ports/answer-cache.ts'
import type { Principal } from '../ports/authenticator.ts'
import type { Clock } from '../ports/clock.ts'
import type { Collection, Collections } from '../ports/collections.ts'
import type { Reranker } from '../ports/reranker.ts'
import type { Retriever } from '../ports/retriever.ts'
import { newId } from './new-id.ts'
import { rerankEvidence } from './rerank-evidence.ts'
import { type Faults, withinDeadline } from './within-deadline.ts'

/** What gating a question needs. */
export interface GatePorts {
  readonly retriever: Retriever
  readonly collections: Collections
  readonly clock: Clock
  /** Scores the fused evidence before it is measured. Without one, retrieval scores and texts decide. */
  readonly reranker?: Reranker
  /** Without one, every question is retrieved and judged. */
  readonly cache?: AnswerCache
}

/** What is the same for every question of a route. */
export interface GateSettings {
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
  readonly fusionWeights: ConvexWeights
  /** Budget of the context for the model, characters. */
  readonly maxContextCharacters: number
  /** Deadline of the retrieval, headers and body together, and of every look into the database before it. */
  readonly retrievalTimeoutMs: number
  /** How long the reranker may take; then the evidence is judged as it was retrieved. */
  readonly rerankTimeoutMs: number
  readonly prompt: string
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
}

/** What became of a question. */
export type GatedQuestion =
  | { readonly kind: 'cached'; readonly answer: CachedAnswer; readonly ageSeconds: number }
  | {
      readonly kind: 'judged'
      readonly decision: Decision
      readonly evidence: Evidence
      readonly policy: Policy
      readonly cache: Exclude<CacheState, 'hit'>
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
 * @throws `collection_not_found`; `embedding_mismatch`; `retriever_timeout`, `retriever_unavailable` and whatever else the retriever declares.
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
  const key = ports.cache === undefined ? undefined : keyFor(ports, settings, asked, collection, policy, filter)
  const found = key === undefined ? null : await readCache(ports, key)
  if (found) {
    const ageSeconds = Math.floor((ports.clock.nowMs() - found.storedAtMs) / 1000)
    // An answer from the future tells of a clock that was set back: its age is unknown.
    if (ageSeconds >= 0 && ageSeconds < found.lifetimeSeconds) return { kind: 'cached', answer: found, ageSeconds }
  }

  const lexicon = await withinDeadline(settings.retrievalTimeoutMs, STORE_FAULTS, async () =>
    collection.lexiconId === null ? EMPTY_LEXICON : ports.collections.lexicon(collection.lexiconId),
  )
  const retrieval = await timed(ports.clock, () => retrieve(ports, settings, asked, collection, lexicon, filter))
  const rerank = await timed(ports.clock, () =>
    rerankEvidence(ports.reranker, settings.rerankTimeoutMs, asked.question, retrieval.result),
  )
  const { evidence, outcome } = rerank.result
  return {
    kind: 'judged',
    decision: decide(ports.clock, policy, settings.rules ?? [], asked, collection, { evidence, outcome, lexicon }),
    evidence,
    policy,
    cache: key === undefined ? 'bypass' : 'miss',
    stale: Boolean(found),
    ...(key === undefined ? {} : { key }),
    retrievalMs: retrieval.tookMs,
    ...(ports.reranker === undefined ? {} : { rerankMs: rerank.tookMs }),
  }
}

async function timed<Result>(clock: Clock, work: () => Promise<Result>): Promise<{ result: Result; tookMs: number }> {
  const startedMs = clock.nowMs()
  const result = await work()
  return { result, tookMs: clock.nowMs() - startedMs }
}

/** Vectors of two models have no common meaning: every score between them would be noise. */
function requireSameEmbedding({ embedding }: Retriever, { embeddingModel, dimension }: Collection): void {
  if (embedding === undefined) return
  const otherModel = embeddingModel !== '' && embeddingModel !== embedding.model
  const otherDimension = dimension !== 0 && dimension !== embedding.dimension
  if (otherModel || otherDimension) {
    throw new RagGateError('embedding_mismatch', 'The collection was embedded by another model: ingest it again')
  }
}

/** A cache that fails is a cache that holds nothing: the question is then judged like any other. */
async function readCache({ cache }: GatePorts, key: string): Promise<CachedAnswer | null> {
  try {
    return (await cache?.get(key)) ?? null
  } catch {
    return null
  }
}

/** Checked for every question: where it comes from a function, it may depend on who asks. */
function filterFor(settings: GateSettings, asked: AskedQuestion, collection: Collection): PassageFilter | undefined {
  const filter = settings.filter?.(asked.principal, collection.id)
  return filter === undefined ? undefined : checkPassageFilter(filter)
}

function keyFor(
  { reranker }: GatePorts,
  settings: GateSettings,
  asked: AskedQuestion,
  collection: Collection,
  policy: Policy,
  filter: PassageFilter | undefined,
): string {
  const { topK, candidates, fusionWeights, maxContextCharacters } = settings
  return answerKey({
    deployment: asked.deployment,
    tenant: collection.tenant,
    collection: collection.id,
    filter: filterKey(filter),
    partition: asked.partition,
    route: asked.path,
    audience: asked.audience,
    model: asked.model,
    prompt: settings.prompt,
    policyId: ruledPolicyId(policy, settings.rules ?? []),
    mode: settings.mode,
    corpusVersion: collection.corpusVersion,
    lexiconId: collection.lexiconId ?? '',
    retrieval: canonicalJson({
      topK,
      candidates,
      fusionWeights: { ...fusionWeights },
      maxContextCharacters,
      reranker: reranker?.model ?? '',
    }),
    vary: asked.vary,
    question: asked.question,
    options: asked.options,
  })
}

/** Rules decide beside the policy, so an answer given under other rules is another answer. */
function ruledPolicyId(policy: Policy, rules: readonly Rule[]): string {
  return rules.length === 0 ? policy.id : lengthPrefixed([policy.id, ...rules.map(({ id }) => id)])
}

async function retrieve(
  ports: GatePorts,
  settings: GateSettings,
  { question }: AskedQuestion,
  { tenant, id: collection, unpublishedChunkIds }: Collection,
  lexicon: Lexicon,
  filter: PassageFilter | undefined,
): Promise<Evidence> {
  const { topK, candidates } = settings
  const namespace = namespaceOf(tenant, collection)
  return withinDeadline(settings.retrievalTimeoutMs, RETRIEVER_FAULTS, async (signal) => {
    const deep = candidates + Math.min(candidates, unpublishedChunkIds.length)
    const search = { tenant, collection, namespace, question, topK: deep, signal }
    const rankings = await ports.retriever.retrieve(filter === undefined ? search : { ...search, filter })
    if (filter !== undefined) requireFiltered(rankings, filter)
    return fuseConvex(publishedOnly(rankings, unpublishedChunkIds), {
      weights: settings.fusionWeights,
      idfMass: idfMass(lexicon, terms(question)),
      topK,
    })
  })
}

/** A retriever that knows no filters finds what a caller may not see: that must not go unnoticed. */
function requireFiltered(rankings: readonly Ranking[], filter: PassageFilter): void {
  if (rankings.every(({ entries }) => entries.every(({ passage }) => passesFilter(passage, filter)))) return
  throw new RagGateError('retriever_misconfigured', 'The retriever found what the filter leaves out')
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

const RETRIEVER_FAULTS: Faults = { late: 'retriever_timeout', failed: 'retriever_unavailable', what: 'The retrieval' }
const STORE_FAULTS: Faults = { late: 'store_unavailable', failed: 'store_unavailable', what: 'The database' }

/** The one answer for a collection that does not exist, or not for this caller. */
export function collectionNotFound(): RagGateError {
  return new RagGateError('collection_not_found', 'There is no such collection; ingest a document into it first')
}

function decide(
  clock: Clock,
  policy: Policy,
  rules: readonly Rule[],
  asked: AskedQuestion,
  collection: Collection,
  { evidence, outcome, lexicon }: { evidence: Evidence; outcome: RerankerOutcome; lexicon: Lexicon },
): Decision {
  const signals = measure(asked.question, evidence, lexicon)
  return {
    id: newId(clock),
    tenant: collection.tenant,
    collection: collection.id,
    corpusVersion: collection.corpusVersion,
    signals,
    rankedBy: evidence.rankedBy,
    reranker: outcome,
    evidenceIds: evidence.chunks.map(({ id }) => id),
    documentIds: [...new Set(evidence.chunks.map(({ documentId }) => documentId))],
    ...judge(policy, signals, askRules(rules, { question: asked.question, evidence, signals })),
  }
}
