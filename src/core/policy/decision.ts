/** The words of a decision: findings, the strictest of them, and the whole record. */
import type { AnswerSignals } from '../answer/answer-signals.ts'
import type { ScoreKind } from '../evidence/chunk.ts'
import type { ReasonCode, Verdict, Finding } from '../gates/finding.ts'
import type { CollectionId, CorpusVersion, Tenant } from '../lib/ids.ts'
import type { Signals } from '../signals/measure.ts'
import type { RerankerOutcome } from '../evidence/rerank.ts'

/** Where a confidence stands among a policy's bands. */
export type Band = 'high' | 'medium' | 'low' | 'very-low'

/** What `judge` says: everything that follows from policy, signals and findings, and nothing else. */
export interface Judgement {
  /** The strictest outcome of all findings; `advise` behind disabled gates. */
  readonly verdict: Verdict
  /** 0..1; 0 where it could not be computed. */
  readonly confidence: number
  /** In which of the policy's bands the confidence falls. */
  readonly band: Band
  /** Code of the first finding with the strictest outcome; `passed` when every gate passed. */
  readonly reason: ReasonCode
  /** Of gates in the policy's order, then of rules; those of both stages once an answer was judged. */
  readonly findings: readonly Finding[]
  /** `name@` and 16 hexadecimal characters. */
  readonly policyId: string
  /** Present on a refusal of a policy that wants a person to look at what it refuses. */
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
 * How the answer cache took part, in the words of RFC 9211. `hit`: neither retrieved nor judged, also where the answer was
 * another caller's who asked the same at the same time. `evidence-hit`: retrieved and judged anew, and answered from the
 * cache because the evidence was the same, or the question another wording of one that was answered. `stale`: an answer past
 * its lifetime was sent, because the retriever or the handler failed.
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
  /** What was measured of the answer, when the policy judged it. */
  readonly answerSignals?: AnswerSignals
  /** By which score the evidence was ranked. */
  readonly rankedBy: ScoreKind
  /** What became of the reranker; grades were judged only after `ok`. */
  readonly reranker: RerankerOutcome
  /** Ids of the chunks judged, best first. */
  readonly evidenceIds: readonly string[]
  /** Ids of their documents, each once, in that order. */
  readonly documentIds: readonly string[]
}
