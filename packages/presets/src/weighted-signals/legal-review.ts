import { requireOptions } from 'hono-rag-gate/core/lib'
import type { Bands, Policy, Preset } from 'hono-rag-gate/core/policy'
import {
  type WeightedSignalsOptions,
  WEIGHTED_SIGNALS_OPTIONS,
  weightedSignalsNamed,
  weightedSignalsPreset,
} from './weighted-signals.ts'

/** From .9 an answer is automatic, from .7 it is reviewed, below .7 an expert is needed; the band `low` is empty. */
const LEGAL_REVIEW_BANDS: Bands = Object.freeze({ high: 0.9, medium: 0.7, low: 0.7 })

/**
 * The parts of `weightedSignals`, for deployments with a reranker: these levels need a best passage far ahead of the
 * second, which fused lexical scores never show (docs/internal/evaluation.md).
 */
export const legalReviewPreset = Object.freeze<Preset>({
  ...weightedSignalsPreset,
  name: 'legal-review',
  needsOneOf: ['reranker'],
})

/**
 * `weightedSignals` with the stricter levels recommended for legal compliance research, instead of .85/.70/.50.
 * Refusals need an expert and carry `escalate`. Needs a reranker: without one it refuses every question.
 *
 * @throws `policy_invalid` when a setting is out of range, or the levels are not in descending order
 */
export function legalReview(options: WeightedSignalsOptions = {}): Policy {
  requireOptions(options, WEIGHTED_SIGNALS_OPTIONS, 'policy_invalid')
  return weightedSignalsNamed(legalReviewPreset, LEGAL_REVIEW_BANDS, { escalateRefusals: true, ...options })
}
