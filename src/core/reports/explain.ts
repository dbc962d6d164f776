/** A decision in words and figures, gate by gate: what an operator reads to understand a refusal. */
import type { Verdict } from '../gates/finding.ts'
import type { Decision } from '../policy/decision.ts'
import type { Policy } from '../policy/policy.ts'
import type { ExplainedFact, FurtherMembers, MarkedLine } from '../policy/preset.ts'

/** Why a decision came out as it did. For operators: it is full of figures. */
export interface Explanation {
  /** What each gate that judged looked at, in the policy's order. */
  readonly facts: readonly ExplainedFact[]
  readonly decision: Uppercase<Verdict>
  /** Message of the finding that decided; absent when every gate passed. */
  readonly reason?: string
  /** What the policy's preset checked, one by one; none where it tells no checks. */
  readonly checks: readonly MarkedLine[]
  /** What the measures mean to the policy's preset, in words; none where it tells none. */
  readonly analysis: readonly MarkedLine[]
  /** What the policy's preset tells at a glance. */
  readonly glance?: FurtherMembers
}

/** What an explanation is made from: a decision, fresh or recorded. */
export type ExplainedDecision = Pick<Decision, 'verdict' | 'confidence' | 'band' | 'findings' | 'signals'>

/**
 * Explains a decision, fresh or recorded, under the policy that made it.
 *
 * @param policy the one named by the decision's `policyId`: settings are read from it, nothing is judged again
 */
export function explain(decision: ExplainedDecision, { preset, gates }: Pick<Policy, 'preset' | 'gates'>): Explanation {
  const { verdict, findings } = decision
  const deciding = findings.find(({ outcome }) => outcome === verdict)
  const { facts, checks = [], analysis = [], glance } = preset?.explain?.(decision, gates) ?? {}
  return {
    facts: findings
      .filter(({ outcome }) => outcome !== 'skip')
      .flatMap((finding) => facts?.(finding) ?? [{ label: finding.gate, value: finding.message }]),
    // The same word.
    decision: verdict.toUpperCase() as Uppercase<Verdict>,
    ...(verdict !== 'pass' && deciding && { reason: deciding.message }),
    checks,
    analysis,
    ...(glance && { glance }),
  }
}

/**
 * The explanation as the debug block of a terminal.
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
