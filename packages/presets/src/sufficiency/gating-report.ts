/** What the sufficiency gate reports of a decision: the `gating` object, the members of its refusals, and statistics. */
import type { Decision, Wording } from 'hono-rag-gate/core/policy'
import type { Chunk } from 'hono-rag-gate/core/evidence'
import { type Json, roundHalfEven } from 'hono-rag-gate/core/lib'
import type { Finding } from 'hono-rag-gate/core/gates'
import { specificationReason, ESCALATION, EXPLANATIONS } from './texts.ts'

/** The measurement behind a passed or refused answer. Figures have four decimals. */
export interface GatingReport {
  /** Whether the sufficiency gate passed; the verdict may be stricter. */
  readonly passes: boolean
  /** S; `null` when there were no shares to judge. */
  readonly max_attention: number | null
  /** The first chunk with the largest share. */
  readonly max_chunk_id: string | null
  /** τ, 0..1; `null` when there were no shares to judge. */
  readonly threshold: number | null
  /** Chunks retrieved. */
  readonly evidence_count: number
  /** By how much a passed share is over the threshold. */
  readonly margin?: number
  /** By how much a refused share is under it. */
  readonly deficit?: number
  readonly status: 'evidence_sufficient' | 'evidence_insufficient'
  /** Present when the gates were disabled: nothing was held back. */
  readonly gating_bypassed?: true
}

/** A retrieved passage, as listed in a refusal. */
export interface EvidenceSummaryEntry {
  readonly chunk_id: string
  readonly statute?: string
  readonly section?: string
}

/** What a refusal by the sufficiency gate says beside what every refusal says. */
export interface InsufficientEvidence {
  readonly status: 'insufficient_evidence'
  /** With percentages, one decimal. */
  readonly reason: string
  /** S, 0..1; `null` when there were no shares to judge. */
  readonly max_attention: number | null
  /** τ, 0..1; `null` likewise. */
  readonly required_threshold: number | null
  /** By how much S is under τ; `null` likewise. */
  readonly deficit: number | null
  /** Chunks retrieved. */
  readonly evidence_count: number
  /** The best three of them. */
  readonly evidence_summary: readonly EvidenceSummaryEntry[]
  readonly explanation: string
}

const FIGURES = 4
const SUMMARISED = 3

/** The gating of a decision; `undefined` when its policy has no sufficiency gate, or it was not asked. */
export function gatingReport(decision: Pick<Decision, 'findings' | 'evidenceIds'>): GatingReport | undefined {
  const finding = sufficiencyFinding(decision)
  if (finding === undefined) return undefined
  const { actual, threshold, subject } = finding
  const passes = finding.outcome === 'pass'
  const lead = actual === undefined || threshold === undefined ? undefined : actual - threshold
  // Where the words in common were too few, the share is not under its threshold.
  const isUnder = lead !== undefined && finding.code !== 'overlap_low'
  const distance =
    lead === undefined ? {} : passes ? { margin: rounded(lead) } : isUnder ? { deficit: rounded(-lead) } : {}
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

/** What is said of a refusal; `undefined` when the sufficiency gate did not refuse. */
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

/** What the gate of this kind found; of several, the first that refused. */
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

/** Without a sign before a zero. */
function rounded(value: number): number {
  return roundHalfEven(value, FIGURES) + 0
}

/** A refused answer, for statistics. */
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
      readonly avg_max_attention: number
      readonly min_max_attention: number
      readonly max_max_attention: number
      /** The last five, oldest first. */
      readonly recently_rejected: readonly { readonly query: string; readonly max_attention: number }[]
    }

/** Counts judged answers, passes and refusals alike. */
export interface GatingStats {
  /** A share that is not a finite number counts as 0, and as refused. */
  readonly record: (passes: boolean, maxAttention: number, query: string) => void
  readonly getStats: () => GatingStatistics
  readonly reset: () => void
}

const REJECTED_KEPT = 5

/** Statistics over the answers judged since it was made, or reset. Keeps the questions of the last five refusals. */
export function evidenceGatingStats(): GatingStats {
  const empty = () => ({
    passed: 0,
    failed: 0,
    sum: 0,
    min: Infinity,
    max: -Infinity,
    rejected: [] as RejectedAnswer[],
  })
  let held = empty()
  return Object.freeze({
    record: (passes: boolean, reported: number, query: string) => {
      const maxAttention = Number.isFinite(reported) ? reported : 0
      if (passes && Number.isFinite(reported)) held.passed++
      else {
        held.failed++
        held.rejected = [...held.rejected, { maxAttention, query }].slice(-REJECTED_KEPT)
      }
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
        avg_max_attention: rounded(held.sum / total),
        min_max_attention: rounded(held.min),
        max_max_attention: rounded(held.max),
        recently_rejected: held.rejected.map(({ query, maxAttention }) => ({ query, max_attention: maxAttention })),
      }
    },
    reset: () => {
      held = empty()
    },
  })
}

/** What the statistics give reason to say, worst first; empty when all is well or nothing was counted. */
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

/** A refusal as plain text, with numbered suggestions, and the offer of a person where the policy asks for one. */
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
