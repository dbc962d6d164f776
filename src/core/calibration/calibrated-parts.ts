/** Parts by which the stored settings of a calibrated policy become a policy again. */
import { confidenceRangeGate } from '../gates/confidence-range.ts'
import { logisticModel } from '../policy/logistic.ts'
import type { PolicyParts } from '../policy/preset.ts'
import { adjustedModel } from './adjusted-confidence.ts'

/** Beside the presets, for `resolvePolicy`. */
export const calibratedParts: PolicyParts = Object.freeze({
  gates: [confidenceRangeGate],
  confidenceModels: [adjustedModel([logisticModel])],
})
