/** The one builder of refusals, and of what an operator sees of a decision. */
import type { AnswerSignals } from '../answer/answer-signals.ts'
import type { Chunk, Scores } from '../evidence/chunk.ts'
import type { Band, Decision, Expansion } from '../policy/decision.ts'
import type { Finding, Verdict } from '../gates/finding.ts'
import { type GatingReport, gatingReport, type InsufficientEvidence, insufficientEvidence, SUFFICIENCY_EXPLANATION } from '../../presets/sufficiency/gating-report.ts'
import type { GateSettings } from '../gates/index.ts'
import type { ReasonCode } from '../gates/finding.ts'
import type { Signals } from '../signals/measure.ts'
import { MESSAGES } from './messages.ts'

/** Who reads. `public`: no number that follows a score, for that tells what the corpus holds. `operator`: everything. */
export type Audience = 'public' | 'operator'

/** A chunk as shown to operators. */
export interface ShownChunk {
  readonly id: string
  readonly document_id: string
  readonly title?: string
  readonly section?: string
  readonly source?: string
  readonly text: string
  readonly scores: Scores
}

/** The figures behind a decision, for operators. */
export interface OperatorDetail {
  readonly confidence: number
  /** Why, in the fixed words of the document that the policy follows; `refusal_reason` has the figures. */
  readonly reason: string
  readonly findings: readonly Finding[]
  /** The gates of the policy that judged, with their thresholds. */
  readonly gates?: readonly GateSettings[]
  readonly signals: Signals
  /** Present when the policy judged the answer. */
  readonly answer_signals?: AnswerSignals
  /** Sentences of the answer that the passages do not support, as the answer had them. */
  readonly unsupported_sentences?: readonly string[]
  /** Present when a further round of retrieval was tried. */
  readonly expansion?: Expansion
  /** The evidence, best first. */
  readonly chunks: readonly ShownChunk[]
}

/** What every answer and refusal says about the decision behind it. */
export interface DecisionSummary {
  readonly decision_id: string
  readonly verdict: Verdict
  readonly band: Band
  readonly reason_code: ReasonCode
  /** `false` on an advisory answer that is too weak to be used; absent otherwise. */
  readonly usable?: false
  /** Present on a refusal that a person should look at; absent otherwise. */
  readonly escalate?: true
  /** Operators only, where the sufficiency gate judged. */
  readonly gating?: GatingReport
  /** Operators only. */
  readonly detail?: OperatorDetail
}

/** A refusal as sent. */
export interface Refusal extends DecisionSummary, Partial<InsufficientEvidence> {
  /** Stands where the answer would. */
  readonly answer: string
  readonly sources: readonly never[]
  readonly refused: true
  /** A fixed sentence for the public, the figures for operators. */
  readonly refusal_reason: string
  /** What the asker can do. */
  readonly suggestions: readonly string[]
}

/**
 * What is said about a decision to this audience.
 *
 * @param unsupported sentences of the answer that the passages do not support, shown to operators only
 * @param gates of the policy that judged, shown to operators only
 */
export function summariseDecision(
  decision: Decision,
  chunks: readonly Chunk[],
  audience: Audience,
  unsupported: readonly string[] = [],
  gates?: readonly GateSettings[],
): DecisionSummary {
  const { id, verdict, band, reason, confidence, findings, signals, answerSignals, escalate, expansion } = decision
  const unusable = verdict === 'advise' && findings.some(({ code }) => code === 'advisory_unusable')
  const summary = {
    decision_id: id,
    verdict,
    band,
    reason_code: reason,
    ...(unusable ? { usable: false as const } : {}),
    ...(escalate === true ? { escalate } : {}),
  }
  if (audience !== 'operator') return summary
  const gating = gatingReport(decision)
  return {
    ...summary,
    ...(gating === undefined ? {} : { gating }),
    detail: {
      confidence,
      reason: MESSAGES[reason].reason,
      findings,
      ...(gates === undefined ? {} : { gates }),
      signals,
      ...(answerSignals === undefined ? {} : { answer_signals: answerSignals }),
      ...(unsupported.length === 0 ? {} : { unsupported_sentences: unsupported }),
      ...(expansion === undefined ? {} : { expansion }),
      chunks: chunks.map(showChunk),
    },
  }
}

/**
 * Builds the refusal for a decision.
 *
 * @param chunks the evidence, shown to operators only
 * @param unsupported sentences of the answer that the passages do not support, shown to operators only
 * @param gates of the policy that judged, shown to operators only
 */
export function buildRefusal(
  decision: Decision,
  chunks: readonly Chunk[],
  audience: Audience,
  unsupported: readonly string[] = [],
  gates?: readonly GateSettings[],
): Refusal {
  const { answer, reason, suggestions } = MESSAGES[decision.reason]
  const deciding = decision.findings.find((finding) => finding.outcome === 'refuse')
  return {
    answer,
    sources: [],
    refused: true,
    refusal_reason: audience === 'operator' ? (deciding?.message ?? reason) : reason,
    suggestions,
    ...sufficiencyMembers(decision, chunks, audience),
    ...summariseDecision(decision, chunks, audience, unsupported, gates),
  }
}

/** Only where the sufficiency gate decided. Its figures and the passages are for operators. */
function sufficiencyMembers(
  decision: Decision,
  chunks: readonly Chunk[],
  audience: Audience,
): Partial<InsufficientEvidence> {
  const members = insufficientEvidence(decision, chunks)
  const deciding = decision.findings.find(({ outcome }) => outcome === 'refuse')
  if (members === undefined || deciding?.gate !== 'evidence-share') return {}
  return audience === 'operator' ? members : { status: 'insufficient_evidence', explanation: SUFFICIENCY_EXPLANATION }
}

function showChunk({ id, documentId, title, section, source, text, scores }: Chunk): ShownChunk {
  return {
    id,
    document_id: documentId,
    ...(title === undefined ? {} : { title }),
    ...(section === undefined ? {} : { section }),
    ...(source === undefined ? {} : { source }),
    text,
    scores,
  }
}
