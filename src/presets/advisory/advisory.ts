import type { Preset, ToldDecision, FurtherMembers } from '../../core/policy/preset.ts'
import { advisoryFactorsConfidence, advisoryFactorsModel } from './advisory-factors.ts'
import { advisoryConfidence, type AdvisoryConfidenceOptions, advisoryConfidenceGate } from './advisory-confidence.ts'
import { responseQuality, responseQualityGate } from '../../core/gates/response-quality.ts'
import { definePolicy, type Policy } from '../../core/policy/policy.ts'

/** Marks an answer that is too weak to be used. */
export const advisoryPreset: Preset = Object.freeze({
  name: 'advisory',
  gates: [responseQualityGate, advisoryConfidenceGate],
  confidenceModels: [advisoryFactorsModel],
  summary: ({ decision: { verdict, findings } }: ToldDecision): FurtherMembers =>
    verdict === 'advise' && findings.some(({ code }) => code === 'advisory_unusable') ? { usable: false } : {},
})

/** Settings of `advisory`. */
export interface AdvisoryOptions extends AdvisoryConfidenceOptions {
  /** Fields that a structured answer must have. @default none */
  readonly requiredFields?: readonly string[]
  /** Fields that it should have. @default none */
  readonly optionalFields?: readonly string[]
}

/**
 * Retrieval, source and response quality added up. Never refuses what could be judged: below .7
 * an answer is advisory only, below .5 it is passed on with `usable: false`.
 *
 * Sources tell their kind by `source_kind` among their metadata: `government`, `regulatory`, `market-data` or
 * `third-party`.
 *
 * @throws `policy_invalid` when a setting is out of range
 */
export function advisory(options: AdvisoryOptions = {}): Policy {
  const { requiredFields = [], optionalFields = [] } = options
  const fields = { requiredFields, optionalFields }
  return definePolicy({
    name: 'advisory',
    confidence: advisoryFactorsConfidence(fields),
    preset: advisoryPreset,
    bands: { high: 0.9, medium: 0.7, low: 0.5 },
    gates: [responseQuality({ ...fields, refuseBelow: 0, adviseBelow: 0 }), advisoryConfidence(options)],
  })
}
