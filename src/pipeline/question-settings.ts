/** Inputs of the pipeline: ports, a route's settings, and a question. */
import type { PassageFilter } from '../core/evidence/passage-filter.ts'
import type { Policy } from '../core/policy/policy.ts'
import type { Audience } from '../core/policy/preset.ts'
import type { Rule } from '../core/policy/rules.ts'
import type { Memory } from '../core/signals/signal.ts'
import type { Principal } from '../ports/authenticator.ts'
import type { Clock } from '../ports/clock.ts'
import type { Collection, Collections } from '../ports/collections.ts'
import type { Retriever } from '../ports/retriever.ts'
import type { ContextBudget } from '../core/evidence/context.ts'
import type { Evidence } from '../core/evidence/evidence.ts'
import type { RerankerOutcome } from '../core/evidence/rerank.ts'
import type { Finding } from '../core/gates/finding.ts'
import type { Judgement } from '../core/policy/decision.ts'

/** A failure that did not fail the request. */
export interface GateWarning {
  /** Stable. */
  readonly code: string
  /** What happened instead. It contains nothing of a question, a passage or an upstream's response. */
  readonly message: string
  /** The original error. It may contain an upstream's text, so do not log it verbatim. */
  readonly cause?: unknown
}

/** Ports that gating a question needs. */
export interface QuestionPorts {
  readonly retriever: Retriever
  readonly collections: Collections
  readonly clock: Clock
  /** Scores the fused evidence before it is measured. @default none: retrieval scores and texts decide */
  readonly reranker?: Reranking
  /** Memo of words and texts across questions, to save time. @default none */
  readonly lasting?: Memory
  /** @default none */
  readonly onWarning?: (warning: GateWarning) => void
}

/** A question whose evidence is to be reranked. */
export interface ToRerank<Judged> {
  readonly question: string
  readonly policy: Policy
  readonly retrieved: Evidence
  readonly clock: Clock
  readonly onWarning?: ((warning: GateWarning) => void) | undefined
  /** Measures and judges evidence. */
  readonly judged: (evidence: Evidence, outcome: RerankerOutcome, findings?: readonly Finding[]) => Judged
}

/** Reranking, made by `reranking`. */
export interface Reranking {
  /** Part of the answer key: the model, and its bounds. */
  readonly key: string
  /** @returns the judgement, and the time spent reranking, milliseconds */
  assess<Judged extends { readonly judgement: Judgement }>(
    asked: ToRerank<Judged>,
  ): Promise<Judged & { readonly rerankMs: number }>
}

/** How evidence is found. */
export interface RetrievalSettings {
  /** Chunks retrieved per method, and judged. */
  readonly topK: number
  /** Deadline of the retrieval, headers and body together, and of every database read. */
  readonly timeoutMs: number
  /** Filter on passages by caller; without it all passages of the collection. */
  readonly filter?: (principal: Principal, collection: string) => PassageFilter | undefined
}

/** Settings of a route. */
export interface QuestionSettings {
  /** Chooses the policy. @param noted the collection's record, with the policy chosen for it */
  readonly policy: (tenant: string, collection: string, policyId: string | null, noted: Collection) => Policy
  readonly mode: 'enforce' | 'observe'
  /** Run after the policy's gates. */
  readonly rules: readonly Rule[]
  readonly retrieval: RetrievalSettings
  readonly context: ContextBudget
}

/** A validated question and its caller. */
export interface QuestionRequest {
  /** Normalised. */
  readonly question: string
  readonly collection: string
  readonly principal: Principal
  readonly audience: Audience
}
