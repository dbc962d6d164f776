import { gradedRelevance, type GradedRelevanceOptions } from '../../core/gates/graded-relevance.ts'
import { retrievalScore, type RetrievalScoreOptions } from '../../core/gates/retrieval-score.ts'
import { definePolicy, type Policy } from '../../core/policy/policy.ts'

/** Settings of `twoTier`: all four constants of the document in one place. */
export type TwoTierOptions = GradedRelevanceOptions & RetrievalScoreOptions

/**
 * The settings that the document names for the two troubles one can have: `lenient` where too much is refused, `strict`
 * where too much gets through.
 *
 * @see reference document 000, "Troubleshooting"
 */
export const TWO_TIER_SETTINGS: Readonly<Record<'lenient' | 'strict', TwoTierOptions>> = Object.freeze({
  lenient: Object.freeze({ relevanceThreshold: 1 }),
  strict: Object.freeze({ relevanceThreshold: 3, minChunks: 2, minRatio: 1.5 }),
})

/**
 * Reference document 000: grades of a reranker where it graded the chunks, retrieval scores otherwise. Passes or
 * refuses, never advises.
 *
 * @throws `policy_invalid` when a setting is out of range
 */
export function twoTier(options: TwoTierOptions = {}): Policy {
  return definePolicy({
    name: 'two-tier',
    confidence: { kind: 'top-relevance' },
    bands: { high: 0.85, medium: 0.6, low: 0 },
    gates: [gradedRelevance(options), retrievalScore(options)],
  })
}
