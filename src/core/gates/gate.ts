/** What a gate is made of. To add one, read `min-top-cosine.ts` and add a line to `index.ts`. */
import { RagGateError } from '../../errors.ts'
import type { AnswerSignals } from '../answer/answer-signals.ts'
import type { Outcome, Stage } from './finding.ts'
import type { Signals } from '../signals/measure.ts'

/** What a gate may look at. */
export interface GateInput {
  /** What was measured of the evidence. */
  readonly signals: Signals
  /** What the policy's confidence model made of the signals; `NaN` when it could not. */
  readonly confidence: number
  /** What is known about the answer; only gates that run after generation have it. */
  readonly answer?: AnswerSignals
}

/** What a gate says; `judge` adds its name and stage. */
export interface GateFinding<Code extends string = string> {
  /** `skip` where the gate cannot or need not judge: when all skip, the question is refused. */
  readonly outcome: Outcome
  /** Why, as a stable code; `passed` where it passed. */
  readonly code: Code
  /** With figures, for operators. */
  readonly message: string
  /** What was measured, a finite number. */
  readonly actual?: number
  /** What it was held against. */
  readonly threshold?: number
  /** Id of the chunk that the finding is about. */
  readonly subject?: string
}

/**
 * One check. Its settings are plain data, so that a policy can be hashed, stored and replayed.
 *
 * @typeParam Settings the gate's thresholds, with `gate` naming it
 */
export interface Gate<Settings extends { readonly gate: string }, Code extends string> {
  /** As its settings name it. */
  readonly name: Settings['gate']
  /** Whether it judges the evidence, before a model is called, or the answer. */
  readonly stage: Stage
  /** @throws `policy_invalid` naming the setting at fault */
  readonly validate: (settings: Settings) => void
  /** Pure. What is missing or no number refuses. */
  readonly check: (settings: Settings, input: GateInput) => GateFinding<Code>
}

/** Names the type parameters of a gate from its parts. */
export function defineGate<Settings extends { readonly gate: string }, Code extends string>(
  gate: Gate<Settings, Code>,
): Gate<Settings, Code> {
  return Object.freeze(gate)
}

/**
 * Checks that a setting is a number within bounds.
 *
 * @throws `policy_invalid`
 */
export function requireWithin(setting: string, value: number, low: number, high: number): void {
  if (!(typeof value === 'number' && value >= low && value <= high)) {
    throw new RagGateError('policy_invalid', `${setting} must be a number from ${low} to ${high}`, { param: setting })
  }
}
