/** What a policy does on labelled questions: every figure with its n and an interval. */
import type { Verdict } from 'hono-rag-gate/core/gates'
import { auroc } from './auroc.ts'
import type { Interval } from './binomial-interval.ts'
import { bootstrapInterval } from './bootstrap-interval.ts'
import { calibrationError, type ReliabilityBin, reliabilityBins } from './calibration-error.ts'
import { aurocInterval } from './correlation-interval.ts'
import { type LabelledScore, tiesOf } from './labelled-score.ts'
import { type MeasuredRate, measuredRate } from './measured-rate.ts'
import { coverageAtFalseAcceptance, type OperatingPoint, riskCoverageArea } from './risk-coverage.ts'
import { type Sensitivity, thresholdSensitivity } from './threshold-sensitivity.ts'

/** A labelled question that was asked. */
export interface JudgedQuestion {
  readonly answerable: boolean
  readonly verdict: Verdict
  /** 0..1. */
  readonly confidence: number
  /** Such as `near-miss`; questions of one kind are also counted apart. */
  readonly kind: string
  readonly collection: string
}

/** What was counted of verdicts. */
export interface VerdictRates {
  /** Questions to be refused that were. */
  readonly refusalAccuracy: MeasuredRate
  /** Answerable questions that were refused. */
  readonly falseRefusals: MeasuredRate
  /** Questions to be refused that were answered. */
  readonly falseAcceptances: MeasuredRate
  /** Of these, those without a caution. */
  readonly uncautioned: MeasuredRate
}

/** A figure with its interval, where there is one; `null` where there is no figure. */
export interface Figure {
  readonly value: number | null
  readonly interval?: Interval
}

/** A point of the curve of risk against coverage. */
export interface RiskPoint {
  /** Share of all questions that are answered, 0..1. */
  readonly coverage: number
  /** Share of those answered that should have been refused, 0..1. */
  readonly risk: number
  /** Confidence from which on questions are answered. */
  readonly threshold: number
}

/** What was found. */
export interface Evaluation {
  readonly questions: number
  readonly verdicts: VerdictRates
  readonly byKind: Readonly<Record<string, VerdictRates>>
  readonly byCollection: Readonly<Record<string, VerdictRates>>
  readonly auroc: Figure
  readonly aurc: Figure
  readonly calibrationError: Figure
  /** The best that a threshold could do on these labels: no promise, it was chosen on them. */
  readonly atStatedRisk: OperatingPoint & { readonly risk: number; readonly coverageInterval?: Interval }
  readonly riskCoverage: readonly RiskPoint[]
  readonly reliability: readonly ReliabilityBin[]
  /** Absent without a threshold. */
  readonly sensitivity?: Sensitivity
}

/** Settings of `evaluate`. */
export interface EvaluateOptions {
  /** Share of the questions to be refused that may be answered, 0..1. @default 0.05 */
  readonly risk?: number
  /** Threshold around which the sensitivity is told. @default none */
  readonly threshold?: number
  /** Numbers from 0 up to 1, for intervals that have no formula. */
  readonly random: () => number
}

/** Sums up questions that were judged. The order of the questions changes nothing but the random intervals. */
export function evaluate(judged: readonly JudgedQuestion[], options: EvaluateOptions): Evaluation {
  const { risk = 0.05, threshold, random } = options
  const scored = judged.map(({ confidence: score, answerable }): LabelledScore => ({ score, answerable }))
  const answerable = scored.filter((each) => each.answerable).length
  const both = answerable > 0 && answerable < scored.length
  const area = auroc(scored)
  const figure = (of: (scored: readonly LabelledScore[]) => number): Figure => {
    const interval = both ? bootstrapInterval(scored, of, { random }) : undefined
    return { value: both ? of(scored) : null, ...(interval === undefined ? {} : { interval }) }
  }
  const coverageInterval = both
    ? bootstrapInterval(scored, (drawn) => coverageAtFalseAcceptance(drawn, risk).coverage, { random })
    : undefined
  return {
    questions: judged.length,
    verdicts: verdictRates(judged),
    byKind: apart(judged, ({ kind }) => kind),
    byCollection: apart(judged, ({ collection }) => collection),
    auroc: both
      ? { value: area, interval: aurocInterval(area, answerable, scored.length - answerable) }
      : { value: null },
    aurc: figure(riskCoverageArea),
    calibrationError: figure(calibrationError),
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

/** Risk against coverage, from the highest confidence down. Questions that tie are one point. */
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
