/** What a ready-made policy brings beside its settings: the parts it is made of, its own words and its own reports. */
import type { Chunk } from '../evidence/chunk.ts'
import type { ScoreMeaning } from '../evidence/score-kinds.ts'
import type { Finding, ReasonCode } from '../gates/finding.ts'
import type { Gate, PolicyGate } from '../gates/gate.ts'
import type { Text } from '../gates/text.ts'
import type { Json } from '../lib/json.ts'
import type { Signal } from '../signals/signal.ts'
import type { Language } from '../text/language.ts'
import type { ConfidenceModel } from './confidence.ts'
import type { Decision } from './decision.ts'

/** Who reads. `public`: no number that follows a score, for that tells what the corpus holds. `operator`: everything. */
export type Audience = 'public' | 'operator'

/** Parts by which stored settings become a policy again. */
export interface PolicyParts {
  readonly gates: readonly Gate[]
  readonly confidenceModels: readonly ConfidenceModel[]
  /** @default none */
  readonly languages?: readonly Language[]
}

/** A decision, and what texts about it are made of. */
export interface ReportedDecision {
  readonly decision: Decision
  /** The evidence, best first. */
  readonly chunks: readonly Chunk[]
  readonly audience: Audience
  /** Gates of the policy that judged. */
  readonly gates: readonly PolicyGate[]
}

/** Members that a preset adds to an answer or a refusal. JSON. */
export type FurtherMembers = Readonly<Record<string, unknown>>

/** One line of an explanation. */
export interface ExplainedFact {
  readonly label: string
  readonly value: string
}

/** One line with its mark, `✅` or `❌` or `⚠️`, in front. */
export interface MarkedLine {
  readonly text: string
}

/** The parts of an explanation that only the preset of a policy can tell. */
export interface PresetExplanation {
  /** Instead of a finding's own message. @default the message of each finding */
  readonly facts?: (finding: Finding) => readonly ExplainedFact[] | undefined
  /** What was checked, check by check. @default none */
  readonly checks?: readonly MarkedLine[]
  /** What the measures mean, in words. @default none */
  readonly analysis?: readonly MarkedLine[]
  /** What a reader is told at a glance. @default nothing */
  readonly glance?: FurtherMembers
}

/** Something that the audit trail keeps beside a decision. */
export interface AuditEvent {
  /** Such as `RAG_ADVISORY_LOW_CONFIDENCE`. */
  readonly type: string
  /** Figures and codes; never a text of question or answer. */
  readonly payload: Json
}

/** What of a decision, fresh or recorded, a preset explains. */
export type AssessedDecision = Pick<Decision, 'signals' | 'confidence' | 'band'> & Partial<Pick<Decision, 'verdict'>>

/** What not every deployment has: a reranker; scores of words or of meaning, not of ranks alone. */
export type PresetNeed = 'reranker' | Extract<ScoreMeaning, 'words' | 'meaning'>

/** A ready-made policy's own side. Core knows presets by this alone, and imports none. */
export interface Preset extends PolicyParts {
  /** As stored settings name it. */
  readonly name: string
  /**
   * One of these must be there for its default settings: without, it refuses or calls unusable what it should answer.
   *
   * @default nothing
   */
  readonly needsOneOf?: readonly PresetNeed[]
  /** Signals that its policies record beside those that decide. @default none */
  readonly records?: readonly Signal[]
  /** Texts in the words of the profile's specification, for policies made with `wording: 'specification'`. @default none */
  readonly specificationTexts?: Readonly<Record<ReasonCode, Text>>
  /** What an operator is told of the finding that decided. @default its message */
  operatorReason?(finding: Finding, decision: Decision, wording: Wording): string | undefined
  /** Members of every answer and refusal under the policy. @default none */
  summary?(told: ReportedDecision): FurtherMembers
  /** Members of its refusals beside those. @default none */
  refusal?(told: ReportedDecision, wording: Wording): FurtherMembers
  /** What the audit trail keeps of an exchange, a cached answer's too. @default nothing */
  auditEvents?(decision: Decision, atMs: number): readonly AuditEvent[]
  /** A warning for `onWarning`, once an answer was made. @default none */
  warning?(decision: Decision): { readonly code: string; readonly message: string } | undefined
  /** @default nothing but the findings */
  explain?(decision: AssessedDecision, gates: readonly PolicyGate[]): PresetExplanation
}

/** In whose words a policy speaks: neutral ones that name no domain, or those of the specification that the profile follows. */
export type Wording = 'neutral' | 'specification'
