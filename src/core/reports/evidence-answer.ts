/** What became of a question, in the four statuses of document 004. For operators: it is full of figures. */
import type { Chunk } from '../evidence/chunk.ts'
import type { Decision } from '../policy/decision.ts'
import { type GatingReport, gatingReport, type InsufficientEvidence, insufficientEvidence, SUFFICIENCY_EXPLANATION, summariseEvidence } from '../../presets/sufficiency/gating-report.ts'
import { roundHalfEven } from '../lib/rounding.ts'
import { MESSAGES } from './messages.ts'

/** An answer that the gates let through. */
export interface AnsweredWithEvidence {
  readonly status: 'success'
  readonly answer: string
  readonly evidence_count: number
  /** The policy's, 0..1, four decimals. */
  readonly confidence: number
  readonly evidence_ids: readonly string[]
  /** Present where the sufficiency gate judged. */
  readonly gating?: GatingReport
  /** Present on an answer that should be read with care. */
  readonly caution?: string
}

/** A refusal by any gate, in the members that document 004 gives its own. */
export interface RefusedForEvidence extends InsufficientEvidence {
  readonly suggestions: readonly string[]
  /** Present on a refusal that a person should look at. */
  readonly escalate?: true
}

/** Nothing was retrieved, so nothing was asked of a model. */
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

/** What `generateWithEvidence` and `answerQuestion` give. */
export type EvidenceAnswer = AnsweredWithEvidence | RefusedForEvidence | NoEvidence | GenerationError

const FIGURES = 4

/** The status of a decision that was judged to its end. */
export function evidenceAnswer(decision: Decision, chunks: readonly Chunk[], answer: string): EvidenceAnswer {
  if (decision.verdict === 'refuse') return refusedForEvidence(decision, chunks)
  const gating = gatingReport(decision)
  const caution = decision.verdict === 'advise' ? MESSAGES[decision.reason].reason : undefined
  return {
    status: 'success',
    answer,
    evidence_count: decision.evidenceIds.length,
    confidence: roundHalfEven(decision.confidence, FIGURES),
    evidence_ids: decision.evidenceIds,
    ...(gating === undefined ? {} : { gating }),
    ...(caution === undefined ? {} : { caution }),
  }
}

/** A refusal before or after the model was asked. */
export function refusedForEvidence(decision: Decision, chunks: readonly Chunk[]): RefusedForEvidence | NoEvidence {
  const { suggestions, reason } = MESSAGES[decision.reason]
  const escalate = decision.escalate === true ? { escalate: true as const } : {}
  if (decision.evidenceIds.length === 0) {
    return { status: 'no_evidence', reason, evidence_count: 0, suggestions, ...escalate }
  }
  const deciding = decision.findings.find(({ outcome }) => outcome === 'refuse')
  const bySufficiency = deciding?.gate === 'evidence-share' ? insufficientEvidence(decision, chunks) : undefined
  return {
    ...(bySufficiency ?? {
      status: 'insufficient_evidence',
      reason: deciding?.message ?? reason,
      // Shares of support are the sufficiency gate's alone: another gate's figures stand in its reason.
      max_attention: null,
      required_threshold: null,
      deficit: null,
      evidence_count: decision.evidenceIds.length,
      evidence_summary: summariseEvidence(chunks),
      explanation: SUFFICIENCY_EXPLANATION,
    }),
    suggestions,
    ...escalate,
  }
}

/** A model that failed. The reason names the fault by its code, never by what the model's service said. */
export function generationError(decision: Decision, code: string): GenerationError {
  return {
    status: 'generation_error',
    reason: `The model did not answer (${code})`,
    evidence_count: decision.evidenceIds.length,
    evidence_ids: decision.evidenceIds,
  }
}
