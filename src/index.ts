/** The front door. */
export { isRagGateError, RagGateError, type RagGateErrorCode } from './errors.ts'
export { ragGate } from './middleware/rag-gate.ts'
export type { RagGateOptions } from './middleware/options.ts'
export type { CacheScope, GateConnections } from './middleware/connect.ts'
export type { AnswerReport, Citation, Gated, RagGateEnv } from './middleware/gated.ts'
export type { QuestionOptions, SearchModes } from './middleware/read-question.ts'
export { respondWithError } from './middleware/respond.ts'

export { definePolicy, judge, judgeAnswer, type Bands, type Policy, type PolicyInput } from './core/policy/policy.ts'
export { measureAnswer, type GenerationConfidenceSource, type GenerationReport } from './core/answer/measure-answer.ts'
export type { AnswerSignals, EvidenceShare } from './core/answer/answer-signals.ts'
export { mentions, multiPartNeedsChunks, refuseTopics } from './core/policy/rules.ts'
export type { MultiPartOptions, Rule, RuleFinding, RuleInput } from './core/policy/rules.ts'
export { suggestThresholdChange } from './core/calibration/suggest-threshold-change.ts'
export type { ThresholdChange, ThresholdEvidence } from './core/calibration/suggest-threshold-change.ts'
export { type LabelledDecision, scoresOfGate, type ThresholdGate } from './core/calibration/gate-threshold.ts'
export { thresholdSensitivity, type Sensitivity } from './core/calibration/threshold-sensitivity.ts'
export { countHallucinations, type Hallucinations, type LabelledAnswer } from './core/calibration/hallucinations.ts'
export {
  checkGenerationConfidence,
  type GenerationConfidenceQuality,
  type RatedAnswer,
} from './core/calibration/generation-confidence-quality.ts'
export { tuneByCollection, tuneThreshold, type TunedThreshold } from './core/calibration/tune-threshold.ts'
export {
  diagnoseGating,
  evidenceGatingStats,
  gatingReport,
  type GatingReport,
  type GatingStatistics,
  refusalAsText,
} from './presets/sufficiency/gating-report.ts'
export {
  ADVISORY_USAGE,
  advisoryBadge,
  advisoryBanner,
  type AdvisoryFlag,
  advisoryWarning,
  getAdvisoryFlag,
  handOverAdvisory,
  marketContextFrom,
  readSelfReport,
} from './presets/advisory/advisory-flags.ts'
export { rejectionRecord, type RejectionRecord } from './core/reports/rejection-record.ts'
export { scoreRetrieval } from './presets/weighted-signals/score-retrieval.ts'
export type { EvidenceAnswer } from './core/reports/evidence-answer.ts'
export { answerQuestion, type AnsweredQuestion, type AnswerPorts } from './pipeline/answer-question.ts'
export {
  answerWithRetries,
  type RetriedAnswer,
  type RetryOptions,
  type Rewrite,
} from './pipeline/answer-with-retries.ts'
export { generateWithEvidence, type GenerationTask, type JudgedGeneration } from './pipeline/generate-with-evidence.ts'
export type { AskedQuestion, GateSettings as GateQuestionSettings } from './pipeline/gate-question.ts'
export { chunkId, namespaceOf } from './core/lib/ids.ts'
export { explain, explanationText, type Explained, type Explanation } from './core/reports/explain.ts'
export { measure, type Signals } from './core/signals/measure.ts'
export type { CheckLine } from './presets/two-tier/check-lines.ts'
export { feedbackTerms, type FeedbackOptions } from './core/evidence/feedback-terms.ts'
export { buildContext, type Context, type ContextBudget } from './core/evidence/context.ts'
export type { SearchMode } from './core/evidence/search-mode.ts'
export {
  type ConvexOptions,
  type ConvexWeights,
  fuseConvex,
  fuseDistributionBased,
  fuseReciprocalRank,
  type FusionMethod,
  type ReciprocalRankOptions,
} from './core/evidence/fusion.ts'
export { buildLexicon, EMPTY_LEXICON, type Lexicon } from './core/text/lexicon.ts'
export { type Audience, buildRefusal, type Refusal } from './core/reports/refusal.ts'
export type { Chunk, Passage, Ranking, ScoreKind, Scores } from './core/evidence/chunk.ts'
export {
  citationsWithWarning,
  type ConfidenceBadge,
  confidenceBadge,
  confidenceLine,
  type ConfidenceRecord,
  confidenceRecord,
  isFlagged,
} from './presets/weighted-signals/confidence-record.ts'
export {
  analyse,
  type AnalysisLine,
  assessRetrieval,
  recommend,
  type Recommendation,
  type RetrievalAssessment,
} from './presets/weighted-signals/recommendations.ts'
export type { RetrievalSignals } from './core/signals/retrieval-signals.ts'
export type { SignalWeights } from './presets/weighted-signals/weighted-confidence.ts'
export type { Band, Decision, Expansion, Judgement } from './core/policy/decision.ts'
export type { Finding, Verdict } from './core/gates/finding.ts'
export type { Evidence } from './core/evidence/evidence.ts'
export type { RerankerOutcome } from './core/evidence/rerank.ts'
export type { CacheLifetimes } from './core/policy/lifetimes.ts'

export { balanced, type BalancedOptions } from './presets/balanced/balanced.ts'
export { advisory, type AdvisoryOptions } from './presets/advisory/advisory.ts'
export { multiGate, type MultiGateOptions } from './presets/multi-gate/multi-gate.ts'
export { legalReview } from './presets/weighted-signals/legal-review.ts'
export { weightedSignals, type WeightedSignalsOptions } from './presets/weighted-signals/weighted-signals.ts'
export {
  sufficiency,
  SUFFICIENCY_THRESHOLDS,
  sufficiencyByCollection,
  type SufficiencyByCollectionOptions,
  type SufficiencyOptions,
  sufficiencyThreshold,
} from './presets/sufficiency/sufficiency.ts'
export { TWO_TIER_SETTINGS, twoTier, type TwoTierOptions } from './presets/two-tier/two-tier.ts'
export { advisoryConfidence, type AdvisoryConfidenceOptions } from './core/gates/advisory-confidence.ts'
export { confidenceRange, type ConfidenceRangeOptions } from './core/gates/confidence-range.ts'
export { evidenceShare, type EvidenceShareOptions } from './core/gates/evidence-share.ts'
export { generationConfidence, type GenerationConfidenceOptions } from './core/gates/generation-confidence.ts'
export { gradedRelevance, type GradedRelevanceOptions } from './core/gates/graded-relevance.ts'
export { grounding, type GroundingOptions } from './core/gates/grounding.ts'
export { keywordCoverage, type KeywordCoverageOptions } from './core/gates/keyword-coverage.ts'
export { minTopCosine, type MinTopCosineOptions } from './core/gates/min-top-cosine.ts'
export { responseQuality, type ResponseQualityOptions } from './core/gates/response-quality.ts'
export { retrievalScore, type RetrievalScoreOptions } from './core/gates/retrieval-score.ts'
export type { GateSettings } from './core/gates/index.ts'
export type { ReasonCode } from './core/gates/finding.ts'

export type { AnswerCache, CachedAnswer } from './ports/answer-cache.ts'
export type { Authenticate, Principal, Scope } from './ports/authenticator.ts'
export type { ChunkIndex } from './ports/chunk-index.ts'
export type { ChunkTexts } from './ports/chunk-texts.ts'
export type { Clock } from './ports/clock.ts'
export type { Collection, Collections } from './ports/collections.ts'
export type { DecisionEvent, DecisionLog } from './ports/decision-log.ts'
export type { Generation, GenerationRequest, Generator } from './ports/generator.ts'
export type { Embedder, EmbeddingRequest } from './ports/embedder.ts'
export type { QuestionRewriter } from './ports/question-rewriter.ts'
export type { Reranker, RerankRequest } from './ports/reranker.ts'
export type { RetrievalRequest, Retriever } from './ports/retriever.ts'
export type { PassageFilter, PassageFilterValue } from './core/evidence/passage-filter.ts'
