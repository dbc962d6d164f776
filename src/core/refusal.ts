/** The one builder of refusals, and of what an operator sees of a decision. */
import type { Chunk, Scores } from './chunk.ts'
import type { Band, Decision, Finding, Verdict } from './decision.ts'
import type { ReasonCode } from './gates/index.ts'
import type { Signals } from './measure.ts'
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
  readonly findings: readonly Finding[]
  readonly signals: Signals
  readonly chunks: readonly ShownChunk[]
}

/** What every answer and refusal says about the decision behind it. */
export interface DecisionSummary {
  readonly decision_id: string
  readonly verdict: Verdict
  readonly band: Band
  readonly reason_code: ReasonCode
  /** Operators only. */
  readonly detail?: OperatorDetail
}

/** A refusal as sent. */
export interface Refusal extends DecisionSummary {
  readonly answer: string
  readonly sources: readonly never[]
  readonly refused: true
  readonly refusal_reason: string
  readonly suggestions: readonly string[]
}

/** What is said about a decision to this audience. */
export function summariseDecision(decision: Decision, chunks: readonly Chunk[], audience: Audience): DecisionSummary {
  const { id, verdict, band, reason, confidence, findings, signals } = decision
  const summary = { decision_id: id, verdict, band, reason_code: reason }
  return audience === 'public'
    ? summary
    : { ...summary, detail: { confidence, findings, signals, chunks: chunks.map(showChunk) } }
}

/**
 * Builds the refusal for a decision.
 *
 * @param chunks the evidence, shown to operators only
 */
export function buildRefusal(decision: Decision, chunks: readonly Chunk[], audience: Audience): Refusal {
  const { answer, reason, suggestions } = MESSAGES[decision.reason]
  const deciding = decision.findings.find((finding) => finding.outcome === 'refuse')
  return {
    answer,
    sources: [],
    refused: true,
    refusal_reason: audience === 'operator' ? (deciding?.message ?? reason) : reason,
    suggestions,
    ...summariseDecision(decision, chunks, audience),
  }
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
