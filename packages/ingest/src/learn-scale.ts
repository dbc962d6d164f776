/** Learns a collection's scale: windows of its passages are asked as questions, with their own passages left out. */
import { learnFromWindows, type LeaveOut, type ScalePassage } from '@hono-rag-gate/calibration'
import { embedsWords, type Ranking, type ScoreKind } from 'hono-rag-gate/core/evidence'
import { confidenceOf, type Decision, type Policy, unscaled } from 'hono-rag-gate/core/policy'
import { byLength, type CollectionScale, logOdds, scaledFor } from 'hono-rag-gate/core/scale'
import { normaliseQuestion } from 'hono-rag-gate/core/text'
import { gateQuestion, type GateResult, plainCollection, type QuestionSettings } from 'hono-rag-gate/pipeline'
import type { Clock, Collection, Collections, Retriever } from 'hono-rag-gate/ports'

/** Options of `learnScale`. */
export interface LearnScaleOptions {
  /** The gate's retriever. */
  readonly retriever: Retriever
  /** The policy that judges the collection; the scale is valid for it and others of its confidence and language. */
  readonly policy: Policy
  /** Passages of the collection: all, or an evenly drawn sample of some hundreds. */
  readonly passages: readonly ScalePassage[]
  /** Total number of chunks. @default the number of passages given */
  readonly chunkCount?: number
  /** @default the collection `default` of the tenant `default`, without a lexicon */
  readonly collection?: Collection
  /** Reads the collection's lexicon. @default no lexicon */
  readonly collections?: Pick<Collections, 'lexicon'>
  /** As in the gate. @default 10 chunks, 3000 ms */
  readonly retrieval?: Partial<Pick<QuestionSettings['retrieval'], 'topK' | 'timeoutMs'>>
  /** As in the gate, characters. @default 12000 */
  readonly maxLength?: number
  /** Number of windows to ask, 1 and up; each needs one retrieval. @default 100 */
  readonly windows?: number
  /** Random seed for drawing windows. @default 1 */
  readonly seed?: number
  /** Called before each window; `true` ends learning. @default never */
  readonly isOver?: () => boolean
  /**
   * Score kind with which the retriever measures semantic similarity; `none` for none. The policy then weighs it beside
   * the words, if a window's own passage raises it.
   *
   * @default 'cosine', but `none` if the collection or the retriever names an embedding of hashed words
   */
  readonly meaning?: ScoreKind | 'none'
  /** @default the system's */
  readonly clock?: Clock
}

/** Additional passages to retrieve per window, to replace those left out. */
const SPARE = 100

/**
 * Learns, without labels, the confidence that a policy has in a collection without an answer: windows of five
 * consecutive words of a passage are asked, with that passage and its document left out. The same documents, policy and
 * seed give the same scale. No reranker is called.
 *
 * It is a starting value: only labelled questions guarantee a rate (docs/thresholds.md).
 *
 * @returns JSON for the collection; of kind `none` for fewer than 20 passages, or if too few windows could be asked
 * @throws the retriever's errors, `retriever_timeout`, `retriever_unavailable`, `store_unavailable`
 * @example
 * const scale = await learnScale({ retriever, policy: balanced(), passages })
 * const collections = createStaticCollections([{ id: 'default', scale }])
 */
export async function learnScale(options: LearnScaleOptions): Promise<CollectionScale> {
  const { retriever, policy, clock = { nowMs: () => Date.now() } } = options
  const { windows = 100, maxLength = 12_000 } = options
  const { topK = 10, timeoutMs = 3000 } = options.retrieval ?? {}
  const known = options.collection ?? plainCollection({ tenant: 'default', id: 'default' })
  // Without a scale, because the unscaled confidence is measured.
  const lexicon = known.lexiconId === null ? undefined : await options.collections?.lexicon(known.lexiconId)
  const collection = { ...known, scale: null, ...(lexicon === undefined && { lexiconId: null }) }
  // The time before learning, so that concurrent changes count as later changes.
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
          // Only called if there is one.
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
    confidence: scaledFor(policy),
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

/** The unscaled confidence of a window, 0..1; `undefined` if a gate about the question alone refused. */
export function confidenceOfWindow(
  policy: Policy,
  { findings, signals }: Pick<Decision, 'findings' | 'signals'>,
): number | undefined {
  if (isRefusedByQuestionGate(policy, { findings })) return undefined
  if (signals.chunkCount === 0) return 0
  const odds = logOdds(confidenceOf(unscaled(policy.confidence), signals))
  return 1 / (1 + Math.exp(-byLength(odds, signals.questionTermCount)))
}

/** Whether a gate about the question alone refused, so that the confidence is meaningless. */
export function isRefusedByQuestionGate({ gates }: Policy, { findings }: Pick<Decision, 'findings'>): boolean {
  const asked = gates.flatMap(({ gate }) => (gate.about === 'question' ? gate.name : []))
  return findings.some(({ gate, outcome }) => outcome === 'refuse' && asked.includes(gate))
}

/** @throws what `embeddingNow` throws */
async function isOfWords(known: string, retriever: Retriever, timeoutMs: number): Promise<boolean> {
  return embedsWords(known || ((await retriever.embeddingNow?.(AbortSignal.timeout(timeoutMs)))?.model ?? ''))
}

/** Retrieves each window only once, with enough passages that some can be left out. */
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
