/** Gates and their findings. */
export { confidenceRange, confidenceRangeGate } from './confidence-range.ts'
export type { Finding, ReasonCode, Verdict } from './finding.ts'
export { defineGate, type Gate, gateWith, type PolicyGate, settingsOf } from './gate.ts'
export {
  GRADED_RELEVANCE_OPTIONS,
  gradedRelevance,
  gradedRelevanceGate,
  type GradedRelevanceOptions,
  type GradedRelevanceSettings,
} from './graded-relevance.ts'
export { minTopCosine, minTopCosineGate } from './min-top-cosine.ts'
export {
  CANNOT_ANSWER,
  GRADED_ALREADY,
  NOT_CONFIRMED,
  noteText,
  refusalText,
  SUGGEST,
  type Text,
  UNMEASURED,
} from './text.ts'
