import { anything, type OptionKinds, requireOptions } from 'hono-rag-gate/core/lib'
import { gradeFacts, checkLines } from './check-lines.ts'
import {
  type Finding,
  GRADED_RELEVANCE_OPTIONS,
  gradedRelevance,
  gradedRelevanceGate,
  type GradedRelevanceOptions,
  type PolicyGate,
} from 'hono-rag-gate/core/gates'
import {
  type AssessedDecision,
  type Decision,
  definePolicy,
  type Policy,
  type Preset,
  type Wording,
} from 'hono-rag-gate/core/policy'
import { english } from 'hono-rag-gate/language/english'
import {
  RETRIEVAL_SCORE_OPTIONS,
  retrievalScore,
  retrievalScoreGate,
  type RetrievalScoreOptions,
} from './retrieval-score.ts'
import { topRelevance, topRelevanceModel } from './top-relevance.ts'

/** Lists the checks of both tiers. */
export const twoTierPreset: Preset = Object.freeze<Preset>({
  name: 'two-tier',
  needsOneOf: ['words', 'meaning', 'reranker'],
  gates: [gradedRelevanceGate, retrievalScoreGate],
  confidenceModels: [topRelevanceModel],
  languages: [english],
  // The specification has a shorter message for the retrieval tier than for the graded tier.
  operatorReason: ({ code }: Finding, { reranker }: Decision) =>
    code === 'no_evidence' && reranker !== 'ok' ? 'No relevant information found' : undefined,
  explain: ({ signals }: AssessedDecision, gates: readonly PolicyGate[]) => ({
    facts: (finding: Finding) => gradeFacts(finding, signals, gates),
    checks: checkLines(signals, gates),
  }),
})

/** Settings of `twoTier`: all four constants of the specification. */
export type TwoTierOptions = GradedRelevanceOptions &
  RetrievalScoreOptions & {
    /** Wording of refusals. @default 'neutral' */
    readonly wording?: Wording
  }

/**
 * The specification's settings for two common problems: `lenient` if too much is refused, `strict` if too much passes.
 *
 * @see the specification of two-tier, "Troubleshooting"
 */
export const TWO_TIER_SETTINGS: Readonly<Record<'lenient' | 'strict', TwoTierOptions>> = Object.freeze({
  lenient: Object.freeze({ relevanceThreshold: 1 }),
  strict: Object.freeze({ relevanceThreshold: 3, minChunks: 2, minRatio: 1.5 }),
})

const OPTIONS: OptionKinds<TwoTierOptions> = {
  ...GRADED_RELEVANCE_OPTIONS,
  ...RETRIEVAL_SCORE_OPTIONS,
  wording: anything,
}

/**
 * Judges by a reranker's grades if the chunks were graded, by retrieval scores otherwise. Passes or refuses, never
 * advises.
 *
 * @throws `policy_invalid` when a setting is out of range
 */
export function twoTier(options: TwoTierOptions = {}): Policy {
  requireOptions(options, OPTIONS, 'policy_invalid')
  const { relevanceThreshold, minChunks, wording, ...scores } = options
  return definePolicy({
    name: 'two-tier',
    confidence: topRelevance(),
    preset: twoTierPreset,
    ...(wording === undefined ? {} : { wording }),
    bands: { high: 0.85, medium: 0.6, low: 0 },
    language: english,
    gates: [gradedRelevance({ relevanceThreshold, minChunks }), retrievalScore(scores)],
  })
}
