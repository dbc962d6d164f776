/** Fits the adjustment of a general confidence to a collection's labels. */
import type { Signals } from 'hono-rag-gate/core/signals'
import type { Adjustment } from './adjusted-confidence.ts'
import { logOdds } from './log-odds.ts'
import { type Example, fitLogistic } from './logistic-fit.ts'
import { hasReaderScores, measuresOfAll, measuresOfReaders, recordedMeasure } from './recorded-measures.ts'

/** A labelled question with its signals. */
export interface LabelledSignals {
  readonly signals: Signals
  /** The general confidence, 0..1. */
  readonly general: number
  readonly answerable: boolean
}

/** Settings of `fitAdjustment`. */
export interface AdjustmentOptions {
  /**
   * Strength of the prior around the general weights, above 0: the inverse variance of a Gaussian prior, on
   * standardised measures.
   *
   * @default 20
   */
  readonly strength?: number
  /**
   * Names of the recorded measures to use.
   *
   * @default those of a reranker or grader if there are any; else all that every question has
   */
  readonly measures?: readonly string[]
}

/**
 * The maximum a posteriori adjustment given the labels, with a prior centred on the general weights. Both kinds of
 * label have the same total weight, whatever their numbers. The intercept has no prior.
 *
 * If a reranker scored only some of the questions, its measures apply to those alone, and the others keep their general
 * confidence: both are fitted together, and shifted so that the others are unchanged.
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
  // The fit minimises the mean loss, so the prior is divided by the number of labels.
  const { intercept, coefficients } = fitLogistic(examples, { l2: strength / labelled.length })
  const [ofRead, fitted] = isCascade ? [coefficients[0]!, coefficients.slice(1)] : [intercept, coefficients]
  return {
    // Thresholds are chosen afterwards, so only differences matter; unscored questions get no adjustment.
    intercept: ofRead,
    weights: Object.fromEntries(measures.map((name, at) => [name, fitted[at]!])),
    ...(isCascade ? { unread: 'general' as const } : {}),
  }
}
