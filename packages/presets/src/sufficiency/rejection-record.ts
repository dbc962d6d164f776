/** What an audit log keeps of a refusal. */
import type { Chunk } from 'hono-rag-gate/core/evidence'
import type { Decision } from 'hono-rag-gate/core/policy'
import { type EvidenceSummaryEntry, summariseEvidence } from './gating-report.ts'
import type { ReasonCode } from 'hono-rag-gate/core/gates'
import { roundHalfEven } from 'hono-rag-gate/core/lib'

/** The audit record of one refused question, with what ties it to its decision. */
export interface RejectionRecord {
  readonly decision_id: string
  readonly policy_id: string
  /** The question, only where the caller chose to keep its text. */
  readonly query?: string
  /** Why, with the figures. */
  readonly reason: string
  readonly reason_code: ReasonCode
  /** Gate that decided. */
  readonly gate: string
  /** Chunks judged. */
  readonly evidence_analyzed: number
  /** By how much the measured value was under the threshold, four decimals; `null` where the gate compares nothing. */
  readonly deficit: number | null
  /** ISO 8601. */
  readonly timestamp: string
  /** Present when a person should look at it. */
  readonly escalate?: true
  /** The best three passages, for that person; present with `escalate` when the chunks were given. */
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

const FIGURES = 4

/**
 * The audit record of a refusal, from its decision, fresh or recorded.
 *
 * @returns `undefined` when the decision refuses nothing
 * @see the specification of sufficiency, "Legal Compliance Audit" and "High-Stakes Legal Decisions"
 */
export function rejectionRecord(decision: Decision, facts: RejectionFacts): RejectionRecord | undefined {
  const deciding = decision.findings.find(({ outcome }) => outcome === 'refuse')
  if (decision.verdict !== 'refuse' || deciding === undefined) return undefined
  const { actual, threshold } = deciding
  const below = actual !== undefined && threshold !== undefined && actual <= threshold
  const { question, chunks, atMs } = facts
  const escalate = decision.escalate === true
  return {
    decision_id: decision.id,
    policy_id: decision.policyId,
    ...(question === undefined ? {} : { query: question }),
    reason: deciding.message,
    reason_code: decision.reason,
    gate: deciding.gate,
    evidence_analyzed: decision.evidenceIds.length,
    // Zero where a share of exactly the threshold was refused.
    deficit: below ? roundHalfEven(threshold - actual, FIGURES) : null,
    timestamp: new Date(atMs).toISOString(),
    ...(escalate ? { escalate } : {}),
    ...(escalate && chunks !== undefined ? { evidence_summary: summariseEvidence(chunks) } : {}),
  }
}
