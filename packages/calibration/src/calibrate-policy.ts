/** A policy that keeps a stated promise on a collection, from labelled questions of it. */
import { RagGateError } from 'hono-rag-gate/errors'
import { meanOf, meets, RATIO_TOLERANCE } from 'hono-rag-gate/core/lib'
import { type ConfidenceSettings, confidenceOf, definePolicy, type Policy, unscaled } from 'hono-rag-gate/core/policy'
import type { Signals } from 'hono-rag-gate/core/signals'
import { adjustedLogOdds, adjustedModel, type Adjustment } from './adjusted-confidence.ts'
import { logOdds } from './log-odds.ts'
import { fitAdjustment, type LabelledSignals } from './fit-adjustment.ts'
import { foldsOf } from './folds.ts'
import { withThreshold } from './gate-threshold.ts'
import { type MeasuredRate, measuredRate } from './measured-rate.ts'
import { hasReaderScores, recordedMeasure } from './recorded-measures.ts'
import { lowestSafeConfidence } from './safe-confidence.ts'
import { labelsNeeded, lowestSafeThreshold, mostAllowed, type Promised, upperBound } from './safe-threshold.ts'

/** A labelled question of the collection, as it was measured there. */
export interface CalibrationLabel {
  readonly signals: Signals
  readonly answerable: boolean
  /** Labels of one group are never on both sides of a fit: the same question, or the same article. */
  readonly group: string
}

/** Settings of `calibratePolicy`. */
export interface CalibrateOptions {
  /** Name of the new policy: lower-case letters, digits and hyphens. */
  readonly name: string
  /** Share of the questions to be refused that may be answered, with or without a caution; above 0, below 1. @default 0.05 */
  readonly risk?: number
  /** Share of them that may be answered without a caution, above 0, to `risk`. @default half of `risk` */
  readonly cautionRisk?: number
  /** How sure one must be of each of the two, .5 to below 1, or `average`: see `Promised`. @default 0.9 */
  readonly certainty?: Promised['certainty']
  /**
   * What is fitted: `weights`, the confidence around the general weights and the thresholds; `thresholds` alone. Words
   * alone are ranked no better by weights of a collection's own (docs/internal/calibration-measured.md), so they are fitted where
   * a reranker or a grading model gave scores that the general confidence knows nothing of, and then of those scores
   * alone. In a cascade questions that were not sent to it keep their general confidence.
   *
   * @default 'weights' with such scores for 20 labels and up of each kind, else 'thresholds'
   */
  readonly fit?: 'weights' | 'thresholds'
  /** How firmly the general weights hold, above 0. @default 20 */
  readonly strength?: number
  /** From where the labels are, in words: joins the provenance of the fitted confidence. @default '' */
  readonly about?: string
}

/** What one threshold promises. */
export interface ThresholdPromise extends Promised {
  readonly threshold: number
  /** Questions to be refused that got through at it, among the labels. */
  readonly falseAcceptances: MeasuredRate
  /** What the rate is under with certainty .9, 0..1: above `risk` where that is promised on average, or with less. */
  readonly atMost: number
}

/** What calibrating came to. */
export type Calibration =
  | {
      readonly kind: 'too-few-labels'
      /** Questions to be refused: how many there are, and how many the promise takes. */
      readonly labels: number
      readonly needed: number
      readonly statement: string
    }
  | { readonly kind: 'no-threshold'; readonly statement: string }
  | {
      readonly kind: 'calibrated'
      readonly policy: Policy
      readonly fit: 'weights' | 'thresholds'
      readonly refuse: ThresholdPromise
      /** Absent where the labels are too few for it: then every answer at or above the threshold below has no promise of its own. */
      readonly caution?: ThresholdPromise
      /** From which confidence on answers carry no caution. */
      readonly adviseBelow: number
      /** Answerable questions that are answered, among the labels; none where only others were labelled. */
      readonly coverage: MeasuredRate
      readonly labels: { readonly answerable: number; readonly unanswerable: number }
      readonly statement: string
    }

/** Thresholds are multiples of it: as fine as a confidence is worth reading. */
const STEP = 0.0001
const FOLDS = 5
/** How sure one can be of what stands beside a promise. */
const SURE = 0.9
/** Labels of each kind whose passages were read, below which weights are not fitted. */
const FEWEST_TO_FIT = 20

/**
 * Fits a policy to labels. Thresholds are found on the general confidence by `lowestSafeConfidence`; or, with weights, on
 * confidences that each question got from a fit without its group, by `lowestSafeThreshold`: the policy has the fit over
 * all labels. With too few labels nothing is fitted:
 * how many are needed is said instead.
 *
 * The promise holds for questions of the kind that was labelled, asked as the labelled ones were drawn, and no other.
 *
 * A collection's own scale has no part in it: labels say more.
 *
 * @param given a general one with the gate `confidence-range`, such as `balanced()`; it is not changed
 * @throws `config_invalid` when an option is out of range, the policy has no such gate, or is a calibrated one;
 *   `policy_invalid` for a name that is none
 */
export function calibratePolicy(
  given: Policy,
  labelled: readonly CalibrationLabel[],
  options: CalibrateOptions,
): Calibration {
  const settings = checked(options)
  const { risk, cautionRisk, certainty } = settings
  const policy = definePolicy({ ...given, confidence: unscaled(given.confidence) })
  if (policy.confidence.settings.kind === 'adjusted') {
    throw new RagGateError('config_invalid', 'Calibrate the general policy, not one that is calibrated', {
      param: 'policy',
    })
  }
  const unanswerable = labelled.filter(({ answerable }) => !answerable).length
  const answerable = labelled.length - unanswerable
  const needed = labelsNeeded(risk, certainty)
  if (unanswerable < needed) {
    return {
      kind: 'too-few-labels',
      labels: unanswerable,
      needed,
      statement: `Too few labels: ${unanswerable} questions to be refused, ${needed} needed to promise ${percent(risk)} ${certaintyText(certainty)}`,
    }
  }
  const read = labelled.filter(({ signals }) => hasReaderScores(signals))
  const readAnswerable = read.filter((label) => label.answerable).length
  const enough = Math.min(readAnswerable, read.length - readAnswerable) >= FEWEST_TO_FIT
  const fit = settings.fit ?? (enough ? 'weights' : 'thresholds')
  if (fit === 'weights' && Math.min(answerable, unanswerable) < 1) {
    throw new RagGateError('config_invalid', 'Weights need labels of both kinds', { param: 'fit' })
  }
  const measured = labelled.map((label) => ({
    ...label,
    general: confidenceOf(policy.confidence, label.signals),
  }))
  const scores = fit === 'weights' ? crossFitted(measured, settings.strength) : measured.map(({ general }) => general)
  const refusable = scores.filter((_, at) => !labelled[at]!.answerable)
  // For fitted weights the bound is measured, not proved: the safer of the two thresholds.
  const lowest = fit === 'weights' ? lowestSafeThreshold : lowestSafeConfidence
  const refuseBelow = lowest(refusable, { risk, certainty, step: STEP })
  if (refuseBelow === undefined || refuseBelow >= 1) {
    return {
      kind: 'no-threshold',
      statement: `No threshold keeps false acceptances at ${percent(risk)} ${certaintyText(certainty)}: these questions look like answerable ones`,
    }
  }
  const cautionBelow = lowest(refusable, { risk: cautionRisk, certainty, step: STEP })
  const highest = Math.max(refuseBelow, ...refusable.filter(Number.isFinite))
  // Without a promise, a caution is kept for what is no better than the best question to be refused.
  const adviseBelow = Math.max(refuseBelow, Math.min(1, cautionBelow ?? Math.ceil(highest / STEP) * STEP))
  const adjusted = fit === 'weights' ? fitted(policy, measured, settings) : policy
  const promise = (threshold: number, stated: number): ThresholdPromise => ({
    threshold,
    risk: stated,
    certainty,
    falseAcceptances: measuredRate(countPassing(refusable, threshold), refusable.length),
    atMost: rateWithCertainty({ risk: stated, certainty }, refusable.length),
  })
  const asked = scores.filter((_, at) => labelled[at]!.answerable)
  const coverage = measuredRate(countPassing(asked, refuseBelow), asked.length)
  return {
    kind: 'calibrated',
    policy: named(adjusted, settings.name, refuseBelow, Number(adviseBelow.toFixed(6))),
    fit,
    refuse: promise(refuseBelow, risk),
    ...(cautionBelow === undefined ? {} : { caution: promise(adviseBelow, cautionRisk) }),
    adviseBelow: Number(adviseBelow.toFixed(6)),
    coverage,
    labels: { answerable, unanswerable },
    statement: `Of questions like the ${unanswerable} labelled ones to be refused, at most ${percent(risk)} are answered, ${certaintyText(certainty)}`,
  }
}

/**
 * What the rate is under with certainty .9: the risk where that was promised; else, as with one more let through where the
 * threshold may lie between two labels. How many may get through was settled before the scores were seen, so that it holds
 * for any values.
 */
function rateWithCertainty({ risk, certainty }: Promised, labels: number): number {
  if (certainty !== 'average' && certainty >= SURE) return risk
  const allowed = mostAllowed(labels, { risk, certainty })
  return upperBound(certainty === 'average' ? allowed : allowed + 1, labels, SURE)
}

type Settings = Required<Omit<CalibrateOptions, 'fit'>> & Pick<CalibrateOptions, 'fit'>
type Measured = CalibrationLabel & LabelledSignals

function checked(options: CalibrateOptions): Settings {
  const { risk = 0.05, certainty = 0.9, strength = 20, about = '' } = options
  const { cautionRisk = risk / 2 } = options
  const within = cautionRisk > 0 && cautionRisk <= risk && risk < 1 && isCertainty(certainty)
  if (!within || !(strength > 0 && Number.isFinite(strength))) {
    throw new RagGateError('config_invalid', 'risk, cautionRisk, certainty or strength is out of range', {
      param: 'risk',
    })
  }
  return { ...options, risk, cautionRisk, certainty, strength, about }
}

/**
 * The confidence of each question by weights that were fitted without its group; that of the general model where nothing
 * can be fitted. Where the weights of the folds pull is held against one common centre, that of the fit over all labels:
 * otherwise the folds would stand on scales of their own, and one threshold would cut each elsewhere.
 */
function crossFitted(measured: readonly Measured[], strength: number): number[] {
  const all = adjustmentOf(measured, strength)
  if (all === undefined) return measured.map(({ general }) => general)
  const usable = measured.filter(({ general }) => Number.isFinite(general))
  const weighed = all.unread === undefined ? usable : usable.filter(({ signals }) => hasReaderScores(signals))
  const centre = Object.keys(all.weights).map((name) => {
    return [name, meanOf(weighed.map(({ signals }) => recordedMeasure(signals, name)))] as const
  })
  const fold = foldsOf(
    measured.map(({ group }) => group),
    FOLDS,
  )
  const fits = Array.from({ length: FOLDS }, (_, part) => {
    const weights = adjustmentOf(
      measured.filter((__, at) => fold[at] !== part),
      strength,
      Object.keys(all.weights),
    )?.weights
    if (weights === undefined) return all
    const moved = centre.reduce((sum, [name, mean]) => sum + (all.weights[name]! - weights[name]!) * mean, 0)
    return { ...all, intercept: all.intercept + moved, weights }
  })
  return measured.map(({ signals, general }, at) => {
    return 1 / (1 + Math.exp(-adjustedLogOdds(logOdds(general), fits[fold[at]!]!, signals)))
  })
}

/** `undefined` without questions of both kinds that have a general confidence. */
function adjustmentOf(
  measured: readonly Measured[],
  strength: number,
  names?: readonly string[],
): Adjustment | undefined {
  const usable = measured.filter(({ general }) => Number.isFinite(general))
  const kinds = new Set(usable.map(({ answerable }) => answerable))
  if (kinds.size < 2) return undefined
  return fitAdjustment(usable, { strength, ...(names === undefined ? {} : { measures: names }) })
}

function fitted(policy: Policy, measured: readonly Measured[], { strength, about }: Settings): Policy {
  const adjustment = adjustmentOf(measured, strength)
  if (adjustment === undefined) return policy
  const provenance = `${measured.length} labels; prior of strength ${strength} around ${policy.id}${about === '' ? '' : `; ${about}`}`
  const rounded = (value: number): number => Number(value.toFixed(6))
  const settings = {
    kind: 'adjusted' as const,
    base: policy.confidence.settings,
    intercept: rounded(adjustment.intercept),
    weights: Object.fromEntries(Object.entries(adjustment.weights).map(([name, weight]) => [name, rounded(weight)])),
    ...(adjustment.unread === undefined ? {} : { unread: adjustment.unread }),
    provenance,
  }
  const model = adjustedModel([policy.confidence.model])
  return definePolicy({ ...policy, confidence: { model, settings } })
}

/** Bands follow the thresholds, so that what is refused is never kept longer than what is answered. */
function named(policy: Policy, name: string, refuseBelow: number, adviseBelow: number): Policy {
  const moved = withThreshold(policy, 'confidence-range', refuseBelow)
  const gates = moved.gates.map(({ gate, settings }) =>
    gate.name === 'confidence-range' ? { gate, settings: { ...settings, adviseBelow } } : { gate, settings },
  )
  const high = Math.max(policy.bands.high, adviseBelow)
  const confidence = { ...policy.confidence, settings: asCalibrated(policy.confidence.settings) }
  return definePolicy({ ...moved, name, confidence, gates, bands: { high, medium: adviseBelow, low: refuseBelow } })
}

/** A confidence that says whether it is calibrated is so from now on. */
function asCalibrated(settings: ConfidenceSettings): ConfidenceSettings {
  if ('calibrated' in settings) return { ...settings, calibrated: true } as ConfidenceSettings
  if (!('of' in settings)) return settings
  // What is asked of parts is a confidence again.
  return { ...settings, of: asCalibrated(settings.of as ConfidenceSettings) } as ConfidenceSettings
}

function countPassing(scores: readonly number[], threshold: number): number {
  return scores.filter((score) => meets(score, threshold, RATIO_TOLERANCE)).length
}

function isCertainty(certainty: Promised['certainty']): boolean {
  return certainty === 'average' || (certainty >= 0.5 && certainty < 1)
}

function certaintyText(certainty: Promised['certainty']): string {
  return certainty === 'average' ? 'on average' : `with certainty ${certainty}`
}

function percent(share: number): string {
  return `${Number((share * 100).toFixed(4))} %`
}
