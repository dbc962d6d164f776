/** Replays recorded decisions under another policy, from their signals, without texts. */
import type { RerankerOutcome } from 'hono-rag-gate/core/evidence'
import { type Finding, gradedRelevanceGate, type Verdict } from 'hono-rag-gate/core/gates'
import { confidenceOf, isOfTexts, judge, judgesAnswers, type Policy, readerFindings } from 'hono-rag-gate/core/policy'
import type { Signal, Signals } from 'hono-rag-gate/core/signals'
import { hasReaderScores } from './recorded-measures.ts'

/** A recorded decision. */
export interface RecordedDecision {
  readonly id: string
  readonly verdict: Verdict
  readonly signals: Signals
  /** Findings of text rules (`isOfTexts`) are reused, because the texts are not recorded. */
  readonly findings: readonly Finding[]
  readonly policyId: string
  /** Outcome of the reranker. @default not recorded */
  readonly reader?: RerankerOutcome
  /** Why parts of the record are missing; absent if it is complete. */
  readonly lost?: 'cut' | 'erased'
}

/** Why a decision cannot be replayed, in words. */
export const NOT_REPLAYABLE = {
  judges_answers: 'The policy judges answers, of which no text is kept',
  signal_missing: 'A signal that the policy needs was not recorded',
  not_read: 'The policy weighs what a reader says of the passages, and none was asked',
  cut: 'The record was too large for the queue, and cut',
  erased: 'What was found in its texts was erased',
} as const

/** What is missing from a record in D1: `cut` names fields that were left out, an empty principal means erasure. */
export function lostOfRecord(record: {
  readonly cut: readonly unknown[] | null
  readonly principalId: unknown
}): RecordedDecision['lost'] {
  if (record.cut?.some((field) => field === 'signals' || field === 'findings')) return 'cut'
  return record.principalId === '' ? 'erased' : undefined
}

/** The result for one decision under the other policy. */
export type Replayed =
  | {
      readonly id: string
      readonly kind: 'replayed'
      readonly was: Verdict
      readonly is: Verdict
      readonly confidence: number
      /** Why no reranker scored the passages, if none did: it failed or timed out, was skipped, or is off. */
      readonly unread?: 'failed' | 'spared' | 'off'
    }
  | {
      readonly id: string
      readonly kind: 'not-replayable'
      readonly was: Verdict
      readonly why: keyof typeof NOT_REPLAYABLE
    }

/**
 * Judges a recorded decision again. If a signal that the policy needs was not recorded, it is not replayable.
 *
 * If the reranker failed, the decision is judged as the gate would have (`whereReaderFails`). A policy whose confidence
 * uses a reranker can only judge unscored questions that a cascade skipped, and only if it was fitted on a cascade.
 */
export function replayDecision(policy: Policy, recorded: RecordedDecision): Replayed {
  const { id, verdict: was, signals, findings, reader, lost } = recorded
  const not = (why: keyof typeof NOT_REPLAYABLE): Replayed => ({ id, kind: 'not-replayable', was, why })
  if (judgesAnswers(policy)) return not('judges_answers')
  if (lost !== undefined) return not(lost)
  const evidence = signals.chunkCount > 0
  if (lacksSignal(policy, signals)) return not('signal_missing')
  // Without evidence there was nothing to rerank.
  const unread = evidence && !hasReaderScores(signals)
  const why = reader === 'timeout' ? 'failed' : reader
  const ofReader = readerFindings(policy, reader)
  if (evidence && ofReader.length === 0) {
    const known = Number.isFinite(confidenceOf(policy.confidence, signals))
    if (unread && whereReaderFails(policy) === 'refused' && (why !== 'spared' || !known)) return not('not_read')
    if (!known) return not('signal_missing')
  }
  const { verdict: is, confidence } = judge(policy, signals, [...findings.filter(isOfTexts), ...ofReader])
  return { id, kind: 'replayed', was, is, confidence, ...(unread && why && why !== 'ok' ? { unread: why } : {}) }
}

/** Whether a signal that the policy needs was not recorded. */
export function lacksSignal(policy: Policy, signals: Signals): boolean {
  const needed = signalsNeeded(policy, signals.chunkCount > 0).filter(({ mayLack }) => mayLack !== true)
  return needed.some(({ name }) => !Object.hasOwn(signals, name))
}

/** The signals that a policy needs; without evidence, those about the question. */
function signalsNeeded({ reads, gates }: Policy, evidence: boolean): readonly Signal[] {
  if (evidence) return reads
  return gates.flatMap(({ gate, settings }) => (gate.about === 'question' ? (gate.reads?.(settings) ?? []) : []))
}

/** What a policy does if the reranker failed: refuse, judge lexically, or nothing as it uses no reranker. */
export type WhereReaderFails = 'refused' | 'judged_by_words' | 'not_weighed'

/** Determines what a policy does if the reranker failed. */
export function whereReaderFails(policy: Policy): WhereReaderFails {
  if (readerFindings(policy, 'failed').length > 0) return 'refused'
  return policy.gates.some(({ gate }) => gate.name === gradedRelevanceGate.name) ? 'judged_by_words' : 'not_weighed'
}
