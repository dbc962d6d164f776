/** Presets: the parts, texts and reports of a ready-made policy, beside its settings. */
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

/** Who reads a response. `public`: no number derived from a score, which would reveal what the corpus contains. `operator`: everything. */
export type Audience = 'public' | 'operator'

/** Parts from which stored settings are restored to a policy. */
export interface PolicyParts {
  readonly gates: readonly Gate[]
  readonly confidenceModels: readonly ConfidenceModel[]
  /** @default none */
  readonly languages?: readonly Language[]
}

/** A decision with the data for texts about it. */
export interface ReportedDecision {
  readonly decision: Decision
  /** The evidence, best first. */
  readonly chunks: readonly Chunk[]
  readonly audience: Audience
  /** Gates of the policy. */
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

/** The parts of an explanation that a preset contributes. */
export interface PresetExplanation {
  /** Facts that replace a finding's message. @default the message of each finding */
  readonly facts?: (finding: Finding) => readonly ExplainedFact[] | undefined
  /** One line per check. @default none */
  readonly checks?: readonly MarkedLine[]
  /** Interpretation of the measurements, in words. @default none */
  readonly analysis?: readonly MarkedLine[]
  /** A short summary for readers. @default nothing */
  readonly glance?: FurtherMembers
}

/** An event for the audit trail, beside a decision. */
export interface AuditEvent {
  /** Such as `RAG_ADVISORY_LOW_CONFIDENCE`. */
  readonly type: string
  /** Figures and codes; never a text of question or answer. */
  readonly payload: Json
}

/** The parts of a new or recorded decision that a preset explains. */
export type AssessedDecision = Pick<Decision, 'signals' | 'confidence' | 'band'> & Partial<Pick<Decision, 'verdict'>>

/** A requirement that not every deployment meets: a reranker, or scores that reflect words or meaning. */
export type PresetNeed = 'reranker' | Extract<ScoreMeaning, 'words' | 'meaning'>

/** A preset. Core only knows this interface, and imports no preset. */
export interface Preset extends PolicyParts {
  /** Name in stored settings. */
  readonly name: string
  /**
   * Its default settings need at least one of these; without, it would refuse questions that it should answer.
   *
   * @default nothing
   */
  readonly needsOneOf?: readonly PresetNeed[]
  /** Signals that its policies record in addition to those that decide. @default none */
  readonly records?: readonly Signal[]
  /** The texts of the profile's specification, for policies made with `wording: 'specification'`. @default none */
  readonly specificationTexts?: Readonly<Record<ReasonCode, Text>>
  /** Reason shown to operators for the finding that decided. @default its message */
  operatorReason?(finding: Finding, decision: Decision, wording: Wording): string | undefined
  /** Further members of every answer and refusal. @default none */
  summary?(told: ReportedDecision): FurtherMembers
  /** Further members of refusals. @default none */
  refusal?(told: ReportedDecision, wording: Wording): FurtherMembers
  /** Events for the audit trail, also for cached answers. @default none */
  auditEvents?(decision: Decision, atMs: number): readonly AuditEvent[]
  /** A warning for `onWarning` after a new answer. @default none */
  warning?(decision: Decision): { readonly code: string; readonly message: string } | undefined
  /** @default nothing but the findings */
  explain?(decision: AssessedDecision, gates: readonly PolicyGate[]): PresetExplanation
}

/** Wording of texts: neutral, without a domain, or that of the profile's specification. */
export type Wording = 'neutral' | 'specification'
