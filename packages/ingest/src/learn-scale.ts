/** A collection learns its own scale: the gate is asked windows of its passages, with their own text left out. */
import { learnFromWindows, type LeaveOut, type ScalePassage } from '@hono-rag-gate/calibration'
import { embedsWords, type Ranking, type ScoreKind } from 'hono-rag-gate/core/evidence'
import { confidenceOf, type Decision, type Policy, unscaled } from 'hono-rag-gate/core/policy'
import { byLength, type CollectionScale, logOdds } from 'hono-rag-gate/core/scale'
import { normaliseQuestion } from 'hono-rag-gate/core/text'
import { gateQuestion, type GateResult, plainCollection, type QuestionSettings } from 'hono-rag-gate/pipeline'
import type { Clock, Collection, Collections, Retriever } from 'hono-rag-gate/ports'

/** How a scale is learned. */
export interface LearnScaleOptions {
  /** As the gate has it. */
  readonly retriever: Retriever
  /** The one that judges the collection: the scale counts under it alone. */
  readonly policy: Policy
  /** Passages of the collection: all, or some hundreds drawn evenly. */
  readonly passages: readonly ScalePassage[]
  /** How many there are in all. @default as many as are given */
  readonly chunkCount?: number
  /** @default the collection `default` of the tenant `default`, without a lexicon */
  readonly collection?: Collection
  /** Where the lexicon of the collection is read. @default it has none */
  readonly collections?: Pick<Collections, 'lexicon'>
  /** As the gate has them. @default 10 chunks, 3000 ms */
  readonly retrieval?: Partial<Pick<QuestionSettings['retrieval'], 'topK' | 'timeoutMs'>>
  /** As the gate has it, characters. @default 12000 */
  readonly maxLength?: number
  /** Windows asked, 1 and up: one retrieval each. @default 100 */
  readonly windows?: number
  /** Draws the same windows again. @default 1 */
  readonly seed?: number
  /** Asked before each window: once it says so, no more are asked. @default never */
  readonly isOver?: () => boolean
  /**
   * Kind of score by which the retriever says how near a passage is in meaning; `none` for none. The policy then weighs it
   * beside the words, where a window's own passage lifts it.
   *
   * @default 'cosine', but `none` where the collection or the retriever names an embedding of hashed words
   */
  readonly meaning?: ScoreKind | 'none'
  /** @default the system's */
  readonly clock?: Clock
}

/** Further passages retrieved for a window: those left out are made up for. */
const SPARE = 100

/**
 * Learns how sure a policy looks in a collection where there is no answer, without labels: five words in a row of a passage
 * are asked without that passage, and without its document. The same documents, policy and seed give the same scale. No
 * reranker is asked.
 *
 * It is a start value and no promise: only labelled questions promise a rate (docs/thresholds.md).
 *
 * @returns JSON for the collection; of kind `none` for fewer than 20 passages, or where too few windows could be asked
 * @throws what the retriever throws, `retriever_timeout`, `retriever_unavailable`, `store_unavailable`
 * @example
 * const scale = await learnScale({ retriever, policy: balanced(), passages })
 * const collections = createStaticCollections([{ id: 'default', scale }])
 */
export async function learnScale(options: LearnScaleOptions): Promise<CollectionScale> {
  const { retriever, policy, clock = { nowMs: () => Date.now() } } = options
  const { windows = 100, maxLength = 12_000 } = options
  const { topK = 10, timeoutMs = 3000 } = options.retrieval ?? {}
  const known = options.collection ?? plainCollection({ tenant: 'default', id: 'default' })
  // Without a scale: what is asked for is the confidence as it is.
  const lexicon = known.lexiconId === null ? undefined : await options.collections?.lexicon(known.lexiconId)
  const collection = { ...known, scale: null, ...(lexicon === undefined && { lexiconId: null }) }
  // What changes while it is learned has changed since.
  const learnedAtMs = clock.nowMs()
  const deep = retrieveOnce(retriever)
  const settings: QuestionSettings = {
    policy: () => policy,
    mode: 'enforce',
    rules: [],
    retrieval: { topK, timeoutMs },
    context: { maxLength },
  }
  const embeddingModel = collection.embeddingModel || (retriever.embedding?.model ?? '')
  const kind = options.meaning ?? ((await isOfWords(embeddingModel, retriever, timeoutMs)) ? 'none' : 'cosine')
  const asked = new Set<string>()
  const learned = await learnFromWindows<GateResult>({
    ...options,
    windows,
    language: policy.language,
    retrieve: async (window, leaveOut) => {
      asked.add(window)
      const ports = {
        retriever: { retrieve: deep(leaveOut) },
        collections: {
          find: async () => collection,
          // Asked for where there is one.
          lexicon: async () => lexicon!,
        },
        clock,
      }
      return gateQuestion(ports, settings, {
        question: normaliseQuestion(window),
        collection: collection.id,
        principal: { tenant: collection.tenant, id: 'scale', scopes: [] },
        audience: 'operator',
      })
    },
    confidence: (result) => (result.kind === 'judged' ? confidenceOfWindow(policy, result.decision) : undefined),
    kind,
    meaning: (result) =>
      kind !== 'none' && result.kind === 'judged' ? result.decision.signals.curves?.[kind]?.scores[0] : undefined,
  })
  const from = {
    origin: 'documents',
    policyId: policy.id,
    embeddingModel,
    corpusVersion: collection.corpusVersion,
    chunkCount: options.chunkCount ?? options.passages.length,
    windows: asked.size,
    learnedAtMs,
  } as const
  return learned === undefined
    ? { kind: 'none', reason: 'too-few-windows', ...from }
    : { kind: 'scale', ...learned, ...from }
}

/** The confidence of a window without a scale, as one reads it, 0..1; `undefined` where a gate about it alone refused. */
export function confidenceOfWindow(
  policy: Policy,
  { findings, signals }: Pick<Decision, 'findings' | 'signals'>,
): number | undefined {
  if (isRefusedByQuestionGate(policy, { findings })) return undefined
  if (signals.chunkCount === 0) return 0
  const odds = logOdds(confidenceOf(unscaled(policy.confidence), signals))
  return 1 / (1 + Math.exp(-byLength(odds, signals.questionTermCount)))
}

/** Whether a gate about the question alone refused: the confidence says nothing of it. */
export function isRefusedByQuestionGate({ gates }: Policy, { findings }: Pick<Decision, 'findings'>): boolean {
  const refusing = findings.filter(({ outcome }) => outcome === 'refuse')
  return gates.some(({ gate: { about, name } }) => about === 'question' && refusing.some(({ gate }) => gate === name))
}

/** @throws what `embeddingNow` throws */
async function isOfWords(known: string, retriever: Retriever, timeoutMs: number): Promise<boolean> {
  return embedsWords(known || ((await retriever.embeddingNow?.(AbortSignal.timeout(timeoutMs)))?.model ?? ''))
}

/** Retrieves the same words once, deep enough that passages can be left out. */
function retrieveOnce(retriever: Retriever): (leaveOut: LeaveOut) => Retriever['retrieve'] {
  let last: { readonly words: string; readonly rankings: Promise<readonly Ranking[]> } | undefined
  return (leaveOut) => async (request) => {
    const { topK, question } = request
    if (last?.words !== question) {
      last = { words: question, rankings: retriever.retrieve({ ...request, topK: topK + SPARE }) }
    }
    const rankings = await last.rankings
    return rankings.map(({ kind, entries }) => ({
      kind,
      entries: entries.filter(({ passage }) => !leaveOut(passage)).slice(0, topK),
    }))
  }
}
