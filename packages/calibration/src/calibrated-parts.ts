/** Parts by which the stored settings of a calibrated policy become a policy again. */
import { confidenceRangeGate } from 'hono-rag-gate/core/gates'
import { logisticModel, type PolicyParts, weakestPartModel } from 'hono-rag-gate/core/policy'
import { adjustedModel } from './adjusted-confidence.ts'

/** Beside the presets, for `resolvePolicy`. */
export const calibratedParts: PolicyParts = Object.freeze({
  gates: [confidenceRangeGate],
  confidenceModels: [adjustedModel([logisticModel, weakestPartModel([logisticModel])])],
})
