/** A decision in words and figures, gate by gate: what an operator reads to understand a refusal. */
import type { Decision } from '../policy/decision.ts'
import type { Finding } from '../gates/finding.ts'
import { type CheckLine, checkLines } from '../../presets/two-tier/check-lines.ts'
import { meets, RATIO_TOLERANCE } from '../lib/numbers.ts'
import type { Policy } from '../policy/policy.ts'
import { type AnalysisLine, analyse } from '../../presets/weighted-signals/recommendations.ts'

/** One line of an explanation. */
export interface Explained {
  readonly label: string
  readonly value: string
}

/** Why a decision came out as it did. For operators: it is full of figures. */
export interface Explanation {
  /** What each gate that judged looked at, in the policy's order. */
  readonly facts: readonly Explained[]
  readonly decision: 'PASS' | 'ADVISE' | 'REFUSE'
  /** Message of the finding that decided; absent when every gate passed. */
  readonly reason?: string
  /** The checks of the gates of document 000, one by one; none where the policy has none of them. */
  readonly checks: readonly CheckLine[]
  /** Every finding, gates that skipped included. */
  readonly findings: readonly Finding[]
  /** The retrieval metrics in words. */
  readonly analysis: readonly AnalysisLine[]
}

/**
 * Explains a decision, fresh or recorded, under the policy that made it.
 *
 * @param policy the one named by the decision's `policyId`: settings are read from it, nothing is judged again
 * @see reference document 000, "Debug Mode"; reference document 001, "Example Scenarios"
 */
export function explain(
  decision: Pick<Decision, 'verdict' | 'confidence' | 'band' | 'findings' | 'signals'>,
  policy: Pick<Policy, 'gates'>,
): Explanation {
  const { verdict, findings } = decision
  const deciding = findings.find(({ outcome }) => outcome === verdict)
  return {
    facts: findings
      .filter(({ outcome }) => outcome !== 'skip')
      .flatMap((finding) => factsOf(finding, decision, policy)),
    decision: verdict === 'pass' ? 'PASS' : verdict === 'advise' ? 'ADVISE' : 'REFUSE',
    ...(verdict === 'pass' || deciding === undefined ? {} : { reason: deciding.message }),
    checks: checkLines(decision.signals, policy.gates),
    findings,
    analysis: analyse(decision),
  }
}

/** Grades are told as the document tells them; every other gate speaks for itself. */
function factsOf(
  { gate, message }: Finding,
  { signals }: Pick<Decision, 'signals'>,
  { gates }: Pick<Policy, 'gates'>,
): Explained[] {
  const graded = gates.find((settings) => settings.gate === 'graded-relevance')
  const grades = signals.curves.grade?.scores
  if (gate !== 'graded-relevance' || graded === undefined || grades === undefined) {
    return [{ label: gate, value: message }]
  }
  const { relevanceThreshold } = graded
  const relevant = grades.filter((grade) => meets(grade, relevanceThreshold, RATIO_TOLERANCE))
  return [
    { label: 'Top chunk score', value: String(grades[0]) },
    { label: `Chunks above threshold (${relevanceThreshold})`, value: String(relevant.length) },
  ]
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
