/** What gates say: outcomes, findings, and the strictest of them. */

/** What is done with a question: answered, answered with a visible caution, or not answered. */
export type Verdict = 'pass' | 'advise' | 'refuse'

/** What one gate says. `skip`: it could not or need not judge. */
export type Outcome = Verdict | 'skip'

/** Whether a gate judges the evidence or the answer. */
export type Stage = 'pre-generation' | 'post-generation'

/**
 * Why a question was refused, advised or passed, as a stable code that callers and dashboards compare. Each gate brings
 * codes of its own, with their texts.
 */
export type ReasonCode = string

/** What one gate found. */
export interface Finding {
  /** Name of the gate, or of the rule. */
  readonly gate: string
  /** Before the model call, or after it. */
  readonly stage: Stage
  /** `skip` counts for nothing. */
  readonly outcome: Outcome
  /** Why, as a stable code. */
  readonly code: ReasonCode
  /** The same in words with figures, for operators only. */
  readonly message: string
  /** What was measured. */
  readonly actual?: number
  /** What it was held against. */
  readonly threshold?: number
  /** Id of the chunk that the finding is about. */
  readonly subject?: string
  /** What every caller is told instead of the text of its code; a rule of a service's own may say it. */
  readonly publicText?: string
}

const STRICTNESS: Readonly<Record<Outcome, number>> = { skip: 0, pass: 0, advise: 1, refuse: 2 }

/** The strictest verdict among outcomes; `pass` for none. What is no outcome, as in a damaged record, refuses. */
export function strictest(outcomes: Iterable<Outcome>): Verdict {
  let verdict: Verdict = 'pass'
  for (const given of outcomes) {
    const outcome = isOutcome(given) ? given : 'refuse'
    if (outcome !== 'skip' && STRICTNESS[outcome] > STRICTNESS[verdict]) verdict = outcome
  }
  return verdict
}

/** Whether a value is a code: it stands in a header. */
export function isCode(value: string): boolean {
  return /^[\w:./-]+$/.test(value)
}

/** Whether a value is an outcome. */
export function isOutcome(value: unknown): value is Outcome {
  return typeof value === 'string' && Object.hasOwn(STRICTNESS, value)
}
