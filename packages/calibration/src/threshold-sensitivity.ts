/** Shows how much the rates depend on the exact threshold. */
import { RagGateError } from 'hono-rag-gate/errors'
import { meets, RATIO_TOLERANCE } from 'hono-rag-gate/core/lib'
import type { LabelledScore } from './labelled-score.ts'
import { type MeasuredRate, measuredRate } from './measured-rate.ts'

/** Settings of `thresholdSensitivity`. */
export interface SensitivityOptions {
  /** Range around the threshold, above 0. @default 0.1 */
  readonly reach?: number
  /** Distance between thresholds, above 0. @default 0.01 */
  readonly step?: number
}

/** Rates at one threshold. */
export interface SensitivityPoint {
  readonly threshold: number
  /** Refused questions among all. */
  readonly refusals: MeasuredRate
  /** Refused questions among the answerable ones. */
  readonly falseRefusals: MeasuredRate
  /** Answered questions among the unanswerable ones. */
  readonly falseAcceptances: MeasuredRate
}

/** Rates around a threshold. */
export interface Sensitivity {
  /** By ascending threshold, with the given one in the middle. */
  readonly points: readonly SensitivityPoint[]
  /** The step with the largest change, as a share of all questions, from this threshold. Absent without labels. */
  readonly steepest?: { readonly from: number; readonly to: number; readonly change: number }
}

const MOST_POINTS = 2001

/**
 * Refusal rate, false refusals and false acceptances around a threshold. Equality passes, as in the gates; a non-finite
 * score is refused at every threshold.
 *
 * @throws `config_invalid` if an option is out of range, or there would be more than 2001 points
 * @see the specification of multi-gate, "Threshold sensitivity"
 */
export function thresholdSensitivity(
  scored: readonly LabelledScore[],
  threshold: number,
  options: SensitivityOptions = {},
): Sensitivity {
  const { reach = 0.1, step = 0.01 } = options
  // Tolerance, because reach / step may be slightly below the exact integer.
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
    // `NaN` without labels, which compares as false.
    const change = (point.refusals.hits - before.refusals.hits) / point.refusals.labels
    if (change > (steepest?.change ?? -1)) steepest = { from: before.threshold, to: point.threshold, change }
  })
  return steepest === undefined ? {} : { steepest }
}
