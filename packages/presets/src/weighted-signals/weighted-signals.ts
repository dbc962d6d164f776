import { anything, boolean, clamp01, number, oneOf, type OptionKinds, requireOptions } from 'hono-rag-gate/core/lib'
import { analyse } from './recommendations.ts'
import { badgeMember, citationsWithWarning, confidenceRecord, type ConfidenceGlance } from './confidence-record.ts'
import type { Chunk } from 'hono-rag-gate/core/evidence'
import {
  type AssessedDecision,
  type Bands,
  confidenceBy,
  type Decision,
  definePolicy,
  type FurtherMembers,
  type Policy,
  type Preset,
  type ReportedDecision,
  validateBands,
} from 'hono-rag-gate/core/policy'
import { confidenceRangeGate, confidenceRange } from 'hono-rag-gate/core/gates'
import { curves } from 'hono-rag-gate/core/signals'
import { english } from 'hono-rag-gate/language/english'
import { DEFAULT_CONSENSUS_FROM, SIGNAL_WEIGHTS, weightedSignalsModel } from './weighted-confidence.ts'

/** Lower bounds of the specification's confidence levels. */
export const WEIGHTED_SIGNALS_BANDS: Bands = Object.freeze({ high: 0.85, medium: 0.7, low: 0.5 })

/** The confidence as displayed beside its band, rounded down so that .6999 is not shown as .70 with the band `low`. */
function glanceAt(decision: AssessedDecision): ConfidenceGlance {
  const { interpretation, should_flag_for_review } = confidenceRecord(decision)
  const overall_confidence = Math.floor(clamp01(decision.confidence) * 1000 + 1e-7) / 1000
  return { overall_confidence, interpretation, should_flag_for_review }
}

/** `[1] doc1: Section 3.2` */
function citationOf({ documentId, title, section }: Chunk, at: number): string {
  return `[${at + 1}] ${title ?? documentId}${section === undefined ? '' : `: ${section}`}`
}

/** Adds a badge, an analysis of the metrics, a line for the reader, and a warning if no chunk has a ranking score. */
export const weightedSignalsPreset: Preset = Object.freeze({
  name: 'weighted-signals',
  gates: [confidenceRangeGate],
  confidenceModels: [weightedSignalsModel],
  languages: [english],
  // The confidence record lists the retrieval methods.
  records: [curves],
  explain: (decision: AssessedDecision) => {
    return { analysis: analyse(decision), glance: { ...glanceAt(decision) } }
  },
  // Included even if the handler lists no sources, because the warning goes before the first citation.
  summary: ({ decision, chunks, audience }: ReportedDecision): FurtherMembers => {
    const glance = glanceAt(decision)
    const badge = badgeMember(decision, audience)
    if (decision.verdict === 'refuse' || !glance.should_flag_for_review) return { badge }
    return { badge, citations: citationsWithWarning(audience === 'operator' ? chunks.map(citationOf) : [], glance) }
  },
  // Without this warning the refusal would look like one for a weak retrieval.
  warning: ({ findings }: Decision) =>
    findings.some(({ code }) => code === 'confidence_unavailable')
      ? { code: 'confidence_scoring_failed', message: 'RAG confidence scoring failed' }
      : undefined,
})

/** Settings of `weightedSignals`. */
export interface WeightedSignalsOptions {
  /**
   * Confidence from which an answer passes without review, `medium`..1. Equality passes.
   *
   * @default 0.85
   */
  readonly high?: number
  /**
   * Confidence from which the retrieval is moderate, `low`..`high`.
   *
   * @default 0.7
   */
  readonly medium?: number
  /**
   * Confidence below which the retrieval is poor, 0..`medium`.
   *
   * @default 0.5
   */
  readonly low?: number
  /**
   * Ranking score from which a chunk counts for the consensus, 0..1. Equality counts.
   *
   * @default 0.75
   */
  readonly consensusFrom?: number
  /**
   * Verdict for a confidence below `low`. Without evidence the question is always refused.
   *
   * @default 'refuse'
   */
  readonly veryLow?: 'refuse' | 'advise'
  /**
   * Whether the weight of a signal that does not exist (one chunk, no sparse scores, no graph) is distributed among the
   * others. If not, the specification's default value is used for it.
   *
   * @default false
   */
  readonly renormalise?: boolean
  /** Marks every refusal for human review. @default left out; `true` in `legalReview` */
  readonly escalateRefusals?: true
}

/**
 * Judges by a weighted sum of seven signals over the retrieval scores. High passes; medium and low advise, because the
 * specification flags them for review; very low refuses.
 *
 * @throws `policy_invalid` when a setting is out of range, or the levels are not in descending order
 */
export function weightedSignals(options: WeightedSignalsOptions = {}): Policy {
  return weightedSignalsNamed(weightedSignalsPreset, WEIGHTED_SIGNALS_BANDS, options)
}

const LEVEL = number(0, 1)

/** Options that the policy and its model have under the same name are validated there. */
export const WEIGHTED_SIGNALS_OPTIONS: OptionKinds<WeightedSignalsOptions> = {
  high: LEVEL,
  medium: LEVEL,
  low: LEVEL,
  consensusFrom: anything,
  veryLow: oneOf('refuse', 'advise'),
  renormalise: boolean,
  escalateRefusals: anything,
}

/**
 * `weightedSignals` under the name of another preset, with other default levels.
 *
 * @throws `policy_invalid` when a setting is out of range, or the levels are not in descending order
 */
export function weightedSignalsNamed(preset: Preset, levels: Bands, options: WeightedSignalsOptions): Policy {
  requireOptions(options, WEIGHTED_SIGNALS_OPTIONS, 'policy_invalid')
  const bands: Bands = {
    high: options.high ?? levels.high,
    medium: options.medium ?? levels.medium,
    low: options.low ?? levels.low,
  }
  // Checked before they become gate thresholds, so that the error message speaks of levels.
  validateBands(bands)
  return definePolicy({
    name: preset.name,
    confidence: confidenceBy(weightedSignalsModel, {
      kind: 'weighted-signals',
      weights: SIGNAL_WEIGHTS,
      consensusFrom: options.consensusFrom ?? DEFAULT_CONSENSUS_FROM,
      absentWeight: options.renormalise === true ? 'spread' : 'keep',
    }),
    preset,
    bands,
    language: english,
    gates: [confidenceRange({ refuseBelow: options.veryLow === 'advise' ? 0 : bands.low, adviseBelow: bands.high })],
    ...(options.escalateRefusals === undefined ? {} : { escalateRefusals: options.escalateRefusals }),
  })
}
