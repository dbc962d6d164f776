/** Trade-off of a gate's coverage and risk by threshold. */
import { type LabelledScore, type Tie, tiesOf } from './labelled-score.ts'

/**
 * Area under the risk–coverage curve: questions are answered from the highest score down; after each, the risk is the
 * share of unanswerable questions among those answered, and the area is the mean of these risks. Lower is better. Ties
 * are averaged over all orders, so the order of the input does not matter.
 *
 * @returns 0..1; `NaN` for no questions
 * @see Y. Geifman and R. El-Yaniv, "Selective Classification for Deep Neural Networks", NeurIPS 2017
 */
export function riskCoverageArea(scored: readonly LabelledScore[]): number {
  let answered = 0
  let wrong = 0
  let risks = 0
  for (const { answerable, unanswerable } of tiesOf(scored)) {
    const size = answerable + unanswerable
    for (let taken = 1; taken <= size; taken++) {
      risks += (wrong + (taken * unanswerable) / size) / (answered + taken)
    }
    answered += size
    wrong += unanswerable
  }
  return risks / answered
}

/** Rates at a threshold. */
export interface OperatingPoint {
  /** Questions with at least this score are answered; `Infinity` answers none. */
  readonly threshold: number
  /** Share of the answerable questions that are answered, 0..1. */
  readonly coverage: number
  /** Share of the unanswerable questions that are answered, 0..1. */
  readonly falseAcceptance: number
}

/**
 * The threshold that answers the most answerable questions while at most a given share of the unanswerable ones is
 * answered. Ties are answered together or not at all, as in a gate, and non-finite scores never.
 *
 * @param atMost the given share, 0..1
 * @returns `NaN` rates for a kind without questions
 */
export function coverageAtFalseAcceptance(scored: readonly LabelledScore[], atMost: number): OperatingPoint {
  const ties = tiesOf(scored)
  const total = (kind: 'answerable' | 'unanswerable'): number => ties.reduce((sum, tie) => sum + tie[kind], 0)
  const answerable = total('answerable')
  const unanswerable = total('unanswerable')
  let threshold = Infinity
  let kept = 0
  let wrong = 0
  for (const tie of ties) {
    if (tie.score === -Infinity || !allows(tie, wrong, unanswerable, atMost)) break
    threshold = tie.score
    kept += tie.answerable
    wrong += tie.unanswerable
  }
  return { threshold, coverage: kept / answerable, falseAcceptance: wrong / unanswerable }
}

/** Compared as counts with a tolerance, because a share times a count may be slightly below the exact integer. */
function allows(tie: Tie, wrong: number, unanswerable: number, atMost: number): boolean {
  return wrong + tie.unanswerable <= atMost * unanswerable + 1e-9
}
