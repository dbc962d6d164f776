/** The sufficiency gate as an object that works without a route: one call judges one answer. */
import { type EvidenceShare } from 'hono-rag-gate/core/answer'
import { measureAnswer } from '../answers/index.ts'
import type { Chunk } from 'hono-rag-gate/core/evidence'
import { judge, judgeAnswer, measure } from 'hono-rag-gate/core/policy'
import { textFor } from 'hono-rag-gate/core/reports'
import {
  type GatingReport,
  gatingReport,
  type GatingStatistics,
  evidenceGatingStats,
  type InsufficientEvidence,
  insufficientEvidence,
  unmeasuredEvidence,
} from './gating-report.ts'
import { sufficiency, type SufficiencyOptions, sufficiencyThreshold } from './sufficiency.ts'

/** An answer to evaluate. */
export interface SufficiencyInput {
  readonly question: string
  /** The evidence, best first. */
  readonly chunks: readonly Chunk[]
  readonly answer: string
  /** How the answer's support is divided among the chunks. @default derived from the words in common */
  readonly shares?: readonly EvidenceShare[]
  /** Share of the support that belongs to no chunk, 0..1. @default 0 */
  readonly noSupport?: number
}

/** The gating report, with the refusal if there is one. */
export interface SufficiencyEvaluation extends GatingReport {
  readonly refusal?: InsufficientEvidence & { readonly suggestions: readonly string[] }
}

/** The sufficiency gate as one object. */
export interface SufficiencyGate {
  /** Measures and judges an answer. While disabled, everything passes, with `gating_bypassed`. */
  readonly evaluate: (input: SufficiencyInput) => SufficiencyEvaluation
  readonly enable: () => void
  /** DANGEROUS: every answer passes until `enable` is called. */
  readonly disable: () => void
  readonly isEnabled: () => boolean
  readonly getThreshold: () => number
  /** @throws `policy_invalid` if outside 0..1; the threshold is then unchanged */
  readonly setThreshold: (threshold: number) => void
  readonly getStats: () => GatingStatistics
}

/**
 * Makes a sufficiency gate that can be used without a route, switched off, and counted.
 *
 * @throws `policy_invalid` when a setting is out of range
 */
export function sufficiencyGate(options: SufficiencyOptions = {}): SufficiencyGate {
  sufficiency(options)
  const { dangerouslyDisableGates, ...settings } = options
  const threshold = sufficiencyThreshold(settings)
  const stats = evidenceGatingStats()
  let enabled = dangerouslyDisableGates !== true
  return Object.freeze({
    evaluate: (input: SufficiencyInput): SufficiencyEvaluation => {
      const policy = sufficiency({
        ...settings,
        threshold: threshold.getThreshold(),
        ...(enabled ? {} : { dangerouslyDisableGates: true as const }),
      })
      const { question, chunks, answer, shares, noSupport } = input
      const signals = measure(policy, { question, evidence: { rankedBy: 'convex', chunks, kinds: [], dropped: 0 } })
      const attribution =
        shares === undefined ? undefined : { shares, ...(noSupport === undefined ? {} : { noSupport }) }
      const measured = measureAnswer({
        language: policy.language,
        question,
        chunks,
        answer,
        ...(attribution === undefined ? {} : { report: { attribution } }),
      })
      const judged = judgeAnswer(policy, { ...judge(policy, signals), signals }, measured)
      const decided = { findings: judged.findings, evidenceIds: chunks.map(({ id }) => id) }
      const found = gatingReport(decided) ?? { ...NOT_ASKED, evidence_count: chunks.length }
      const gating = enabled ? found : { ...found, passes: true }
      stats.record(gating.passes, gating.max_attention, question)
      if (gating.passes) return gating
      const { reason, suggestions } = textFor(judged.reason, policy)
      const refused =
        insufficientEvidence(decided, chunks, policy.wording) ??
        unmeasuredEvidence(reason, decided, chunks, policy.wording)
      return { ...gating, refusal: { ...refused, suggestions } }
    },
    enable: () => {
      enabled = true
    },
    disable: () => {
      enabled = false
    },
    isEnabled: () => enabled,
    getThreshold: threshold.getThreshold,
    setThreshold: threshold.setThreshold,
    getStats: stats.getStats,
  })
}

/** Report for an answer that another gate refused before this one ran. */
const NOT_ASKED: Omit<GatingReport, 'evidence_count'> = {
  passes: false,
  max_attention: null,
  max_chunk_id: null,
  threshold: null,
  status: 'evidence_insufficient',
}
