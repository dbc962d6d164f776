/** What another policy would have said of decisions that are on record: from their signals, without any text. */
import type { RerankerOutcome } from 'hono-rag-gate/core/evidence'
import { type Finding, gradedRelevanceGate, type Verdict } from 'hono-rag-gate/core/gates'
import { confidenceOf, isOfTexts, judge, judgesAnswers, type Policy, readerFindings } from 'hono-rag-gate/core/policy'
import type { Signal, Signals } from 'hono-rag-gate/core/signals'
import { hasReaderScores } from './recorded-measures.ts'

/** A decision on record. */
export interface RecordedDecision {
  readonly id: string
  readonly verdict: Verdict
  readonly signals: Signals
  /** Those about texts (`isOfTexts`) count again: the texts are gone. */
  readonly findings: readonly Finding[]
  readonly policyId: string
  /** What became of the reader. @default it was not recorded */
  readonly reader?: RerankerOutcome
  /** What of the record is gone; absent where it is whole. */
  readonly lost?: 'cut' | 'erased'
}

/** Why a decision cannot be judged again, in words. */
export const NOT_REPLAYABLE = {
  judges_answers: 'The policy judges answers, of which no text is kept',
  signal_missing: 'A signal that the policy needs was not recorded',
  not_read: 'The policy weighs what a reader says of the passages, and none was asked',
  cut: 'The record was too large for the queue, and cut',
  erased: 'What was found in its texts was erased',
} as const

/** What is gone of a record in D1: `cut` names fields that were left out, an empty principal was erased. */
export function lostOfRecord(record: {
  readonly cut: readonly unknown[] | null
  readonly principalId: unknown
}): RecordedDecision['lost'] {
  if (record.cut?.some((field) => field === 'signals' || field === 'findings')) return 'cut'
  return record.principalId === '' ? 'erased' : undefined
}

/** One decision under the other policy. */
export type Replayed =
  | {
      readonly id: string
      readonly kind: 'replayed'
      readonly was: Verdict
      readonly is: Verdict
      readonly confidence: number
      /** Present where the passages were not read: the reader failed or was late, was spared, or there was none. */
      readonly unread?: 'failed' | 'spared' | 'off'
    }
  | {
      readonly id: string
      readonly kind: 'not-replayable'
      readonly was: Verdict
      readonly why: keyof typeof NOT_REPLAYABLE
    }

/**
 * Re-judges a decision. Never a guess: what the policy needs and was not recorded makes it not replayable.
 *
 * Where the reader failed it is judged as the gate would judge it: `whereReaderFails` says how. A policy whose confidence
 * weighs a reader judges what was spared where it was fitted on a cascade, and nothing else that was not read.
 */
export function replayDecision(policy: Policy, recorded: RecordedDecision): Replayed {
  const { id, verdict: was, signals, findings, reader, lost } = recorded
  const not = (why: keyof typeof NOT_REPLAYABLE): Replayed => ({ id, kind: 'not-replayable', was, why })
  if (judgesAnswers(policy)) return not('judges_answers')
  if (lost !== undefined) return not(lost)
  const evidence = signals.chunkCount > 0
  const needed = signalsNeeded(policy, evidence).filter(({ mayLack }) => mayLack !== true)
  if (needed.some(({ name }) => !Object.hasOwn(signals, name))) return not('signal_missing')
  // Without evidence there was nothing to read.
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

/** The signals by which a policy judges; of a question for which nothing was found, those of the question. */
function signalsNeeded({ reads, gates }: Policy, evidence: boolean): readonly Signal[] {
  if (evidence) return reads
  return gates.flatMap(({ gate, settings }) => (gate.about === 'question' ? (gate.reads?.(settings) ?? []) : []))
}

/** What a policy does with a question whose reader failed: it refuses it, judges words alone, or weighs no reader anyway. */
export type WhereReaderFails = 'refused' | 'judged_by_words' | 'not_weighed'

/** What a policy does with a question whose reader failed. */
export function whereReaderFails(policy: Policy): WhereReaderFails {
  if (readerFindings(policy, 'failed').length > 0) return 'refused'
  return policy.gates.some(({ gate }) => gate.name === gradedRelevanceGate.name) ? 'judged_by_words' : 'not_weighed'
}
