/** How much hangs on the exact threshold. */
import { RagGateError } from 'hono-rag-gate/errors'
import { meets, RATIO_TOLERANCE } from 'hono-rag-gate/core/lib'
import type { LabelledScore } from './labelled-score.ts'
import { type MeasuredRate, measuredRate } from './measured-rate.ts'

/** Settings of `thresholdSensitivity`. */
export interface SensitivityOptions {
  /** How far around the threshold is looked, above 0. @default 0.1 */
  readonly reach?: number
  /** Distance of two thresholds, above 0. @default 0.01 */
  readonly step?: number
}

/** What one threshold would do. */
export interface SensitivityPoint {
  readonly threshold: number
  /** Questions refused, of all. */
  readonly refusals: MeasuredRate
  /** Answerable questions refused. */
  readonly falseRefusals: MeasuredRate
  /** Unanswerable questions answered. */
  readonly falseAcceptances: MeasuredRate
}

/** The curve around a threshold. */
export interface Sensitivity {
  /** Rising thresholds, the one asked about in the middle. */
  readonly points: readonly SensitivityPoint[]
  /** Where one step changes most: from this threshold to the next, by so much of all questions. Absent without labels. */
  readonly steepest?: { readonly from: number; readonly to: number; readonly change: number }
}

const MOST_POINTS = 2001

/**
 * Refusal rate, false refusals and false acceptances around a threshold. Equality passes, as in the gates; a score that
 * is no number is refused at every threshold.
 *
 * @throws `config_invalid` when an option is out of range, or there would be more than 2001 points
 * @see the specification of multi-gate, "Threshold sensitivity"
 */
export function thresholdSensitivity(
  scored: readonly LabelledScore[],
  threshold: number,
  options: SensitivityOptions = {},
): Sensitivity {
  const { reach = 0.1, step = 0.01 } = options
  // Slack, so that a reach of ten steps is ten steps.
  const steps = Math.floor(reach / step + RATIO_TOLERANCE)
  if (!(Number.isFinite(threshold) && step > 0 && steps >= 1 && 2 * steps < MOST_POINTS)) {
    throw new RagGateError('config_invalid', 'reach must hold 1 to 1000 steps', { param: 'reach' })
  }
  const points = Array.from({ length: 2 * steps + 1 }, (_, at) =>
    pointAt(scored, Number((threshold + (at - steps) * step).toFixed(9))),
  )
  return { points, ...steepestOf(points) }
}

function pointAt(scored: readonly LabelledScore[], threshold: number): SensitivityPoint {
  const count = { refused: 0, answerable: 0, answerableRefused: 0 }
  for (const { score, answerable } of scored) {
    const refused = !meets(score, threshold, RATIO_TOLERANCE)
    if (refused) count.refused++
    if (answerable) count.answerable++
    if (refused && answerable) count.answerableRefused++
  }
  const unanswerable = scored.length - count.answerable
  const unanswerableRefused = count.refused - count.answerableRefused
  return {
    threshold,
    refusals: measuredRate(count.refused, scored.length),
    falseRefusals: measuredRate(count.answerableRefused, count.answerable),
    falseAcceptances: measuredRate(unanswerable - unanswerableRefused, unanswerable),
  }
}

function steepestOf(points: readonly SensitivityPoint[]): Pick<Sensitivity, 'steepest'> {
  let steepest: Sensitivity['steepest']
  points.slice(1).forEach((point, at) => {
    const before = points[at]!
    // Not a number without labels, and so above nothing.
    const change = (point.refusals.hits - before.refusals.hits) / point.refusals.labels
    if (change > (steepest?.change ?? -1)) steepest = { from: before.threshold, to: point.threshold, change }
  })
  return steepest === undefined ? {} : { steepest }
}
