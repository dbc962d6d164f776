/** Reports of the sufficiency gate: the `gating` object, the fields of its refusals, and statistics. */
import type { Decision, Wording } from 'hono-rag-gate/core/policy'
import type { Chunk } from 'hono-rag-gate/core/evidence'
import { type Json, roundHalfEven } from 'hono-rag-gate/core/lib'
import type { Finding } from 'hono-rag-gate/core/gates'
import { specificationReason, ESCALATION, EXPLANATIONS } from './texts.ts'

/** Measurement of a passed or refused answer. Numbers have four decimals. */
export interface GatingReport {
  /** Whether the sufficiency gate passed; the verdict of all gates may be stricter. */
  readonly passes: boolean
  /** S; `null` if there were no shares to judge. */
  readonly max_attention: number | null
  /** The first chunk with the largest share. */
  readonly max_chunk_id: string | null
  /** τ, 0..1; `null` if there were no shares to judge. */
  readonly threshold: number | null
  /** Number of retrieved chunks. */
  readonly evidence_count: number
  /** For a pass: S − τ. */
  readonly margin?: number
  /** For a refusal: τ − S. */
  readonly deficit?: number
  readonly status: 'evidence_sufficient' | 'evidence_insufficient'
  /** Present if the gates were disabled. */
  readonly gating_bypassed?: true
}

/** A retrieved passage as listed in a refusal. */
export interface EvidenceSummaryEntry {
  readonly chunk_id: string
  readonly statute?: string
  readonly section?: string
}

/** Fields that a refusal by the sufficiency gate adds to those of every refusal. */
export interface InsufficientEvidence {
  readonly status: 'insufficient_evidence'
  /** Has percentages with one decimal. */
  readonly reason: string
  /** S, 0..1; `null` if there were no shares to judge. */
  readonly max_attention: number | null
  /** τ, 0..1; `null` likewise. */
  readonly required_threshold: number | null
  /** τ − S; `null` likewise. */
  readonly deficit: number | null
  /** Number of retrieved chunks. */
  readonly evidence_count: number
  /** The best three. */
  readonly evidence_summary: readonly EvidenceSummaryEntry[]
  readonly explanation: string
}

const FIGURES = 4
const SUMMARISED = 3

/** The gating report of a decision; `undefined` if its policy has no sufficiency gate, or the gate did not run. */
export function gatingReport(decision: Pick<Decision, 'findings' | 'evidenceIds'>): GatingReport | undefined {
  const finding = sufficiencyFinding(decision)
  if (finding === undefined) return undefined
  const { threshold, subject } = finding
  const passes = finding.outcome === 'pass'
  const actual = passes ? finding.actual : shownBelow(finding.actual, threshold)
  const lead = actual === undefined || threshold === undefined ? undefined : actual - threshold
  // With `overlap_low`, too few words are in common, but the share is not below its threshold.
  const isKnown = lead !== undefined && finding.code !== 'overlap_low'
  const distance = !isKnown ? {} : passes ? { margin: rounded(lead) } : { deficit: rounded(-lead) }
  return {
    passes,
    max_attention: actual === undefined ? null : rounded(actual),
    max_chunk_id: subject ?? null,
    threshold: threshold ?? null,
    evidence_count: decision.evidenceIds.length,
    ...distance,
    status: passes ? 'evidence_sufficient' : 'evidence_insufficient',
    ...(decision.findings.some(({ code }) => code === 'gate_disabled') ? { gating_bypassed: true as const } : {}),
  }
}

/** The fields of a refusal; `undefined` if the sufficiency gate did not refuse. */
export function insufficientEvidence(
  decision: Pick<Decision, 'findings' | 'evidenceIds'>,
  chunks: readonly Chunk[],
  wording: Wording = 'neutral',
): InsufficientEvidence | undefined {
  const finding = sufficiencyFinding(decision)
  const gating = gatingReport(decision)
  if (finding?.outcome !== 'refuse' || gating === undefined) return undefined
  return {
    status: 'insufficient_evidence',
    reason: (wording === 'specification' ? specificationReason(finding) : undefined) ?? finding.message,
    max_attention: gating.max_attention,
    required_threshold: gating.threshold,
    deficit: gating.deficit ?? null,
    evidence_count: gating.evidence_count,
    evidence_summary: summariseEvidence(chunks),
    explanation: EXPLANATIONS[wording],
  }
}

/** The same fields for a refusal by another gate, which measures no shares of support; its figures are in the reason. */
export function unmeasuredEvidence(
  reason: string,
  { evidenceIds }: Pick<Decision, 'evidenceIds'>,
  chunks: readonly Chunk[],
  wording: Wording,
): InsufficientEvidence {
  return {
    status: 'insufficient_evidence',
    reason,
    max_attention: null,
    required_threshold: null,
    deficit: null,
    evidence_count: evidenceIds.length,
    evidence_summary: summariseEvidence(chunks),
    explanation: EXPLANATIONS[wording],
  }
}

/** The sufficiency gate's finding; if there are several, the first refusal. */
function sufficiencyFinding({ findings }: Pick<Decision, 'findings'>): Finding | undefined {
  const found = findings.filter(({ gate }) => gate === 'evidence-share')
  return found.find(({ outcome }) => outcome === 'refuse') ?? found[0]
}

/** The best three passages, without their texts. */
export function summariseEvidence(chunks: readonly Chunk[]): readonly EvidenceSummaryEntry[] {
  return chunks.slice(0, SUMMARISED).map(summariseChunk)
}

function summariseChunk({ id, section, metadata }: Chunk): EvidenceSummaryEntry {
  const statute = text(metadata?.['statute'])
  const ownSection = text(metadata?.['section']) ?? section
  return {
    chunk_id: id,
    ...(statute === undefined ? {} : { statute }),
    ...(ownSection === undefined ? {} : { section: ownSection }),
  }
}

function text(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** A share that would be rounded up to its threshold is rounded down instead. */
function shownBelow(share: number | undefined, threshold = 0): number | undefined {
  const isHidden = share !== undefined && share < threshold && rounded(share) >= threshold
  return isHidden ? Math.floor(share * 10 ** FIGURES) / 10 ** FIGURES : share
}

/** `+ 0` turns −0 into 0. */
function rounded(value: number): number {
  return roundHalfEven(value, FIGURES) + 0
}

/** A refused answer, kept for the statistics. */
interface RejectedAnswer {
  readonly maxAttention: number
  readonly query: string
}

/** Statistics of judged answers. */
export type GatingStatistics =
  | { readonly total_evaluations: 0; readonly no_data: true }
  | {
      readonly total_evaluations: number
      readonly passed: number
      readonly failed: number
      readonly pass_rate: number
      /** Mean of the measured shares, like the extremes; 0 for none. */
      readonly avg_max_attention: number
      readonly min_max_attention: number
      readonly max_max_attention: number
      /** The last five, oldest first. */
      readonly recently_rejected: readonly { readonly query: string; readonly max_attention: number }[]
    }

/** Counts judged answers, both passes and refusals. */
export interface GatingStats {
  /**
   * A share that is not finite counts as 0 and as refused; `null` is for an answer that passed without one, which
   * joins neither mean nor extremes.
   */
  readonly record: (passes: boolean, maxAttention: number | null, query: string) => void
  readonly getStats: () => GatingStatistics
  readonly reset: () => void
}

const REJECTED_KEPT = 5

/** Makes statistics over the answers judged since the last reset. Keeps the last five refused questions. */
export function evidenceGatingStats(): GatingStats {
  const empty = () => ({
    passed: 0,
    failed: 0,
    measured: 0,
    sum: 0,
    min: Infinity,
    max: 0,
    rejected: [] as RejectedAnswer[],
  })
  let held = empty()
  return Object.freeze({
    record: (passes: boolean, reported: number | null, query: string) => {
      if (passes && reported === null) {
        held.passed++
        return
      }
      const maxAttention = Number.isFinite(reported) ? Number(reported) : 0
      if (passes && Number.isFinite(reported)) held.passed++
      else {
        held.failed++
        held.rejected = [...held.rejected, { maxAttention, query }].slice(-REJECTED_KEPT)
      }
      held.measured++
      held.sum += maxAttention
      held.min = Math.min(held.min, maxAttention)
      held.max = Math.max(held.max, maxAttention)
    },
    getStats: (): GatingStatistics => {
      const total = held.passed + held.failed
      if (total === 0) return { total_evaluations: 0, no_data: true }
      return {
        total_evaluations: total,
        passed: held.passed,
        failed: held.failed,
        pass_rate: rounded(held.passed / total),
        avg_max_attention: rounded(held.sum / Math.max(held.measured, 1)),
        min_max_attention: rounded(held.measured === 0 ? 0 : held.min),
        max_max_attention: rounded(held.max),
        recently_rejected: held.rejected.map(({ query, maxAttention }) => ({ query, max_attention: maxAttention })),
      }
    },
    reset: () => {
      held = empty()
    },
  })
}

/** Problems that the statistics suggest, worst first; empty if there are none, or nothing was counted. */
export function diagnoseGating(statistics: GatingStatistics): string[] {
  if ('no_data' in statistics) return []
  const { passed, failed, pass_rate: passRate, avg_max_attention: average } = statistics
  const said: string[] = []
  if (passed === 0) said.push('Every answer is rejected: check the threshold and the evidence')
  else if (passRate < 0.5)
    said.push('More than half of the answers are rejected: check the threshold and the retrieval')
  if (passRate < 0.8) said.push('High evidence insufficiency rate detected')
  if (average < 0.4) said.push('Consider expanding corpus')
  if (failed === 0) said.push('No answer is rejected: check that the gates are not disabled')
  return said
}

/** A refusal as plain text, with numbered suggestions, and with an offer of human help if the policy escalates. */
export function refusalAsText(refusal: {
  readonly refusal_reason: string
  readonly suggestions: readonly string[]
  readonly escalate?: true
}): string {
  const numbered = refusal.suggestions.map((suggestion, at) => `${at + 1}. ${suggestion}`)
  const reason = `I cannot answer with confidence: ${refusal.refusal_reason}`
  const lines = numbered.length === 0 ? [reason] : [reason, '', 'Please try:', ...numbered]
  return [...lines, ...(refusal.escalate === true ? ['', ESCALATION] : [])].join('\n')
}
