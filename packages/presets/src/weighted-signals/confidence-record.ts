/** The confidence of a retrieval as a record to send and store, and as text for people. */
import { clamp01, finite, floored, meanOf } from 'hono-rag-gate/core/lib'
import type { Audience, Band, Decision } from 'hono-rag-gate/core/policy'
import type { Signals } from 'hono-rag-gate/core/signals'
import { consensusCount } from './consensus.ts'
import { retrievalOf, type RetrievalSignals } from './retrieval-signals.ts'
import { BADGES, INTERPRETATIONS, NO_RESULTS } from './texts.ts'
import { DEFAULT_CONSENSUS_FROM } from './weighted-confidence.ts'

/** The parts of a decision that a record is made from. */
export type Assessment = Pick<Decision, 'signals' | 'confidence' | 'band'>

/** Settings of `confidenceRecord`. */
export interface ConfidenceRecordOptions {
  /**
   * Ranking score from which a chunk counts for the consensus, 0..1: use the policy's. Equality counts.
   *
   * @default 0.75
   */
  readonly consensusFrom?: number
}

/** The breakdown behind a record; without chunks it has only `total_chunks`. */
export interface ConfidenceDetails {
  readonly total_chunks: number
  /** Distribution of the ranking scores. */
  readonly score_distribution?: {
    readonly min: number
    readonly max: number
    readonly mean: number
    readonly median: number
  }
  /** Which retrieval methods were used. */
  readonly retrieval_methods?: {
    readonly hybrid_search: boolean
    readonly reranking: boolean
    readonly graph_boost: boolean
    readonly bm25_only: boolean
    readonly dense_only: boolean
  }
  readonly source_diversity?: { readonly unique_documents: number; readonly unique_sections: number }
}

/** The twelve fields of the confidence record, under the specification's JSON names. Every number is finite. */
export interface ConfidenceRecord {
  /** 0..1. */
  readonly overall_confidence: number
  /** In the units of the ranking score. */
  readonly top_score: number
  /** Lead of the best ranking score over the second, 0 and up. */
  readonly score_gap: number
  /** Standard deviation of the ranking scores, 0 and up. */
  readonly score_spread: number
  /** Chunks whose ranking score reaches the consensus threshold. */
  readonly consensus_count: number
  /** 0..1. */
  readonly bm25_dense_agreement: number
  /** 0 (same order) to 2 (reversed). */
  readonly reranker_impact: number
  readonly graph_support: boolean
  /** Documents per chunk, 0..1. */
  readonly document_diversity: number
  /** What the band means, in the words of the specification. */
  readonly interpretation: string
  /** `true` for every band below high. */
  readonly should_flag_for_review: boolean
  readonly details: ConfidenceDetails
}

/** The short form of a record. */
export type ConfidenceGlance = Pick<
  ConfidenceRecord,
  'overall_confidence' | 'interpretation' | 'should_flag_for_review'
>

/** The specification's text for a band; `NO RESULTS` without chunks. */
export function interpret(band: Band, chunkCount: number): string {
  return chunkCount > 0 ? INTERPRETATIONS[band] : NO_RESULTS
}

/** Whether a person should review the answer: every band below high. */
export function isFlagged({ band, signals }: Pick<Assessment, 'band' | 'signals'>): boolean {
  return band !== 'high' || !(signals.chunkCount > 0)
}

/**
 * Makes the record of a decision, with numbers rounded to three decimals. Non-finite numbers become 0, so that a broken
 * signal never looks strong.
 *
 * @see the specification of weighted-signals, "RAGConfidenceScore"
 */
export function confidenceRecord(assessment: Assessment, options: ConfidenceRecordOptions = {}): ConfidenceRecord {
  const { signals, confidence, band } = assessment
  const retrieval: Partial<RetrievalSignals> = retrievalOf(signals) ?? {}
  const scores = finiteOnly(retrieval.scores)
  return {
    overall_confidence: rounded(clamp01(confidence)),
    top_score: rounded(retrieval.topScore),
    score_gap: Math.max(0, rounded(retrieval.scoreGap)),
    score_spread: Math.max(0, rounded(retrieval.scoreSpread)),
    consensus_count: consensusCount(scores, options.consensusFrom ?? DEFAULT_CONSENSUS_FROM),
    bm25_dense_agreement: clamp01(rounded(retrieval.bm25DenseAgreement)),
    reranker_impact: rounded(retrieval.rerankerImpact),
    graph_support: retrieval.graphSupport === true,
    document_diversity: clamp01(rounded(retrieval.documentDiversity)),
    interpretation: interpret(band, signals.chunkCount),
    should_flag_for_review: isFlagged(assessment),
    details: detailsOf(signals, retrieval, scores),
  }
}

/**
 * The citations, preceded by a warning if the retrieval is flagged for review.
 *
 * @returns a new list
 */
export function citationsWithWarning(citations: readonly string[], record: ConfidenceGlance): readonly string[] {
  return record.should_flag_for_review ? [`⚠️ ${record.interpretation}`, ...citations] : [...citations]
}

/** Settings of `confidenceLine`. */
export interface ConfidenceLineOptions {
  /**
   * Whether the mark is coloured for a terminal: green for high, yellow otherwise.
   *
   * @default 'none'
   */
  readonly colour?: 'ansi' | 'none'
}

const GREEN = '\u001B[32m'
const YELLOW = '\u001B[33m'
const RESET = '\u001B[0m'

/** The line that a CLI shows between an answer and its cost. The confidence is rounded down. */
export function confidenceLine(record: ConfidenceGlance, options: ConfidenceLineOptions = {}): string {
  const mark = record.should_flag_for_review ? '⚠️' : '✓'
  const colour = record.should_flag_for_review ? YELLOW : GREEN
  const shown = options.colour === 'ansi' ? `${colour}${mark}${RESET}` : mark
  return `📊 RAG Confidence: ${shown} ${record.interpretation} (${floored(record.overall_confidence)})`
}

/** The badge as a member of a JSON answer. The public sees no number. */
export function badgeMember(
  assessment: Pick<Assessment, 'confidence' | 'band'>,
  audience: Audience,
): { readonly look: string; readonly text: string } {
  const { look, before, after } = BADGES[assessment.band]
  const text = audience === 'operator' ? confidenceBadge(assessment).text : `${before} Confidence${after}`
  return { look, text }
}

/** A badge for a page. */
export interface ConfidenceBadge {
  /** Class names from the specification. */
  readonly className: string
  readonly text: string
}

/**
 * The badge of a confidence. The specification has three; the two lowest bands share the red one, with different
 * instructions.
 *
 * @see the specification of weighted-signals, "Web UI"
 */
export function confidenceBadge({ confidence, band }: Pick<Assessment, 'confidence' | 'band'>): ConfidenceBadge {
  const { look, before, after } = BADGES[band]
  return { className: `badge badge-${look}`, text: `${before} Confidence (${floored(confidence)})${after}` }
}

function detailsOf(
  { chunkCount, curves = {} }: Signals,
  retrieval: Partial<RetrievalSignals>,
  scores: readonly number[],
): ConfidenceDetails {
  if (!(chunkCount > 0)) return { total_chunks: 0 }
  const { bm25, cosine, convex } = curves
  const both = bm25 !== undefined && cosine !== undefined
  const fused = curves.rrf !== undefined || curves.dbsf !== undefined || (convex !== undefined && both)
  return {
    total_chunks: chunkCount,
    score_distribution: {
      min: rounded(Math.min(...scores)),
      max: rounded(Math.max(...scores)),
      mean: rounded(meanOf(scores)),
      median: rounded(medianOf(scores)),
    },
    retrieval_methods: {
      hybrid_search: fused,
      reranking: curves['cross-encoder'] !== undefined || curves.grade !== undefined,
      graph_boost: retrieval.graphSupport === true,
      bm25_only: bm25 !== undefined && cosine === undefined && !fused,
      dense_only: cosine !== undefined && bm25 === undefined && !fused,
    },
    source_diversity: {
      unique_documents: rounded(retrieval.documentCount),
      unique_sections: rounded(retrieval.sectionCount),
    },
  }
}

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.slice(Math.ceil(sorted.length / 2) - 1, Math.floor(sorted.length / 2) + 1)
  return meanOf(middle)
}

function finiteOnly(values: readonly number[] | undefined): readonly number[] {
  return Array.isArray(values) ? values.filter((value) => Number.isFinite(value)) : []
}

/** Rounds to three decimals, exact ties to even like Python; 0 for a non-finite number, and never −0. */
function rounded(given: number | undefined): number {
  const value = finite(given) ?? 0
  // A binary number is exactly halfway between two thousandths only if it is a multiple of 1/16.
  const tie = Number.isInteger(value * 16) && Math.abs((value * 1000) % 1) === 0.5
  const nearest = tie ? (2 * Math.round(value * 500)) / 1000 : Number(value.toFixed(3))
  return nearest + 0
}
