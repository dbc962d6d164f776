/** Fits what labels of a collection add to a general confidence. */
import type { Signals } from '../signals/measure.ts'
import { type Adjustment, logOdds } from './adjusted-confidence.ts'
import { type Example, fitLogistic } from './logistic-fit.ts'
import { measuresOfAll, recordedMeasure } from './recorded-measures.ts'

/** A question that was measured, and its label. */
export interface LabelledSignals {
  readonly signals: Signals
  /** By the general confidence, 0..1. */
  readonly general: number
  readonly answerable: boolean
}

/** Settings of `fitAdjustment`. */
export interface AdjustmentOptions {
  /**
   * How firmly the general weights hold, above 0: the inverse variance of a Gaussian prior around them, on standardised
   * numbers.
   *
   * @default 20
   */
  readonly strength?: number
  /** Which recorded numbers may take part. @default all that every question has */
  readonly measures?: readonly string[]
}

/**
 * The adjustment that is likeliest after these labels, when weights are expected to be the general ones. Both kinds of
 * label count alike, whatever their numbers. The intercept is free.
 *
 * @param labelled questions of both kinds, each with a finite general confidence
 */
export function fitAdjustment(
  labelled: readonly LabelledSignals[],
  { strength = 20, measures = measuresOfAll(labelled.map(({ signals }) => signals)) }: AdjustmentOptions = {},
): Adjustment {
  const answerable = labelled.filter((each) => each.answerable).length
  const examples = labelled.map((each): Example => ({
    features: measures.map((name) => recordedMeasure(each.signals, name)),
    label: each.answerable ? 1 : 0,
    weight: 1 / (each.answerable ? answerable : labelled.length - answerable),
    offset: logOdds(each.general),
  }))
  // The fit takes the mean loss, so the prior counts as one label among all.
  const { intercept, coefficients } = fitLogistic(examples, { l2: strength / labelled.length })
  return { intercept, weights: Object.fromEntries(measures.map((name, at) => [name, coefficients[at]!])) }
}
