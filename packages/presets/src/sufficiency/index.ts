export { type AnsweredDecision, type EvidenceAnswer, evidenceAnswer } from './evidence-answer.ts'
export {
  diagnoseGating,
  evidenceGatingStats,
  type GatingReport,
  gatingReport,
  type GatingStatistics,
  refusalAsText,
} from './gating-report.ts'
export { type RejectionRecord, rejectionRecord } from './rejection-record.ts'
export {
  sufficiency,
  SUFFICIENCY_THRESHOLDS,
  sufficiencyByCollection,
  type SufficiencyByCollectionOptions,
  type SufficiencyOptions,
  sufficiencyPreset,
  sufficiencyThreshold,
} from './sufficiency.ts'
export {
  sufficiencyGate,
  type SufficiencyEvaluation,
  type SufficiencyGate,
  type SufficiencyInput,
} from './sufficiency-gate.ts'
export type { RejectionFacts } from './rejection-record.ts'
export { evidenceShare, type EvidenceShareOptions } from './evidence-share.ts'
