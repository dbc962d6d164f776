import { confidenceRange } from '../../core/gates/confidence-range.ts'
import { definePolicy, type Policy } from '../../core/policy/policy.ts'
import { BALANCED_LACKING, BALANCED_PROVENANCE, BALANCED_WEIGHTS } from './balanced-weights.ts'

/** Settings of `balanced`. */
export interface BalancedOptions {
  /**
   * Confidence below which a question is refused, 0..1.
   *
   * @default 0.55
   */
  readonly refuseBelow?: number
  /**
   * Confidence below which an answer carries a caution, `refuseBelow`..1.
   *
   * @default 0.8
   */
  readonly adviseBelow?: number
}

/**
 * The default: a logistic confidence over what the retrieved texts say, not over the engine's scores, so that the same
 * policy works over any index. Where there is no collection lexicon, or the best chunk has no title, it uses weights
 * that were fitted without them.
 *
 * Measured with each development set left out of the fit in turn (docs/evaluation.md): the default thresholds refuse
 * 21 to 29 % of the answerable questions. Of questions that must be refused they answer 0.8 % where the topic is foreign
 * to the collection, 26 and 40 % where it is near; below 0.1, 12 and 16 % without a caution.
 *
 * @throws `policy_invalid` when a threshold is out of range
 */
export function balanced(options: BalancedOptions = {}): Policy {
  return definePolicy({
    name: 'balanced',
    confidence: {
      kind: 'logistic',
      ...BALANCED_WEIGHTS,
      lacking: BALANCED_LACKING,
      provenance: BALANCED_PROVENANCE,
      calibrated: false,
    },
    bands: { high: 0.9, medium: 0.8, low: 0.55 },
    gates: [confidenceRange({ refuseBelow: options.refuseBelow ?? 0.55, adviseBelow: options.adviseBelow ?? 0.8 })],
  })
}
