/** Fits what labels of a collection add to a general confidence. */
import type { Signals } from 'hono-rag-gate/core/signals'
import type { Adjustment } from './adjusted-confidence.ts'
import { logOdds } from './log-odds.ts'
import { type Example, fitLogistic } from './logistic-fit.ts'
import { hasReaderScores, measuresOfAll, measuresOfReaders, recordedMeasure } from './recorded-measures.ts'

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
  /**
   * Which recorded numbers may take part.
   *
   * @default those of what read the passages, where anything did; else all that every question has
   */
  readonly measures?: readonly string[]
}

/**
 * The adjustment that is likeliest after these labels, when weights are expected to be the general ones. Both kinds of
 * label count alike, for any numbers. The intercept is free.
 *
 * Where a reader scored the passages of some questions and not of others, its numbers count for those alone, and stand
 * against the general confidence of the rest: both are fitted at once, and moved so that the rest stays where it is.
 *
 * @param labelled questions of both kinds, each with a finite general confidence
 */
export function fitAdjustment(labelled: readonly LabelledSignals[], options: AdjustmentOptions = {}): Adjustment {
  const all = labelled.map(({ signals }) => signals)
  const ofReaders = measuresOfReaders(all)
  const { strength = 20, measures = ofReaders.length > 0 ? ofReaders : measuresOfAll(all) } = options
  const isCascade = ofReaders.length > 0 && !all.every(hasReaderScores)
  const features = (signals: Signals): number[] => {
    const numbers = measures.map((name) => recordedMeasure(signals, name))
    if (!isCascade) return numbers
    return hasReaderScores(signals) ? [1, ...numbers] : [0, ...measures.map(() => 0)]
  }
  const answerable = labelled.filter((each) => each.answerable).length
  const examples = labelled.map((each): Example => ({
    features: features(each.signals),
    label: each.answerable ? 1 : 0,
    weight: 1 / (each.answerable ? answerable : labelled.length - answerable),
    offset: logOdds(each.general),
  }))
  // The fit takes the mean loss, so the prior counts as one label among all.
  const { intercept, coefficients } = fitLogistic(examples, { l2: strength / labelled.length })
  const [ofRead, fitted] = isCascade ? [coefficients[0]!, coefficients.slice(1)] : [intercept, coefficients]
  return {
    // Only differences count beside thresholds that are found afterwards: what is unread has none.
    intercept: ofRead,
    weights: Object.fromEntries(measures.map((name, at) => [name, fitted[at]!])),
    ...(isCascade ? { unread: 'general' as const } : {}),
  }
}
