/**
 * The pipeline from a question to its verdict: collection and policy, answer cache, retrieval, measuring, judging, and the
 * context for a model. It uses neither HTTP nor a model.
 */
import type { Context } from '../core/evidence/context.ts'
import type { Decision } from '../core/policy/decision.ts'
import type { Evidence } from '../core/evidence/evidence.ts'
import { refusesUnseen } from '../core/policy/judge.ts'
import type { Policy } from '../core/policy/policy.ts'
import { defined } from '../core/lib/defined.ts'
import { measureSignals, subjectOf } from '../core/signals/measure.ts'
import { EMPTY_LEXICON } from '../core/text/lexicon.ts'
import { type AskedQuestion, type AssessedEvidence, assessEvidence } from './assess-evidence.ts'
import { findLexicon, findPlace, type QuestionPlace, requireScores } from './find-place.ts'
import { newId } from './new-id.ts'
import type { FoundAnswer, Lookup, QuestionCache } from './gate-cache.ts'
import type { QuestionPorts, QuestionRequest, QuestionSettings } from './question-settings.ts'
import { type Retrieval, retrieve, type Search } from './retrieve.ts'

/** Durations of the stages, milliseconds. */
export interface QuestionTimings {
  /** Absent if nothing was retrieved. */
  readonly retrievalMs?: number
  /** Absent without a reranker. */
  readonly rerankMs?: number
}

/** A question answered from the cache. */
export interface CachedResult {
  readonly kind: 'cached'
  readonly found: FoundAnswer
  readonly lookup: Lookup
  /** The policy that decided; it is part of the answer's key. */
  readonly policy: Policy
  /** Number of retrievals for this question; 0 for a `hit`. */
  readonly retrievals: 0 | 1
  /** Present if the answer was found after retrieval. */
  readonly timings?: QuestionTimings
}

/** A newly judged question, for the handler or refused. */
export interface JudgedResult {
  readonly kind: 'judged'
  /** Absent if the cache is not used. */
  readonly lookup?: Lookup | undefined
  readonly decision: Decision
  readonly evidence: Evidence
  /** The context for the model, within the budget. */
  readonly context: Context
  readonly policy: Policy
  /** Number of retrievals; 0 if refused before retrieval. */
  readonly retrievals: 0 | 1
  /** Absent if nothing was retrieved. */
  readonly timings?: QuestionTimings
}

/** Result of gating a question. */
export type GateResult = CachedResult | JudgedResult

/**
 * Processes a question up to its verdict, stage by stage. It ends early with a stored answer (under the question key, from a
 * simultaneous caller, or under the evidence key), or with a refusal that needs no retrieval.
 *
 * @param cache the answer cache for this question; `undefined` for none
 * @throws `not_cached` if only a stored answer is wanted; `collection_not_found`; `embedding_mismatch`; `retriever_timeout`, `retriever_unavailable` and other errors of the retriever.
 *   A failure never counts as missing evidence.
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

/** The stages from retrieval on. */
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
  // Some retrievers know what their scores measure only after a search.
  requireScores(policy, ports)

  const measures = { ...search, asked }
  const assessed = await assessEvidence(ports, settings, measures, retrieval.evidence)
  const timings = defined({ retrievalMs: retrieval.retrievalMs, rerankMs: assessed.rerankMs })
  const judged = judgedResult(ports, place, assessed)
  const lookup = before && (await cache?.lookUpEvidence(before, assessed, judged.decision))
  if (lookup?.found) return { ...cachedResult(lookup, lookup.found, 1), timings }
  return { ...judged, lookup, retrievals: 1, timings }
}

/**
 * Refuses a question by its text alone, without retrieval. If refusals are not enforced (`observe`, disabled gates), it is
 * retrieved and judged like any other.
 */
async function refuseUnseen(
  ports: QuestionPorts,
  settings: QuestionSettings,
  asked: AskedQuestion,
  place: QuestionPlace,
): Promise<GateResult | undefined> {
  const { policy } = place
  const stands = settings.mode === 'enforce' && !policy.dangerouslyDisableGates
  const subject = subjectOf({ ...asked, evidence: NO_EVIDENCE, language: policy.language })
  if (!stands || !refusesUnseen(policy, (signals) => measureSignals(signals, subject))) return undefined
  const measures = { ...place, asked, lexicon: EMPTY_LEXICON }
  const assessed = await assessEvidence({ clock: ports.clock }, settings, measures, NO_EVIDENCE)
  return { ...judgedResult(ports, place, assessed), retrievals: 0 }
}

const NO_EVIDENCE: Evidence = { rankedBy: 'convex', chunks: [], kinds: [], dropped: 0 }

/** Retrieves evidence; if that fails, an expired answer may be sent instead. */
async function retrieveOrStandIn(
  ports: QuestionPorts,
  settings: QuestionSettings,
  { question, parts }: AskedQuestion,
  search: Search,
  cache: QuestionCache | undefined,
  lookup: Lookup | undefined,
): Promise<({ readonly kind: 'retrieved' } & Retrieval) | CachedResult> {
  try {
    const searched = parts?.states ? question : (parts?.bare ?? question)
    return { kind: 'retrieved', ...(await retrieve(ports, settings, search, searched)) }
  } catch (thrown) {
    const found = lookup && cache?.standIn(lookup, { by: 'retriever', thrown })
    if (!lookup || !found) throw thrown
    return cachedResult(lookup, found, 1)
  }
}

function cachedResult(lookup: Lookup, found: FoundAnswer, retrievals: 0 | 1): CachedResult {
  return { kind: 'cached', found, lookup, policy: lookup.place.policy, retrievals }
}

function judgedResult(
  { clock }: QuestionPorts,
  { collection, policy }: QuestionPlace,
  { evidence, context, reranker, signals, judgement }: AssessedEvidence,
): Omit<JudgedResult, 'retrievals'> {
  const decision = {
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
  return { kind: 'judged', decision, evidence, context, policy }
}
