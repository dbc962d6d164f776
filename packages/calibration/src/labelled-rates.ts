/** Estimates a gate's error rates from labels of some of its decisions. */
import { binomialInterval, type Interval } from './binomial-interval.ts'

/** Decisions of one kind, some of them labelled. */
export interface LabelledDecisions {
  /** Total number, labelled or not. */
  readonly decisions: number
  readonly right: number
  readonly wrong: number
}

/** A rate estimated from labels. */
export interface EstimatedRate extends Interval {
  /** 0..1; `null` if one of the two kinds has decisions but no labels. */
  readonly rate: number | null
}

/** Both error rates of the gate. */
export interface ErrorRates {
  /** Share of the answerable questions that are refused. */
  readonly falseRefusals: EstimatedRate
  /** Share of the unanswerable questions that are answered. */
  readonly falseAcceptances: EstimatedRate
}

/** Two intervals that shall hold jointly in 95 % of cases have 97.5 % each (Bonferroni). */
const EACH = 0.975

/**
 * Estimates both rates over all decisions. Refusals and answers are labelled at different rates, so the share of errors
 * is estimated for each kind and weighted by its number of decisions. A wrong refusal means that the question was
 * answerable, a wrong answer that it was not.
 *
 * @returns intervals that cover the true rates in at least 95 % of cases, if the labelled decisions are representative;
 *   wide without labels, 0 without decisions
 */
export function estimateErrorRates(refusals: LabelledDecisions, answers: LabelledDecisions): ErrorRates {
  const [refused, answered] = [errorsOf(refusals), errorsOf(answers)]
  const [most, least] = [refusals.decisions, answers.decisions]
  // Both rates increase with the share of errors of either kind.
  const falseRefusals = (wrongRefusals: number, wrongAnswers: number): number =>
    share(most * wrongRefusals, least * (1 - wrongAnswers))
  const falseAcceptances = (wrongRefusals: number, wrongAnswers: number): number =>
    share(least * wrongAnswers, most * (1 - wrongRefusals))
  const estimate = (rate: (wrongRefusals: number, wrongAnswers: number) => number): EstimatedRate => ({
    rate: refused.rate === null || answered.rate === null ? null : rate(refused.rate, answered.rate),
    low: rate(refused.low, answered.low),
    high: rate(refused.high, answered.high),
  })
  return { falseRefusals: estimate(falseRefusals), falseAcceptances: estimate(falseAcceptances) }
}

function errorsOf({ decisions, right, wrong }: LabelledDecisions): EstimatedRate {
  const labels = right + wrong
  if (decisions === 0) return { rate: 0, low: 0, high: 0 }
  return { rate: labels === 0 ? null : wrong / labels, ...binomialInterval(wrong, labels, EACH) }
}

function share(part: number, rest: number): number {
  return part + rest === 0 ? 0 : part / (part + rest)
}
