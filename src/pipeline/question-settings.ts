/** What gating a question needs, and what is the same for every question of a route. */
import type { PassageFilter } from '../core/evidence/passage-filter.ts'
import type { ConvexWeights, FusionMethod } from '../core/evidence/fusion.ts'
import type { SearchMode } from '../core/evidence/search-mode.ts'
import type { Evidence } from '../core/evidence/evidence.ts'
import type { Expansion } from '../core/policy/decision.ts'
import type { Policy } from '../core/policy/policy.ts'
import type { Audience } from '../core/policy/preset.ts'
import type { Rule } from '../core/policy/rules.ts'
import type { Signals } from '../core/signals/measure.ts'
import type { Lexicon } from '../core/text/lexicon.ts'
import type { TermReader } from '../core/text/terms.ts'
import type { Principal } from '../ports/authenticator.ts'
import type { Clock } from '../ports/clock.ts'
import type { Collection, Collections } from '../ports/collections.ts'
import type { QuestionRewriter } from '../ports/question-rewriter.ts'
import type { Reranker } from '../ports/reranker.ts'
import type { Retriever } from '../ports/retriever.ts'
import type { ContextSettings } from './fit-context.ts'

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
  readonly reranker?: Reranker
  /** Words a weak question anew for the further round. Without one, words of the best chunks are added to it. */
  readonly rewriter?: QuestionRewriter
  /** Gives a decision its id. @default a UUIDv7 of the clock's time */
  readonly newId?: () => string
  /** Reads the terms of texts. @default one that remembers nothing */
  readonly terms?: TermReader
  /** @default nobody is told */
  readonly onWarning?: (warning: GateWarning) => void
}

/** How evidence is found. */
export interface RetrievalSettings {
  /** Chunks judged. */
  readonly topK: number
  /** Chunks retrieved of each method, `topK` and up: the deeper, the more of those judged carry every method's score. */
  readonly candidates: number
  /** How the rankings are ordered as one. */
  readonly fusion: FusionMethod
  readonly fusionWeights: ConvexWeights
  /** Constant of the fusion `rrf`, 0 and up. */
  readonly rrfK: number
  /** Deadline of the retrieval and of a further round, headers and body together; of every look into the database too. */
  readonly timeoutMs: number
  /** How long the reranker may take; then the evidence is judged as it was retrieved. */
  readonly rerankTimeoutMs: number
  /** First confidence from which the reranker is asked, 0..1. @default 0 */
  readonly rerankFrom?: number
  /** First confidence from which it is not asked any more, 0..1. @default it always is */
  readonly rerankBelow?: number
  /** Which passages a caller's question may be answered from; without it all of the collection. */
  readonly filter?: (principal: Principal, collection: string) => PassageFilter | undefined
  /** One further round, where the first judgement was weak. @default none */
  readonly expansion?: RetrievalExpansion
}

/** The stage that retrieves once more where the first judgement was weak; made by `expandRetrieval`. */
export interface RetrievalExpansion {
  /** Confidence of the first judgement under which it is tried, 0..1. */
  readonly below: number
  /** A further round that fails leaves the first judgement, and says so. */
  readonly expand: (
    ports: Pick<QuestionPorts, 'rewriter' | 'clock' | 'onWarning'>,
    search: FurtherSearch,
    first: FirstRound,
  ) => Promise<FurtherRound>
}

/** How further words are searched: as the first were. */
export interface FurtherSearch {
  readonly retrieve: (words: string, signal: AbortSignal) => Promise<Evidence>
  readonly lexicon: Lexicon
  /** Chunks judged. */
  readonly topK: number
  /** Deadline of both rounds together, milliseconds. */
  readonly timeoutMs: number
}

/** What the first round left. */
export interface FirstRound {
  /** The question as it was searched: without the talk around it. */
  readonly words: string
  /** All that was retrieved, fused, not cut to what is judged. */
  readonly retrieved: Evidence
  /** What of it was judged. */
  readonly judged: Evidence
  readonly signals: Signals
  readonly confidence: number
  readonly retrievalMs: number
}

/** What came of a further round. */
export interface FurtherRound {
  /** Both rounds merged; absent where there is nothing else to judge than before. */
  readonly evidence?: Evidence
  /** Of both rounds, milliseconds. */
  readonly retrievalMs: number
  /** Absent when no further round was tried. */
  readonly expansion?: Expansion
}

/** What is the same for every question of a route. */
export interface QuestionSettings {
  /** @param noted the collection as it is known, with the policy noted for it */
  readonly policy: (tenant: string, collection: string, policyId: string | null, noted: Collection) => Policy
  readonly mode: 'enforce' | 'observe'
  /** Asked after the policy's gates. */
  readonly rules: readonly Rule[]
  readonly retrieval: RetrievalSettings
  readonly context: ContextSettings
}

/** One question and who asks it, read and validated. */
export interface QuestionRequest {
  /** Normalised. */
  readonly question: string
  readonly collection: string
  readonly principal: Principal
  readonly audience: Audience
  /** Which methods of retrieval take part. @default 'hybrid' */
  readonly searchMode?: SearchMode
  /**
   * A trial for an operator: judged as if these passages and documents, by id, were not there.
   *
   * @default no trial
   */
  readonly without?: readonly string[]
}
