/** Audit records of refusals. */
import type { Chunk } from 'hono-rag-gate/core/evidence'
import type { Decision } from 'hono-rag-gate/core/policy'
import { type RefusalRecord, refusalRecord } from 'hono-rag-gate/core/reports'
import { type EvidenceSummaryEntry, summariseEvidence } from './gating-report.ts'

/** The audit record of one refused question, with the ids of its decision. */
export interface RejectionRecord extends RefusalRecord {
  /** The best three passages, for the person who reviews it; present with `escalate` if the chunks were given. */
  readonly evidence_summary?: readonly EvidenceSummaryEntry[]
}

/** Facts that a decision does not hold. */
export interface RejectionFacts {
  /** Unix time in milliseconds. */
  readonly atMs: number
  /** Text of the question. Omit it unless question text may be stored. */
  readonly question?: string
  /** The evidence, best first, for an escalated refusal. */
  readonly chunks?: readonly Chunk[]
}

/**
 * Makes the audit record of a refusal from its decision, fresh or recorded.
 *
 * @returns `undefined` if the decision is not a refusal
 * @see the specification of sufficiency, "Legal Compliance Audit" and "High-Stakes Legal Decisions"
 */
export function rejectionRecord(
  decision: Decision,
  { question, chunks, atMs }: RejectionFacts,
): RejectionRecord | undefined {
  const record = refusalRecord(decision, atMs, question)
  if (record?.escalate !== true || chunks === undefined) return record
  return { ...record, evidence_summary: summariseEvidence(chunks) }
}
