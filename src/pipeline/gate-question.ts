/**
 * The way of a question up to the verdict: collection and policy, answer cache, retrieval, measuring, judging, and the
 * context that a model would read. No HTTP, and no model: what may be answered is decided before anything can answer it.
 */
import type { Context } from '../core/evidence/context.ts'
import type { Decision } from '../core/policy/decision.ts'
import type { Evidence } from '../core/evidence/evidence.ts'
import { refusesUnseen } from '../core/policy/judge.ts'
import type { Policy } from '../core/policy/policy.ts'
import { measureSignals, subjectOf } from '../core/signals/measure.ts'
import { EMPTY_LEXICON } from '../core/text/lexicon.ts'
import type { Collection } from '../ports/collections.ts'
import { type AskedQuestion, type AssessedEvidence, assessEvidence } from './assess-evidence.ts'
import { findLexicon, findPlace, type QuestionPlace, requireScores } from './find-place.ts'
import { newId } from './new-id.ts'
import type { FoundAnswer, Lookup, QuestionCache } from './gate-cache.ts'
import type { QuestionPorts, QuestionRequest, QuestionSettings } from './question-settings.ts'
import { type Retrieval, retrieve, type Search } from './retrieve.ts'

/** How long the stages took, milliseconds. */
export interface QuestionTimings {
  /** Absent where nothing was retrieved. */
  readonly retrievalMs?: number
  /** Absent without a reranker. */
  readonly rerankMs?: number
}

/** A question answered from the cache. */
export interface CachedResult {
  readonly kind: 'cached'
  readonly found: FoundAnswer
  readonly lookup: Lookup
  /** The policy that decided: it is part of the key under which the answer was found. */
  readonly policy: Policy
  /** Retrievals on the way of this question: none before a `hit`. */
  readonly retrievals: 0 | 1
  /** Of an answer that was found after retrieval. */
  readonly timings?: QuestionTimings
}

/** A question judged anew: a handler may answer it, or it is refused. */
export interface JudgedResult {
  readonly kind: 'judged'
  /** Absent where the cache has no part in what is made of the question. */
  readonly lookup?: Lookup | undefined
  readonly decision: Decision
  readonly evidence: Evidence
  /** What fits of it into the budget, for the model. */
  readonly context: Context
  readonly policy: Policy
  /** Retrievals: none for a question that is refused before it. */
  readonly retrievals: 0 | 1
  readonly timings: QuestionTimings
}

/** What became of a question. */
export type GateResult = CachedResult | JudgedResult

/**
 * Takes a question up to its verdict, stage by stage. It ends early with a stored answer (under the question key, of a
 * caller who asks the same at the same time, or under the evidence key), and with a refusal that needs no retrieval.
 *
 * @param cache its part in this question; without one nothing is looked for
 * @throws `not_cached` where only a stored answer is wanted; `collection_not_found`; `embedding_mismatch`; `retriever_timeout`, `retriever_unavailable` and other errors that the retriever declares.
 *   A failure is never turned into missing evidence.
 */
export async function gateQuestion(
  ports: QuestionPorts,
  settings: QuestionSettings,
  request: QuestionRequest,
  cache?: QuestionCache,
): Promise<GateResult> {
  const place = await findPlace(ports, settings, request)
  const { policy } = place
  const looked = await cache?.lookUp(place)
  if (looked?.found) return cachedResult(looked, looked.found, 0)
  const { question } = request
  const asked = { question, parts: policy.language?.partsOf(question) }
  const unseen = await refuseUnseen(ports, settings, asked, place)
  if (unseen !== undefined) return unseen
  const lookup = await cache?.join(looked)
  if (lookup?.found) return cachedResult(lookup, lookup.found, 0)
  try {
    return await gateAnew(ports, settings, asked, place, cache, lookup)
  } catch (thrown) {
    cache?.store(lookup, { kind: 'failure' })
    throw thrown
  }
}

/** The stages from the retrieval on. */
async function gateAnew(
  ports: QuestionPorts,
  settings: QuestionSettings,
  asked: AskedQuestion,
  place: QuestionPlace,
  cache: QuestionCache | undefined,
  before: Lookup | undefined,
): Promise<GateResult> {
  const { collection, policy } = place
  const search = { ...place, lexicon: await findLexicon(ports, settings, collection, policy.language) }
  const retrieval = await retrieveOrStandIn(ports, settings, asked, search, cache, before)
  if (retrieval.kind === 'cached') return retrieval
  // Some retrievers know only now what their scores tell.
  requireScores(policy, ports)

  const measures = { ...search, asked }
  const assessed = await assessEvidence(ports, settings, measures, retrieval.evidence)
  const timings = {
    retrievalMs: retrieval.retrievalMs,
    ...(assessed.rerankMs === undefined ? {} : { rerankMs: assessed.rerankMs }),
  }
  const decision = decisionOf(ports, collection, assessed)
  const lookup = before && (await cache?.lookUpEvidence(before, assessed, decision))
  if (lookup?.found) return { ...cachedResult(lookup, lookup.found, 1), timings }
  const { evidence, context } = assessed
  return { kind: 'judged', lookup, decision, evidence, context, policy, retrievals: 1, timings }
}

/**
 * A question that is refused for itself needs no retrieval. Where a refusal does not stand (`observe`, disabled gates), it
 * is retrieved and judged like any other.
 */
async function refuseUnseen(
  ports: QuestionPorts,
  settings: QuestionSettings,
  asked: AskedQuestion,
  place: QuestionPlace,
): Promise<GateResult | undefined> {
  const { collection, policy } = place
  const stands = settings.mode === 'enforce' && policy.dangerouslyDisableGates !== true
  const subject = subjectOf({ ...asked, evidence: NO_EVIDENCE, language: policy.language })
  if (!stands || !refusesUnseen(policy, (signals) => measureSignals(signals, subject))) return undefined
  const measures = { ...place, asked, lexicon: EMPTY_LEXICON }
  const assessed = await assessEvidence({ clock: ports.clock }, settings, measures, NO_EVIDENCE)
  const { evidence, context } = assessed
  return {
    kind: 'judged',
    decision: decisionOf(ports, collection, assessed),
    evidence,
    context,
    policy,
    retrievals: 0,
    timings: {},
  }
}

const NO_EVIDENCE: Evidence = { rankedBy: 'convex', chunks: [], kinds: [], dropped: 0 }

/** Retrieves; where that fails, an answer past its lifetime may be sent in its place. */
async function retrieveOrStandIn(
  ports: QuestionPorts,
  settings: QuestionSettings,
  asked: AskedQuestion,
  search: Search,
  cache: QuestionCache | undefined,
  lookup: Lookup | undefined,
): Promise<({ readonly kind: 'retrieved' } & Retrieval) | CachedResult> {
  try {
    return { kind: 'retrieved', ...(await retrieve(ports, settings, search, asked.parts?.bare ?? asked.question)) }
  } catch (thrown) {
    const found = lookup && cache?.standIn(lookup, { by: 'retriever', thrown })
    if (!lookup || !found) throw thrown
    return cachedResult(lookup, found, 1)
  }
}

function cachedResult(lookup: Lookup, found: FoundAnswer, retrievals: 0 | 1): CachedResult {
  return { kind: 'cached', found, lookup, policy: lookup.place.policy, retrievals }
}

function decisionOf(
  { clock }: QuestionPorts,
  collection: Collection,
  { evidence, reranker, signals, judgement }: AssessedEvidence,
): Decision {
  return {
    id: newId(clock),
    tenant: collection.tenant,
    collection: collection.id,
    corpusVersion: collection.corpusVersion,
    signals,
    rankedBy: evidence.rankedBy,
    reranker,
    evidenceIds: evidence.chunks.map((chunk) => chunk.id),
    documentIds: [...new Set(evidence.chunks.map(({ documentId }) => documentId))],
    ...judgement,
  }
}
