/** Evaluates a policy on labelled questions; every figure has its n and an interval. */
import type { Verdict } from 'hono-rag-gate/core/gates'
import { auroc } from './auroc.ts'
import type { Interval } from './binomial-interval.ts'
import { bootstrapInterval } from './bootstrap-interval.ts'
import {
  calibrationError,
  calibrationErrorInterval,
  type ReliabilityBin,
  reliabilityBins,
} from './calibration-error.ts'
import { aurocInterval } from './correlation-interval.ts'
import { type LabelledScore, tiesOf } from './labelled-score.ts'
import { type MeasuredRate, measuredRate } from './measured-rate.ts'
import { coverageAtFalseAcceptance, type OperatingPoint, riskCoverageArea } from './risk-coverage.ts'
import { type Sensitivity, thresholdSensitivity } from './threshold-sensitivity.ts'

/** A labelled question with its decision. */
export interface JudgedQuestion {
  readonly answerable: boolean
  readonly verdict: Verdict
  /** 0..1. */
  readonly confidence: number
  /** Such as `near-miss`; rates are also counted by kind. */
  readonly kind: string
  readonly collection: string
}

/** Rates of the verdicts. */
export interface VerdictRates {
  /** Unanswerable questions that were refused. */
  readonly refusalAccuracy: MeasuredRate
  /** Answerable questions that were refused. */
  readonly falseRefusals: MeasuredRate
  /** Unanswerable questions that were answered. */
  readonly falseAcceptances: MeasuredRate
  /** Of these, those answered without a caution. */
  readonly uncautioned: MeasuredRate
}

/** A value with its interval, if there is one; `null` if undefined. */
export interface Figure {
  readonly value: number | null
  readonly interval?: Interval
}

/** A point of the risk–coverage curve. */
export interface RiskPoint {
  /** Share of all questions that are answered, 0..1. */
  readonly coverage: number
  /** Share of the answered questions that are unanswerable, 0..1. */
  readonly risk: number
  /** Confidence from which questions are answered. */
  readonly threshold: number
}

/** Result of an evaluation. */
export interface Evaluation {
  readonly questions: number
  readonly verdicts: VerdictRates
  readonly byKind: Readonly<Record<string, VerdictRates>>
  readonly byCollection: Readonly<Record<string, VerdictRates>>
  readonly auroc: Figure
  readonly aurc: Figure
  readonly calibrationError: Figure
  /** The best threshold on these labels. Not a guarantee, because it was chosen on them. */
  readonly atStatedRisk: OperatingPoint & { readonly risk: number; readonly coverageInterval?: Interval }
  readonly riskCoverage: readonly RiskPoint[]
  readonly reliability: readonly ReliabilityBin[]
  /** Absent without a threshold. */
  readonly sensitivity?: Sensitivity
}

/** Settings of `evaluate`. */
export interface EvaluateOptions {
  /** Share of the unanswerable questions that may be answered, 0..1. @default 0.05 */
  readonly risk?: number
  /** Threshold whose sensitivity is reported. @default none */
  readonly threshold?: number
  /** Random numbers in [0, 1), for bootstrap intervals. */
  readonly random: () => number
}

/**
 * Summarises judged questions. Their order affects only the bootstrap intervals, which like the others take each
 * question as independent: one that is listed twice counts as two.
 */
export function evaluate(judged: readonly JudgedQuestion[], options: EvaluateOptions): Evaluation {
  const { risk = 0.05, threshold, random } = options
  const scored = judged.map(({ confidence: score, answerable }): LabelledScore => ({ score, answerable }))
  const answerable = scored.filter((each) => each.answerable).length
  const both = answerable > 0 && answerable < scored.length
  const area = auroc(scored)
  const bootstrap = (of: (scored: readonly LabelledScore[]) => number): Interval | undefined =>
    bootstrapInterval(scored, of, { random })
  const figure = (value: number, intervalOf: () => Interval | undefined): Figure => {
    const interval = both ? intervalOf() : undefined
    return interval === undefined ? { value: null } : { value, interval }
  }
  const coverageInterval = bootstrap((drawn) => coverageAtFalseAcceptance(drawn, risk).coverage)
  return {
    questions: judged.length,
    verdicts: verdictRates(judged),
    byKind: apart(judged, ({ kind }) => kind),
    byCollection: apart(judged, ({ collection }) => collection),
    auroc: figure(area, () => aurocInterval(area, answerable, scored.length - answerable)),
    aurc: figure(riskCoverageArea(scored), () => bootstrap(riskCoverageArea)),
    calibrationError: figure(calibrationError(scored), () => calibrationErrorInterval(scored)),
    atStatedRisk: {
      risk,
      ...coverageAtFalseAcceptance(scored, risk),
      ...(coverageInterval === undefined ? {} : { coverageInterval }),
    },
    riskCoverage: riskCoverageCurve(scored),
    reliability: reliabilityBins(scored),
    ...(threshold === undefined ? {} : { sensitivity: thresholdSensitivity(scored, threshold) }),
  }
}

/** The rates of the verdicts. */
export function verdictRates(judged: readonly JudgedQuestion[]): VerdictRates {
  const count = (kind: boolean, ...verdicts: readonly Verdict[]): number =>
    judged.filter(({ answerable, verdict }) => answerable === kind && verdicts.includes(verdict)).length
  const answerable = count(true, 'pass', 'advise', 'refuse')
  const unanswerable = judged.length - answerable
  return {
    refusalAccuracy: measuredRate(count(false, 'refuse'), unanswerable),
    falseRefusals: measuredRate(count(true, 'refuse'), answerable),
    falseAcceptances: measuredRate(count(false, 'pass', 'advise'), unanswerable),
    uncautioned: measuredRate(count(false, 'pass'), unanswerable),
  }
}

/** Risk against coverage, from the highest confidence down. Questions with equal confidence are one point. */
function riskCoverageCurve(scored: readonly LabelledScore[]): readonly RiskPoint[] {
  let answered = 0
  let wrong = 0
  return tiesOf(scored).map(({ score, answerable, unanswerable }) => {
    answered += answerable + unanswerable
    wrong += unanswerable
    return { coverage: answered / scored.length, risk: wrong / answered, threshold: score }
  })
}

function apart(
  judged: readonly JudgedQuestion[],
  by: (question: JudgedQuestion) => string,
): Readonly<Record<string, VerdictRates>> {
  const names = [...new Set(judged.map(by))].sort()
  return Object.fromEntries(names.map((name) => [name, verdictRates(judged.filter((each) => by(each) === name))]))
}
