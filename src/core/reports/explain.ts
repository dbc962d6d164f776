/** Explains a decision to operators, gate by gate, in words and figures. */
import type { Verdict } from '../gates/finding.ts'
import type { Decision } from '../policy/decision.ts'
import type { Policy } from '../policy/policy.ts'
import type { ExplainedFact, FurtherMembers, MarkedLine } from '../policy/preset.ts'

/** Explanation of a decision, with figures, for operators. */
export interface Explanation {
  /** The measurements of each gate that judged, in the policy's order. */
  readonly facts: readonly ExplainedFact[]
  readonly decision: Uppercase<Verdict>
  /** Message of the finding that decided; absent when every gate passed. */
  readonly reason?: string
  /** Checks reported by the policy's preset; empty if it reports none. */
  readonly checks: readonly MarkedLine[]
  /** The preset's interpretation of the measurements; empty if it has none. */
  readonly analysis: readonly MarkedLine[]
  /** The preset's short summary. */
  readonly glance?: FurtherMembers
}

/** Input of `explain`: a new or recorded decision. */
export type ExplainedDecision = Pick<Decision, 'verdict' | 'confidence' | 'band' | 'findings' | 'signals'>

/**
 * Explains a new or recorded decision.
 *
 * @param policy the policy of the decision's `policyId`; its settings are read, and nothing is judged again
 */
export function explain(decision: ExplainedDecision, { preset, gates }: Pick<Policy, 'preset' | 'gates'>): Explanation {
  const { verdict, findings } = decision
  const deciding = findings.find(({ outcome }) => outcome === verdict)
  const { facts, checks = [], analysis = [], glance } = preset?.explain?.(decision, gates) ?? {}
  return {
    facts: findings
      .filter(({ outcome }) => outcome !== 'skip')
      .flatMap((finding) => facts?.(finding) ?? [{ label: finding.gate, value: finding.message }]),
    // The cast is safe: it is the same word.
    decision: verdict.toUpperCase() as Uppercase<Verdict>,
    ...(verdict !== 'pass' && deciding && { reason: deciding.message }),
    checks,
    analysis,
    ...(glance && { glance }),
  }
}

/**
 * Formats an explanation as a debug block for terminals.
 *
 * @example
 * Confidence Gate:
 *   Top chunk score: 1
 *   Chunks above threshold (2): 0
 *   Decision: REFUSE
 *   Reason: Top chunk relevance score (1) below threshold (2)
 */
export function explanationText({ facts, decision, reason }: Explanation): string {
  const lines = [...facts, { label: 'Decision', value: decision }]
  if (reason !== undefined) lines.push({ label: 'Reason', value: reason })
  return ['Confidence Gate:', ...lines.map(({ label, value }) => `  ${label}: ${value}`)].join('\n')
}
