import type { Bands, Policy } from '../../core/policy/policy.ts'
import { type WeightedSignalsOptions, weightedSignalsNamed } from './weighted-signals.ts'

/** 90 % and up is answered automatically, 70 to 89 % is reviewed, below 70 % is for an expert: there is no level `low`. */
const LEGAL_REVIEW_BANDS: Bands = Object.freeze({ high: 0.9, medium: 0.7, low: 0.7 })

/**
 * `weightedSignals` with the stricter levels that are recommended for legal compliance research, beside
 * the .85/.70/.50 that it uses. What it refuses is for an expert, and says so with `escalate`.
 *
 * @throws `policy_invalid` when a setting is out of range, or the levels do not fall
 */
export function legalReview(options: WeightedSignalsOptions = {}): Policy {
  return weightedSignalsNamed('legal-review', LEGAL_REVIEW_BANDS, { escalateRefusals: true, ...options })
}
