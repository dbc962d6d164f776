/** What gating a question needs, and what is the same for every question of a route. */
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

/** Something that went wrong and was got over. */
export interface GateWarning {
  /** Stable. */
  readonly code: string
  /** What was done about it. Holds nothing of a question, a passage or an upstream's answer. */
  readonly message: string
  /** What was thrown. It may hold an upstream's words: do not log it as it is. */
  readonly cause?: unknown
}

/** What gating a question needs. */
export interface QuestionPorts {
  readonly retriever: Retriever
  readonly collections: Collections
  readonly clock: Clock
  /** Scores the fused evidence before it is measured. Without one, retrieval scores and texts decide. */
  readonly reranker?: Reranking
  /** What measuring keeps from question to question: words and texts that come back. @default nothing is kept */
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
  /** Judges evidence. */
  readonly judged: (evidence: Evidence, outcome: RerankerOutcome, findings?: readonly Finding[]) => Judged
}

/** Reranking, made by `reranking`. */
export interface Reranking {
  /** Names what else an answer depends on: the model, and when it is asked. */
  readonly key: string
  /** @returns the judgement, and the time spent in reranking, milliseconds */
  assess<Judged extends { readonly judgement: Judgement }>(
    asked: ToRerank<Judged>,
  ): Promise<Judged & { readonly rerankMs: number }>
}

/** How evidence is found. */
export interface RetrievalSettings {
  /** Chunks retrieved of each method, and judged. */
  readonly topK: number
  /** Deadline of the retrieval, headers and body together; of every look into the database too. */
  readonly timeoutMs: number
  /** Which passages a caller's question may be answered from; without it all of the collection. */
  readonly filter?: (principal: Principal, collection: string) => PassageFilter | undefined
}

/** What is the same for every question of a route. */
export interface QuestionSettings {
  /** @param noted the collection as it is known, with the policy noted for it */
  readonly policy: (tenant: string, collection: string, policyId: string | null, noted: Collection) => Policy
  readonly mode: 'enforce' | 'observe'
  /** Asked after the policy's gates. */
  readonly rules: readonly Rule[]
  readonly retrieval: RetrievalSettings
  readonly context: ContextBudget
}

/** One question and who asks it, read and validated. */
export interface QuestionRequest {
  /** Normalised. */
  readonly question: string
  readonly collection: string
  readonly principal: Principal
  readonly audience: Audience
}
