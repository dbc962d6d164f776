/** Parts for rebuilding a calibrated policy from its stored settings. */
import { confidenceRangeGate } from 'hono-rag-gate/core/gates'
import { logisticModel, type PolicyParts, weakestPartModel } from 'hono-rag-gate/core/policy'
import { adjustedModel } from './adjusted-confidence.ts'

/** Pass these to `resolvePolicy` together with the presets. */
export const calibratedParts: PolicyParts = Object.freeze({
  gates: [confidenceRangeGate],
  confidenceModels: [adjustedModel([logisticModel, weakestPartModel([logisticModel])])],
})
