/** Policies, confidence models, judging, decisions. */
export {
  type ConfidenceModel,
  type ConfidenceSettings,
  type PolicyConfidence,
  clipConfidence,
  confidenceBy,
  confidenceOf,
  invalidConfidence,
} from './confidence.ts'
export type { Band, CacheState, Decision, Judgement } from './decision.ts'
export { ENGINE_TEXTS } from './engine-texts.ts'
export { judge, judgeAnswer, judgesAnswers } from './judge.ts'
export { logisticModel } from './logistic.ts'
export { measure } from './measure.ts'
export { type PinDifference, type PolicyPin, pinDifferences } from './policy-pin.ts'
export { type Bands, type Policy, definePolicy, policySettings, resolvePolicy, validateBands } from './policy.ts'
export type {
  AssessedDecision,
  Audience,
  AuditEvent,
  ExplainedFact,
  FurtherMembers,
  PolicyParts,
  Preset,
  PresetNeed,
  ToldDecision,
  Wording,
} from './preset.ts'
export type { PurgeScope } from './purge-scope.ts'
export { readerFindings } from './reader-findings.ts'
export { isOfTexts } from './text-findings.ts'
export { readsScale, scaled, scaledModel, unscaled } from './scaled.ts'
export { answerMeasure } from './judge.ts'
export { CONTEXT } from './text-findings.ts'
export { weakestPart, weakestPartModel } from './weakest-part.ts'
