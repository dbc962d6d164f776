import type { ReasonCode } from '../gates/finding.ts'
import { roundHalfEven } from '../lib/rounding.ts'
import type { Decision } from '../policy/decision.ts'

/** What an audit log keeps of one refused question, with what ties it to its decision. */
export interface RefusalRecord {
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
}

const FIGURES = 4

/**
 * The audit record of a refusal, from its decision, fresh or recorded.
 *
 * @param atMs milliseconds since 1970
 * @param question its text. Leave it out unless texts may be kept
 * @returns `undefined` when the decision refuses nothing
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
    // Zero where a share of exactly the threshold was refused.
    deficit: below ? roundHalfEven(threshold - actual, FIGURES) : null,
    timestamp: new Date(atMs).toISOString(),
    ...(decision.escalate === true ? { escalate: true } : {}),
  }
}
