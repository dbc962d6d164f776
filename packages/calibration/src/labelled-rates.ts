/** How often a gate errs, from labels of some of what it decided. */
import { binomialInterval, type Interval } from './binomial-interval.ts'

/** Decisions of one kind, and what was said of some of them. */
export interface LabelledDecisions {
  /** How many there were, labelled or not. */
  readonly decisions: number
  readonly right: number
  readonly wrong: number
}

/** A rate estimated from labels. */
export interface EstimatedRate extends Interval {
  /** 0..1; `null` when one of the two kinds has no labels, though there are decisions of it. */
  readonly rate: number | null
}

/** How often the gate errs, either way. */
export interface ErrorRates {
  /** Share of the answerable questions that are refused. */
  readonly falseRefusals: EstimatedRate
  /** Share of the questions without a right answer that are answered. */
  readonly falseAcceptances: EstimatedRate
}

/** Two intervals that both hold in 95 % of the cases hold singly in 97.5 %. */
const EACH = 0.975

/**
 * Both rates over all decisions. People label refusals and answers at different rates, so each kind's share of errors is
 * measured by itself and weighted by how many decisions of it there were. A wrong refusal was of an answerable question,
 * a wrong answer to one that should have been refused.
 *
 * @returns intervals that cover the true rates in at least 95 % of the cases, as far as those who label are like those who
 *   do not; 0..1 where nothing is known
 */
export function estimateErrorRates(refusals: LabelledDecisions, answers: LabelledDecisions): ErrorRates {
  const [refused, answered] = [errorsOf(refusals), errorsOf(answers)]
  const [most, least] = [refusals.decisions, answers.decisions]
  // Both rates rise with the share of errors of either kind.
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
  if (decisions === 0 && labels === 0) return { rate: 0, low: 0, high: 0 }
  return { rate: labels === 0 ? null : wrong / labels, ...binomialInterval(wrong, labels, EACH) }
}

function share(part: number, rest: number): number {
  return part + rest === 0 ? 0 : part / (part + rest)
}
