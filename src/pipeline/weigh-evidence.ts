/** From the words of a question to judged evidence: the first retrieval, its assessment, and a further round where it was weak. */
import type { Evidence } from '../core/evidence/evidence.ts'
import type { Expansion } from '../core/policy/decision.ts'
import type { Policy } from '../core/policy/policy.ts'
import type { AskedQuestion } from './asked-question.ts'
import { type AssessedEvidence, assessEvidence } from './assess-evidence.ts'
import type { FurtherRound, QuestionPorts, QuestionSettings } from './question-settings.ts'
import { bestOf, retrieve, RETRIEVER_FAULTS, type Search } from './retrieve.ts'
import { confirmSameEmbedding } from './same-embedding.ts'
import { withinDeadline } from './within-deadline.ts'

/** What the first retrieval found. */
export interface FirstRetrieval {
  /** What was searched: the question without the talk around it. */
  readonly words: string
  readonly retrieved: Evidence
  readonly retrievalMs: number
}

/** Evidence judged for good. */
export interface WeighedEvidence {
  readonly assessed: AssessedEvidence
  /** Absent when no further round was tried. */
  readonly expansion?: Expansion
  readonly timings: {
    /** Of both rounds. */
    readonly retrievalMs: number
    /** Absent without a reranker. */
    readonly rerankMs?: number
  }
}

/**
 * The first retrieval, and beside it the question whether the index still embeds as the collection was embedded.
 *
 * @throws `retriever_timeout`, `retriever_unavailable`, `embedding_mismatch`, `search_mode`; what the retriever declares
 */
export async function retrieveFirst(
  { retriever, clock }: QuestionPorts,
  { retrieval }: QuestionSettings,
  search: Search,
  asked: AskedQuestion,
): Promise<FirstRetrieval> {
  const startedMs = clock.nowMs()
  const words = asked.parts.bare
  const retrieved = await withinDeadline(retrieval.timeoutMs, RETRIEVER_FAULTS, async (signal) => {
    const [evidence] = await Promise.all([
      retrieve(retriever, retrieval, search, words, signal),
      confirmSameEmbedding(retriever, search.collection, signal),
    ])
    return evidence
  })
  return { words, retrieved, retrievalMs: clock.nowMs() - startedMs }
}

/** Assesses what was retrieved; where that was weak and a further round is set, retrieves and assesses once more. */
export async function weighEvidence(
  ports: QuestionPorts,
  settings: QuestionSettings,
  search: Search,
  { asked, policy }: { readonly asked: AskedQuestion; readonly policy: Policy },
  { words, retrieved, retrievalMs }: FirstRetrieval,
): Promise<WeighedEvidence> {
  const { retrieval } = settings
  const measures = { asked, policy, lexicon: search.lexicon }
  const assess = (evidence: Evidence, timeoutMs: number): Promise<AssessedEvidence> =>
    assessEvidence(ports, settings, measures, evidence, timeoutMs)
  const first = await assess(bestOf(retrieved, retrieval.topK), retrieval.rerankTimeoutMs)
  const further = await searchFurther(ports, settings, search, { words, retrieved, retrievalMs }, first)
  const last =
    further.evidence === undefined
      ? first
      : await assess(further.evidence, Math.max(1, retrieval.rerankTimeoutMs - first.rerankMs))
  const rerankMs = last === first ? first.rerankMs : first.rerankMs + last.rerankMs
  return {
    assessed: last,
    ...(further.expansion === undefined ? {} : { expansion: further.expansion }),
    timings: { retrievalMs: further.retrievalMs, ...(ports.reranker === undefined ? {} : { rerankMs }) },
  }
}

/** The stage of a further round, where the route has one and the first judgement was weak enough. */
async function searchFurther(
  ports: QuestionPorts,
  { retrieval }: QuestionSettings,
  search: Search,
  { words, retrieved, retrievalMs }: FirstRetrieval,
  { evidence, signals, judgement }: AssessedEvidence,
): Promise<FurtherRound> {
  const { expansion, topK, timeoutMs } = retrieval
  const { confidence } = judgement
  if (expansion === undefined || confidence >= expansion.below) return { retrievalMs }
  return expansion.expand(
    ports,
    {
      retrieve: (others, signal) => retrieve(ports.retriever, retrieval, search, others, signal),
      lexicon: search.lexicon,
      topK,
      timeoutMs,
    },
    { words, retrieved, judged: evidence, signals, confidence, retrievalMs },
  )
}
