import { type LabelledScore, tiesOf } from './labelled-score.ts'

/**
 * Area under the ROC curve: the probability that an answerable question scores higher than an unanswerable one, with
 * ties counting half.
 *
 * @returns 0..1, .5 for uninformative scores; `NaN` without questions of both kinds
 * @see J. A. Hanley and B. J. McNeil, "The meaning and use of the area under a receiver operating characteristic (ROC)
 *   curve", Radiology 143(1), 1982
 */
export function auroc(scored: readonly LabelledScore[]): number {
  let answerable = 0
  let unanswerable = 0
  // Correctly ordered pairs, counted twice so that a tie counts as a whole number.
  let ordered = 0
  for (const tie of tiesOf(scored)) {
    ordered += tie.unanswerable * (2 * answerable + tie.answerable)
    answerable += tie.answerable
    unanswerable += tie.unanswerable
  }
  return ordered / (2 * answerable * unanswerable)
}
