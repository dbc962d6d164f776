/** What an audit log keeps of a refusal. */
import type { Chunk } from 'hono-rag-gate/core/evidence'
import type { Decision } from 'hono-rag-gate/core/policy'
import { type RefusalRecord, refusalRecord } from 'hono-rag-gate/core/reports'
import { type EvidenceSummaryEntry, summariseEvidence } from './gating-report.ts'

/** The audit record of one refused question, with what ties it to its decision. */
export interface RejectionRecord extends RefusalRecord {
  /** The best three passages, for the person who looks at it; present with `escalate` when the chunks were given. */
  readonly evidence_summary?: readonly EvidenceSummaryEntry[]
}

/** What a decision does not know of itself. */
export interface RejectionFacts {
  /** Milliseconds since 1970. */
  readonly atMs: number
  /** Text of the question. Leave it out unless texts may be kept. */
  readonly question?: string
  /** The evidence, best first, for a refusal that is passed on to a person. */
  readonly chunks?: readonly Chunk[]
}

/**
 * The audit record of a refusal, from its decision, fresh or recorded.
 *
 * @returns `undefined` when the decision refuses nothing
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
