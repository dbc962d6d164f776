/** Types of gates. To add one, start from `min-top-cosine.ts`: a gate is one file that nothing else needs to know. */
import { isRecord } from '../lib/guards.ts'
import { RagGateError } from '../../errors.ts'
import type { AnswerSignals } from '../answer/answer-signals.ts'
import type { AnswerInput } from '../answer/answer-input.ts'
import type { Outcome, Stage } from './finding.ts'
import type { Text } from './text.ts'
import { required, requireOptions, string } from '../lib/options.ts'
import type { Signals } from '../signals/measure.ts'
import type { Signal } from '../signals/signal.ts'

/** Input of a gate's check. */
export interface GateInput {
  /** Signals of the evidence. */
  readonly signals: Signals
  /** The policy's confidence; `NaN` if it could not be computed. */
  readonly confidence: number
  /** Signals of the answer; only for gates that run after generation. */
  readonly answer?: AnswerSignals
}

/** Result of a gate's check; `judge` adds name and stage. */
export interface GateFinding<Code extends string = string> {
  /** `skip` if the gate cannot or need not judge; if all gates skip, the question is refused. */
  readonly outcome: Outcome
  /** Stable reason code of A-Z a-z 0-9 _ . : / -; `passed` if it passed. */
  readonly code: Code
  /** Message with figures, for operators. */
  readonly message: string
  /** The measured value, a finite number. */
  readonly actual?: number
  /** The value it was compared with. */
  readonly threshold?: number
  /** Id of the chunk that the finding is about. */
  readonly subject?: string
}

/** Settings of a gate, as a policy stores them: plain data, so that a policy can be hashed, stored and replayed. */
export interface GateSettings {
  /** Name of the gate to which they belong. */
  readonly gate: string
}

/** A fact about the answer that a route must report to a gate. */
export type ReportedPart = 'generation-confidence'

/**
 * One check.
 *
 * @typeParam Settings the gate's thresholds, with `gate` naming it
 * @typeParam Code the codes of its findings
 */
export interface Gate<Settings extends GateSettings = GateSettings, Code extends string = string> {
  /** Name of the gate in settings. */
  readonly name: Settings['gate']
  /** Whether it judges the evidence, before the model call, or the answer. */
  readonly stage: Stage
  /** @throws `policy_invalid` naming the setting at fault */
  validate(settings: Settings): void
  /**
   * What the gate judges. A gate about the `question` also runs when nothing was found, and before retrieval if its signals
   * depend on the question only. It can refuse but never pass, since a readable question does not support an answer.
   *
   * @default the evidence, or the answer
   */
  readonly about?: 'question'
  /** The signals that it needs. @default none besides confidence and answer */
  reads?(settings: Settings): readonly Signal[]
  /** The pure check. Missing or non-numeric signals must refuse. @returns `undefined` for no finding, which counts as `skip` */
  check(settings: Settings, input: GateInput): GateFinding<Code> | undefined
  /** Texts of its codes. */
  readonly texts: Readonly<Record<Exclude<Code, 'passed'>, Text>>
  /** Whether it can judge an unreadable answer. If any gate cannot, such an answer is refused. @default false */
  readonly judgesUnreadable?: true
  /**
   * The function that measures answers: `measureAnswer`, for gates that run after generation. It is passed in here so that
   * apps whose policy judges no answers do not bundle it.
   */
  readonly measure?: (input: AnswerInput) => AnswerSignals
  /** Sentences of an answer that it refuses, verbatim. @default none */
  refusedSentences?(settings: Settings, answer: string, signals: AnswerSignals): readonly string[]
  /** The fact that the route must report for it. @default nothing */
  readonly needs?: ReportedPart
  /** Fields of a structured answer that it reads. @default none */
  answerFields?(settings: Settings): readonly string[]
  /** Access to its refuse threshold, 0 to 1, for calibration by labels. @default it has none */
  readonly threshold?: GateThreshold<Settings>
}

/** Reads and changes the threshold of a gate. */
export interface GateThreshold<Settings extends GateSettings = GateSettings> {
  /** 0..1. */
  of(settings: Settings): number
  /** The settings with another threshold, not validated. */
  moved(settings: Settings, threshold: number): Settings
}

/** A gate with its settings, as part of a policy. */
export interface PolicyGate {
  readonly gate: Gate
  readonly settings: GateSettings
}

/** Infers the type parameters of a gate from its members. */
export function defineGate<Settings extends GateSettings, Code extends string>(
  gate: Omit<Gate<Settings, Code>, 'texts'> & { readonly texts: Gate<Settings, NoInfer<Code>>['texts'] },
): Gate<Settings, Code> {
  return Object.freeze(gate)
}

/**
 * Combines a gate with settings, checked and frozen.
 *
 * @throws `policy_invalid` naming the setting at fault
 */
export function gateWith<Settings extends GateSettings, Code extends string>(
  gate: Gate<Settings, Code>,
  settings: Settings,
): PolicyGate {
  if (typeof gate?.validate !== 'function' || !isRecord(settings)) {
    throw new RagGateError('policy_invalid', 'gateWith needs a gate with settings', { param: 'gate' })
  }
  gate.validate(settings)
  return Object.freeze({ gate, settings: Object.freeze({ ...settings }) })
}

/** The settings of a gate in a policy; `undefined` if the policy does not contain it. */
export function settingsOf<Settings extends GateSettings, Code extends string>(
  gate: Gate<Settings, Code>,
  gates: readonly PolicyGate[],
): Settings | undefined {
  const found = gates.find((each) => each.settings.gate === gate.name)
  // The cast is safe: this gate validated them when the policy was made.
  return found?.settings as Settings | undefined
}

/** Validates settings that have no member except `gate`. @throws `policy_invalid` for any other */
export function plainSettings(settings: GateSettings): void {
  requireOptions(settings, { gate: required(string) }, 'policy_invalid')
}
