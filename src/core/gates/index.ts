/** Gates and their findings. */
export { confidenceRange, confidenceRangeGate } from './confidence-range.ts'
export type { Finding, ReasonCode, Verdict } from './finding.ts'
export { type Gate, type PolicyGate, defineGate, gateWith, settingsOf } from './gate.ts'
export {
  GRADED_RELEVANCE_OPTIONS,
  type GradedRelevanceOptions,
  type GradedRelevanceSettings,
  gradedRelevance,
  gradedRelevanceGate,
} from './graded-relevance.ts'
export { minTopCosine, minTopCosineGate } from './min-top-cosine.ts'
export { SUGGEST, type Text, UNMEASURED, noteText, refusalText } from './text.ts'
export { CANNOT_ANSWER, GRADED_ALREADY, NOT_CONFIRMED } from './text.ts'
