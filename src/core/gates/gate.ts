/** What a gate is made of. To add one, read `min-top-cosine.ts`: a gate is a file, and nothing else has to know it. */
import { isRecord } from '../lib/guards.ts'
import { RagGateError } from '../../errors.ts'
import type { AnswerSignals } from '../answer/answer-signals.ts'
import type { AnswerInput } from '../answer/answer-input.ts'
import type { Outcome, Stage } from './finding.ts'
import type { Text } from './text.ts'
import { required, requireOptions, string } from '../lib/options.ts'
import type { Signals } from '../signals/measure.ts'
import type { Signal } from '../signals/signal.ts'

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
  /** Why, as a stable code of A-Z a-z 0-9 _ . : / -; `passed` where it passed. */
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

/** Settings of a gate, as a policy stores them: plain data, so that a policy can be hashed, stored and replayed. */
export interface GateSettings {
  /** Name of the gate that they are for. */
  readonly gate: string
}

/** What only a route can tell a gate about its answer. */
export type ReportedPart = 'generation-confidence'

/**
 * One check.
 *
 * @typeParam Settings the gate's thresholds, with `gate` naming it
 * @typeParam Code the codes of its findings
 */
export interface Gate<Settings extends GateSettings = GateSettings, Code extends string = string> {
  /** As its settings name it. */
  readonly name: Settings['gate']
  /** Whether it judges the evidence, before a model is called, or the answer. */
  readonly stage: Stage
  /** @throws `policy_invalid` naming the setting at fault */
  validate(settings: Settings): void
  /**
   * What is asked about. A gate about the `question` is asked where nothing was found, too, and before anything is
   * retrieved where its signals follow from the question alone. It refuses or has nothing to say: that a question can be
   * read supports no answer.
   *
   * @default the evidence, or the answer
   */
  readonly about?: 'question'
  /** The signals that it reads: they are measured for it. @default none, but for the confidence and the answer */
  reads?(settings: Settings): readonly Signal[]
  /** Pure. What is missing or no number refuses. @returns `undefined` for nothing to say, which counts like `skip` */
  check(settings: Settings, input: GateInput): GateFinding<Code> | undefined
  /** What is said for each of its codes. */
  readonly texts: Readonly<Record<Exclude<Code, 'passed'>, Text>>
  /** Whether it can judge an answer that could not be read; where another cannot, that refuses. @default false */
  readonly judgesUnreadable?: true
  /**
   * How answers are measured: `measureAnswer`, for every gate that runs after generation, and none before. So an app
   * whose policy judges no answers does not bundle it.
   */
  readonly measure?: (input: AnswerInput) => AnswerSignals
  /** Sentences of an answer that it refuses, as they stand there. @default none */
  refusedSentences?(settings: Settings, answer: string, signals: AnswerSignals): readonly string[]
  /** What the route must report for it. @default nothing */
  readonly needs?: ReportedPart
  /** Fields of a structured answer that it looks at. @default none */
  answerFields?(settings: Settings): readonly string[]
  /** Its threshold from 0 to 1 below which it refuses, where labels can move it. @default it has none */
  readonly threshold?: GateThreshold<Settings>
}

/** How the one threshold of a gate is read and moved. */
export interface GateThreshold<Settings extends GateSettings = GateSettings> {
  /** 0..1. */
  of(settings: Settings): number
  /** The settings with another threshold; not yet validated. */
  moved(settings: Settings, threshold: number): Settings
}

/** A gate with its settings, as a policy asks it. */
export interface PolicyGate {
  readonly gate: Gate
  readonly settings: GateSettings
}

/** Names the type parameters of a gate from its parts. */
export function defineGate<Settings extends GateSettings, Code extends string>(
  gate: Omit<Gate<Settings, Code>, 'texts'> & { readonly texts: Gate<Settings, NoInfer<Code>>['texts'] },
): Gate<Settings, Code> {
  return Object.freeze(gate)
}

/**
 * A gate with settings, checked and frozen.
 *
 * @throws `policy_invalid` naming the setting at fault
 */
export function gateWith<Settings extends GateSettings, Code extends string>(
  gate: Gate<Settings, Code>,
  settings: Settings,
): PolicyGate {
  if (typeof gate?.validate !== 'function' || !isRecord(settings)) {
    throw new RagGateError('policy_invalid', 'gateWith needs a gate, and its settings', { param: 'gate' })
  }
  gate.validate(settings)
  return Object.freeze({ gate, settings: Object.freeze({ ...settings }) })
}

/** The settings of a gate among those of a policy; `undefined` when the policy does not ask it. */
export function settingsOf<Settings extends GateSettings, Code extends string>(
  gate: Gate<Settings, Code>,
  gates: readonly PolicyGate[],
): Settings | undefined {
  const found = gates.find((each) => each.settings.gate === gate.name)
  // Validated by this gate when the policy was made.
  return found?.settings as Settings | undefined
}

/** The check of settings that only name their gate. @throws `policy_invalid` for any other */
export function plainSettings(settings: GateSettings): void {
  requireOptions(settings, { gate: required(string) }, 'policy_invalid')
}
