/** Types of a decision: bands, the judgement, and the whole record. */
import type { AnswerSignals } from '../answer/answer-signals.ts'
import type { ScoreKind } from '../evidence/chunk.ts'
import type { ReasonCode, Verdict, Finding } from '../gates/finding.ts'
import type { CollectionId, CorpusVersion, Tenant } from '../lib/ids.ts'
import type { Signals } from '../signals/measure.ts'
import type { RerankerOutcome } from '../evidence/rerank.ts'

/** Band of a confidence. */
export type Band = 'high' | 'medium' | 'low' | 'very-low'

/** Result of `judge`, which depends only on policy, signals and findings. */
export interface Judgement {
  /** The strictest outcome of all findings; `advise` with disabled gates. */
  readonly verdict: Verdict
  /** 0..1; 0 if it could not be computed. */
  readonly confidence: number
  /** The policy's band for the confidence. */
  readonly band: Band
  /** Code of the first finding with the strictest outcome; `passed` when every gate passed. */
  readonly reason: ReasonCode
  /** Findings of gates in the policy's order, then of rules; of both stages if an answer was judged. */
  readonly findings: readonly Finding[]
  /** `name@` and 16 hexadecimal characters. */
  readonly policyId: string
  /** Present on a refusal if the policy asks for human review. */
  readonly escalate?: true
}

/** Time spent in a phase, milliseconds. Workers' clocks advance only over I/O, so these time I/O. */
export interface Timings {
  readonly retrievalMs?: number
  readonly rerankMs?: number
  readonly generationMs?: number
  readonly totalMs?: number
}

/**
 * What the answer cache did, in terms of RFC 9211. `hit`: neither retrieved nor judged, including an answer shared with a
 * simultaneous caller. `evidence-hit`: retrieved and judged again, then answered from the cache because the evidence was the
 * same, also for another wording of an answered question. `stale`: an expired answer was sent, because the retriever or the
 * handler failed.
 */
export type CacheState = 'hit' | 'evidence-hit' | 'miss' | 'bypass' | 'stale'

/** The whole record of one question. */
export interface Decision extends Judgement {
  /** UUIDv7. */
  readonly id: string
  readonly tenant: Tenant
  readonly collection: CollectionId
  readonly corpusVersion: CorpusVersion
  readonly signals: Signals
  /** Signals of the answer, if the policy judged it. */
  readonly answerSignals?: AnswerSignals
  /** The score by which the evidence was ranked. */
  readonly rankedBy: ScoreKind
  /** Outcome of the reranker; its scores exist only after `ok`. */
  readonly reranker: RerankerOutcome
  /** Ids of the chunks judged, best first. */
  readonly evidenceIds: readonly string[]
  /** Ids of their documents, without duplicates, in the same order. */
  readonly documentIds: readonly string[]
}
