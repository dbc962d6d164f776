import type { ReasonCode } from '../gates/finding.ts'
import { roundHalfEven } from '../lib/rounding.ts'
import type { Decision } from '../policy/decision.ts'

/** Audit record of a refused question, linked to its decision. */
export interface RefusalRecord {
  readonly decision_id: string
  readonly policy_id: string
  /** The question; present only if the caller passed its text. */
  readonly query?: string
  /** The reason, with figures. */
  readonly reason: string
  readonly reason_code: ReasonCode
  /** The gate that decided. */
  readonly gate: string
  /** Number of chunks judged. */
  readonly evidence_analyzed: number
  /** How far the measured value was below the threshold, four decimals; `null` if the gate compares nothing. */
  readonly deficit: number | null
  /** ISO 8601. */
  readonly timestamp: string
  /** Present if it is marked for human review. */
  readonly escalate?: true
}

const FIGURES = 4

/**
 * Builds the audit record of a refusal from its decision, new or recorded.
 *
 * @param atMs milliseconds since 1970
 * @param question the question's text; pass it only if texts may be kept
 * @returns `undefined` if the decision is not a refusal
 */
export function refusalRecord(decision: Decision, atMs: number, question?: string): RefusalRecord | undefined {
  const deciding = decision.findings.find(({ outcome }) => outcome === 'refuse')
  if (decision.verdict !== 'refuse' || deciding === undefined) return undefined
  const { actual, threshold } = deciding
  const below = actual !== undefined && threshold !== undefined && actual <= threshold
  return {
    decision_id: decision.id,
    policy_id: decision.policyId,
    ...(question === undefined ? {} : { query: question }),
    reason: deciding.message,
    reason_code: decision.reason,
    gate: deciding.gate,
    evidence_analyzed: decision.evidenceIds.length,
    // Zero if a share equal to the threshold was refused.
    deficit: below ? roundHalfEven(threshold - actual, FIGURES) : null,
    timestamp: new Date(atMs).toISOString(),
    ...(decision.escalate === true ? { escalate: true } : {}),
  }
}
