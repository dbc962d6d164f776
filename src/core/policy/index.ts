/** Policies, confidence models, judging, decisions. */
export {
  clipConfidence,
  confidenceBy,
  type ConfidenceModel,
  confidenceOf,
  type ConfidenceSettings,
  invalidConfidence,
  type PolicyConfidence,
} from './confidence.ts'
export type { Band, CacheState, Decision, Judgement } from './decision.ts'
export { ENGINE_TEXTS } from './engine-texts.ts'
export { judge, judgesAnswers } from './judge.ts'
export { answerMeasure, judgeAnswer } from './judge-answer.ts'
export { logisticModel } from './logistic.ts'
export { measure } from './measure.ts'
export { type PinDifference, pinDifferences, type PolicyPin } from './policy-pin.ts'
export { type Bands, definePolicy, type Policy, policySettings, resolvePolicy, validateBands } from './policy.ts'
export type {
  AssessedDecision,
  Audience,
  AuditEvent,
  ExplainedFact,
  FurtherMembers,
  PolicyParts,
  Preset,
  PresetNeed,
  ReportedDecision,
  Wording,
} from './preset.ts'
export { MOST_PURGES } from './purged-scopes.ts'
export { type PurgeScope, purgeScopeText, scopesOfAnswer, tenantOfScope } from './purge-scope.ts'
export { readerFindings } from './reader-findings.ts'
export { defineRule, mentions, type Rule, type RuleFinding, type RuleInput } from './rules.ts'
export { readsScale, scaled, scaledModel, unscaled } from './scaled.ts'
export { CONTEXT, isOfTexts } from './text-findings.ts'
export { weakestPart, weakestPartModel } from './weakest-part.ts'
