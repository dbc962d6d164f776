/** Thresholds and error rates from labels: computed offline, into new frozen policies. */
export { binomialInterval } from './binomial-interval.ts'
export {
  checkGenerationConfidence,
  type GenerationConfidenceQuality,
  type RatedAnswer,
} from './generation-confidence-quality.ts'
export { type LabelledDecision, scoresOfGate, type ThresholdGate } from './gate-threshold.ts'
export { countHallucinations, type Hallucinations, type LabelledAnswer } from './hallucinations.ts'
export type { LabelledScore } from './labelled-score.ts'
export { type MeasuredRate, measuredRate } from './measured-rate.ts'
export { suggestThresholdChange, type ThresholdChange, type ThresholdEvidence } from './suggest-threshold-change.ts'
export { type Sensitivity, thresholdSensitivity } from './threshold-sensitivity.ts'
export { tuneByCollection, type TunedThreshold, tuneThreshold, type TuneOptions } from './tune-threshold.ts'
export type { ReliabilityBin } from './calibration-error.ts'
export { type Calibration, type CalibrateOptions, calibratePolicy, type CalibrationLabel } from './calibrate-policy.ts'
export { calibratedParts } from './calibrated-parts.ts'
export {
  evaluate,
  type Evaluation,
  type Figure,
  type JudgedQuestion,
  type VerdictRates,
  verdictRates,
} from './evaluation.ts'
export {
  lostOfRecord,
  NOT_REPLAYABLE,
  type RecordedDecision,
  replayDecision,
  type Replayed,
  type WhereReaderFails,
  whereReaderFails,
} from './replay-decisions.ts'
export { labelsNeeded, lowestSafeThreshold } from './safe-threshold.ts'
export { type LabelledDecisions, estimateErrorRates } from './labelled-rates.ts'
export { type LabelledConfidence, uncertainMiddle } from './uncertain-middle.ts'
export { hasReaderScores } from './recorded-measures.ts'
export { learnFromWindows, type LearnFromWindowsOptions, type LeaveOut } from './scale/learn-from-windows.ts'
export type { ScalePassage } from './scale/windows.ts'
export { seededRandom } from './scale/seeded-random.ts'
