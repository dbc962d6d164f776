/** Outcomes and findings of gates, and the strictest of them. */

/** What happens to a question: it is answered, answered with a visible caution, or refused. */
export type Verdict = 'pass' | 'advise' | 'refuse'

/** Outcome of one gate. `skip`: it could not or need not judge. */
export type Outcome = Verdict | 'skip'

/** Whether a gate judges the evidence or the answer. */
export type Stage = 'pre-generation' | 'post-generation'

/**
 * Why a question was refused, advised or passed, as a stable code for callers and dashboards. Each gate defines its own
 * codes and their texts.
 */
export type ReasonCode = string

/** Result of one gate or rule. */
export interface Finding {
  /** Name of the gate, or of the rule. */
  readonly gate: string
  /** Before the model call, or after it. */
  readonly stage: Stage
  /** `skip` is ignored when the strictest outcome is chosen. */
  readonly outcome: Outcome
  /** Stable reason code. */
  readonly code: ReasonCode
  /** The reason in words with figures, for operators only. */
  readonly message: string
  /** The measured value. */
  readonly actual?: number
  /** The value it was compared with. */
  readonly threshold?: number
  /** Id of the chunk that the finding is about. */
  readonly subject?: string
  /** Public text that replaces the text of the code; a custom rule may set it. */
  readonly publicText?: string
}

/** The strictest verdict among outcomes; `pass` for none. */
export function strictest(outcomes: readonly Outcome[]): Verdict {
  return outcomes.includes('refuse') ? 'refuse' : outcomes.includes('advise') ? 'advise' : 'pass'
}

/** Whether a value is a valid code, safe in a header. */
export function isCode(value: string): boolean {
  return /^[\w:./-]+$/.test(value)
}

const OUTCOMES: readonly unknown[] = ['skip', 'pass', 'advise', 'refuse']

/** Whether a value is an outcome. */
export function isOutcome(value: unknown): value is Outcome {
  return OUTCOMES.includes(value)
}
