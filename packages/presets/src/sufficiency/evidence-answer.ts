/** The result of a question in one of four statuses, for operators: it contains scores and thresholds. */
import { textFor, operatorReason } from 'hono-rag-gate/core/reports'
import type { Decision, Policy } from 'hono-rag-gate/core/policy'
import type { Chunk } from 'hono-rag-gate/core/evidence'
import {
  type GatingReport,
  gatingReport,
  type InsufficientEvidence,
  insufficientEvidence,
  unmeasuredEvidence,
} from './gating-report.ts'
import { roundHalfEven } from 'hono-rag-gate/core/lib'

/** An answer that the gates let through. */
export interface AnsweredWithEvidence {
  readonly status: 'success'
  readonly answer: string
  readonly evidence_count: number
  /** The policy's confidence, 0..1, four decimals. */
  readonly confidence: number
  readonly evidence_ids: readonly string[]
  /** Present if the sufficiency gate ran. */
  readonly gating?: GatingReport
  /** Present on an answer with the verdict `advise`. */
  readonly caution?: string
}

/** A refusal by any gate, in the shape of a refusal by the sufficiency gate. */
export interface RefusedForEvidence extends InsufficientEvidence {
  readonly suggestions: readonly string[]
  /** Present if a person should review the refusal. */
  readonly escalate?: true
}

/** Nothing was retrieved, so no model was called. */
export interface NoEvidence {
  readonly status: 'no_evidence'
  readonly reason: string
  readonly evidence_count: 0
  readonly suggestions: readonly string[]
  readonly escalate?: true
}

/** The model failed: there is no answer to judge. */
export interface GenerationError {
  readonly status: 'generation_error'
  readonly reason: string
  readonly evidence_count: number
  readonly evidence_ids: readonly string[]
}

/** The result of a question. */
export type EvidenceAnswer = AnsweredWithEvidence | RefusedForEvidence | NoEvidence | GenerationError

const FIGURES = 4

/** What `generateWithEvidence` and `answerQuestion` return. */
export interface AnsweredDecision {
  readonly decision: Decision
  /** Absent if no model was called, or it failed. */
  readonly generation?: { readonly text: string }
  /** Error code of a failed model. */
  readonly fault?: string
}

/**
 * Reports the result of a question in one of four statuses.
 *
 * @param chunks the evidence, best first
 * @param policy the policy that judged
 */
export function evidenceAnswer(
  { decision, generation, fault }: AnsweredDecision,
  chunks: readonly Chunk[],
  policy: Policy,
): EvidenceAnswer {
  if (fault !== undefined) return generationError(decision, fault)
  if (decision.verdict === 'refuse') return refusedForEvidence(decision, chunks, policy)
  const gating = gatingReport(decision)
  return {
    status: 'success',
    answer: generation?.text ?? '',
    evidence_count: decision.evidenceIds.length,
    confidence: roundHalfEven(decision.confidence, FIGURES),
    evidence_ids: decision.evidenceIds,
    ...(gating === undefined ? {} : { gating }),
    ...(decision.verdict === 'advise' ? { caution: textFor(decision.reason, policy).reason } : {}),
  }
}

function refusedForEvidence(
  decision: Decision,
  chunks: readonly Chunk[],
  policy: Policy,
): RefusedForEvidence | NoEvidence {
  const { suggestions, reason } = textFor(decision.reason, policy)
  const escalate = decision.escalate === true ? { escalate: true as const } : {}
  if (decision.evidenceIds.length === 0) {
    return { status: 'no_evidence', reason, evidence_count: 0, suggestions, ...escalate }
  }
  const deciding = decision.findings.find(({ outcome }) => outcome === 'refuse')
  const bySufficiency =
    deciding?.gate === 'evidence-share' ? insufficientEvidence(decision, chunks, policy.wording) : undefined
  return {
    ...(bySufficiency ??
      unmeasuredEvidence(operatorReason(decision, policy) ?? reason, decision, chunks, policy.wording)),
    suggestions,
    ...escalate,
  }
}

/** The result for a failed model. The reason has the error code, never the upstream's message. */
function generationError(decision: Decision, code: string): GenerationError {
  return {
    status: 'generation_error',
    reason: `The model did not answer (${code})`,
    evidence_count: decision.evidenceIds.length,
    evidence_ids: decision.evidenceIds,
  }
}
