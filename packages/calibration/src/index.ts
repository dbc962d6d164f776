/** Thresholds and error rates from labels: offline, into new frozen policies. */
export { auroc } from './auroc.ts'
export { binomialInterval } from './binomial-interval.ts'
export {
  checkGenerationConfidence,
  type GenerationConfidenceQuality,
  type RatedAnswer,
} from './generation-confidence-quality.ts'
export {
  type LabelledDecision,
  scoresOfGate,
  type ThresholdGate,
  thresholdOf,
  withThreshold,
} from './gate-threshold.ts'
export { countHallucinations, type Hallucinations, type LabelledAnswer } from './hallucinations.ts'
export type { LabelledScore } from './labelled-score.ts'
export { type Example, fitLogistic } from './logistic-fit.ts'
export { type MeasuredRate, measuredRate } from './measured-rate.ts'
export { suggestThresholdChange, type ThresholdChange, type ThresholdEvidence } from './suggest-threshold-change.ts'
export { type Sensitivity, thresholdSensitivity } from './threshold-sensitivity.ts'
export { tuneByCollection, type TunedThreshold, tuneThreshold, type TuneOptions } from './tune-threshold.ts'
export { type AdjustedSettings, adjustedModel } from './adjusted-confidence.ts'
export { bootstrapInterval } from './bootstrap-interval.ts'
export { calibrationError, type ReliabilityBin, reliabilityBins } from './calibration-error.ts'
export { type Calibration, type CalibrateOptions, calibratePolicy, type CalibrationLabel } from './calibrate-policy.ts'
export { calibratedParts } from './calibrated-parts.ts'
export { evaluate, type Evaluation, type JudgedQuestion, verdictRates } from './evaluation.ts'
export { fitAdjustment } from './fit-adjustment.ts'
export {
  lostOfRecord,
  NOT_REPLAYABLE,
  type RecordedDecision,
  replayDecision,
  type Replayed,
  type WhereReaderFails,
  whereReaderFails,
} from './replay-decisions.ts'
export { lowestSafeConfidence } from './safe-confidence.ts'
export { labelsNeeded, lowestSafeThreshold, upperBound } from './safe-threshold.ts'
export { leaveOut } from 'hono-rag-gate/core/evidence'
export type { Figure, VerdictRates } from './evaluation.ts'
export { type LabelledDecisions, estimateErrorRates } from './labelled-rates.ts'
export { wasRead } from './recorded-measures.ts'
