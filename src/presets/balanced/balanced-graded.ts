import { anything, requireOptions } from '../../core/lib/options.ts'
import { confidenceRangeGate } from '../../core/gates/confidence-range.ts'
import {
  GRADED_RELEVANCE_OPTIONS,
  gradedRelevance,
  gradedRelevanceGate,
  type GradedRelevanceOptions,
} from '../../core/gates/graded-relevance.ts'
import { definePolicy, type Policy } from '../../core/policy/policy.ts'
import { unscaled } from '../../core/policy/scaled.ts'
import type { Preset } from '../../core/policy/preset.ts'
import { balanced, balancedPreset, type BalancedOptions } from './balanced.ts'

/** The parts of `balancedGraded`. */
export const balancedGradedPreset: Preset = Object.freeze({
  ...balancedPreset,
  name: 'balanced-graded',
  gates: [...balancedPreset.gates, gradedRelevanceGate],
})

/** Settings of `balancedGraded`. */
export interface BalancedGradedOptions extends Omit<BalancedOptions, 'refuse'>, GradedRelevanceOptions {}

/**
 * The policy for a cascade (docs/cascades.md): if a model graded the passages, its grades decide; otherwise, because there is
 * no grader, it failed, or it was not needed, `balanced` decides.
 *
 * @throws `policy_invalid` when a setting is out of range
 */
export function balancedGraded(options: BalancedGradedOptions = {}): Policy {
  requireOptions(
    options,
    { refuseBelow: anything, adviseBelow: anything, language: anything, ...GRADED_RELEVANCE_OPTIONS },
    'policy_invalid',
  )
  const { relevanceThreshold, minChunks, ...rest } = options
  const words = balanced(rest)
  return definePolicy({
    ...words,
    name: balancedGradedPreset.name,
    preset: balancedGradedPreset,
    // Unscaled, because the bounds of a cascade refer to this confidence.
    confidence: unscaled(words.confidence),
    gates: words.gates.flatMap(({ gate, settings }) =>
      gate.name === confidenceRangeGate.name
        ? [
            gradedRelevance({ relevanceThreshold, minChunks }),
            { gate, settings: { ...settings, whereGraded: 'skipped' } },
          ]
        : [{ gate, settings }],
    ),
  })
}
