import { requireOptions } from 'hono-rag-gate/core/lib'
import type { Bands, Policy, Preset } from 'hono-rag-gate/core/policy'
import {
  type WeightedSignalsOptions,
  WEIGHTED_SIGNALS_OPTIONS,
  weightedSignalsNamed,
  weightedSignalsPreset,
} from './weighted-signals.ts'

/** 90 % and up is answered automatically, 70 to 89 % is reviewed, below 70 % is for an expert: there is no level `low`. */
const LEGAL_REVIEW_BANDS: Bands = Object.freeze({ high: 0.9, medium: 0.7, low: 0.7 })

/**
 * The parts of `weightedSignals`, for a deployment with a reranker: the levels ask for a best passage that stands far
 * above the second, and mixed scores of words never do (docs/internal/evaluation.md).
 */
export const legalReviewPreset = Object.freeze<Preset>({
  ...weightedSignalsPreset,
  name: 'legal-review',
  needsOneOf: ['reranker'],
})

/**
 * `weightedSignals` with the stricter levels that are recommended for legal compliance research, beside
 * the .85/.70/.50 that it uses. What it refuses is for an expert, and says so with `escalate`. It needs a reranker:
 * without one it refuses every question.
 *
 * @throws `policy_invalid` when a setting is out of range, or the levels do not fall
 */
export function legalReview(options: WeightedSignalsOptions = {}): Policy {
  requireOptions(options, WEIGHTED_SIGNALS_OPTIONS, 'policy_invalid')
  return weightedSignalsNamed(legalReviewPreset, LEGAL_REVIEW_BANDS, { escalateRefusals: true, ...options })
}
