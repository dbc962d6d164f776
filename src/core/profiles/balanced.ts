import { confidenceRange } from '../gates/confidence-range.ts'
import { definePolicy, type Policy } from '../policy.ts'

/** Settings of `balanced`. */
export interface BalancedOptions {
  /**
   * Confidence below which a question is refused, 0..1.
   *
   * @default 0.5
   */
  readonly refuseBelow?: number
  /**
   * Confidence below which an answer carries a caution, `refuseBelow`..1.
   *
   * @default 0.7
   */
  readonly adviseBelow?: number
}

/**
 * The default: a logistic confidence over what the retrieved texts say, not over the engine's scores, so that the same
 * policy works over any index. The weights are provisional: a logistic fit with each set and label weighted alike.
 *
 * @throws `policy_invalid` when a threshold is out of range
 */
export function balanced(options: BalancedOptions = {}): Policy {
  return definePolicy({
    name: 'balanced',
    confidence: {
      kind: 'logistic',
      intercept: -3.084,
      weights: { sentenceCoverage: 1.8, topBm25: 2.219, bm25Gap: 2.08 },
      provenance: 'provisional; squad-ooc (every fifth question), clapnq and azure-faq, BM25 retrieval, 2026-11',
    },
    bands: { high: 0.85, medium: 0.7, low: 0.5 },
    gates: [confidenceRange({ refuseBelow: options.refuseBelow ?? 0.5, adviseBelow: options.adviseBelow ?? 0.7 })],
  })
}
