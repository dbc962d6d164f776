export {
  citationsWithWarning,
  type ConfidenceBadge,
  confidenceBadge,
  confidenceLine,
  type ConfidenceRecord,
  confidenceRecord,
  isFlagged,
} from './confidence-record.ts'
export { legalReview } from './legal-review.ts'
export {
  analyse,
  type AnalysisLine,
  assessRetrieval,
  recommend,
  type Recommendation,
  type RetrievalAssessment,
} from './recommendations.ts'
export { recordsRetrieval } from './retrieval-signals.ts'
export { assessChunks, type AssessChunksOptions, scoreRetrieval } from './score-retrieval.ts'
export type { SignalWeights } from './weighted-confidence.ts'
export { weightedSignals, type WeightedSignalsOptions, weightedSignalsPreset } from './weighted-signals.ts'
