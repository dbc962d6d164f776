/** Calibrates a policy to guarantee a stated risk on a collection, from labelled questions. */
import { RagGateError } from 'hono-rag-gate/errors'
import { meanOf, meets, RATIO_TOLERANCE } from 'hono-rag-gate/core/lib'
import { confidenceRangeGate, settingsOf } from 'hono-rag-gate/core/gates'
import {
  type ConfidenceSettings,
  confidenceOf,
  definePolicy,
  judge,
  type Policy,
  unscaled,
} from 'hono-rag-gate/core/policy'
import type { Signals } from 'hono-rag-gate/core/signals'
import { adjustedLogOdds, adjustedModel, type Adjustment } from './adjusted-confidence.ts'
import { logOdds } from './log-odds.ts'
import { fitAdjustment, type LabelledSignals } from './fit-adjustment.ts'
import { foldsOf } from './folds.ts'
import { withThreshold } from './gate-threshold.ts'
import { type MeasuredRate, measuredRate } from './measured-rate.ts'
import { hasReaderScores, recordedMeasure } from './recorded-measures.ts'
import { lacksSignal } from './replay-decisions.ts'
import { lowestSafeConfidence } from './safe-confidence.ts'
import { labelsNeeded, lowestSafeThreshold, mostAllowed, type Promised, upperBound } from './safe-threshold.ts'

/** A labelled question, with its signals as measured in the collection. */
export interface CalibrationLabel {
  readonly signals: Signals
  readonly answerable: boolean
  /** Labels of one group, such as the same question or article, are never in both training and test data of a fold. */
  readonly group: string
}

/** Options of `calibratePolicy`. */
export interface CalibrateOptions {
  /** Name of the new policy: lower-case letters, digits and hyphens. */
  readonly name: string
  /** Share of the unanswerable questions that may be answered, even with a caution; 0..1 exclusive. @default 0.05 */
  readonly risk?: number
  /** Share of them that may be answered without a caution, above 0, to `risk`. @default half of `risk` */
  readonly cautionRisk?: number
  /** Confidence level of both guarantees, .5 to below 1, or `average`: see `Promised`. @default 0.9 */
  readonly certainty?: Promised['certainty']
  /**
   * What is fitted: `weights` fits an adjustment of the general confidence and the thresholds; `thresholds` only those.
   * Fitting lexical weights to a collection does not improve the ranking (docs/internal/calibration-measured.md), so
   * weights are only fitted for scores of a reranker, which the general confidence does not use. In a cascade,
   * questions that skipped the reranker keep their general confidence.
   *
   * @default 'weights' with such scores for at least 20 labels of each kind, in several groups, else 'thresholds'
   */
  readonly fit?: 'weights' | 'thresholds'
  /** Strength of the prior around the general weights, above 0. @default 20 */
  readonly strength?: number
  /** Description of the labels' origin, for the provenance of the fitted confidence. @default '' */
  readonly about?: string
}

/** The guarantee of one threshold. */
export interface ThresholdPromise extends Promised {
  readonly threshold: number
  /** Unanswerable questions among the labels that are answered at this threshold. */
  readonly falseAcceptances: MeasuredRate
  /** Upper bound of the rate at level .9, 0..1: above `risk` if that is guaranteed on average or at a lower level. */
  readonly atMost: number
}

/** Result of a calibration. */
export type Calibration =
  | {
      readonly kind: 'too-few-labels'
      /** Number of labelled unanswerable questions, and the number that the guarantee needs. */
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
      /** Absent if there are too few labels for it: then `adviseBelow` has no guarantee of its own. */
      readonly caution?: ThresholdPromise
      /** Confidence from which answers carry no caution. */
      readonly adviseBelow: number
      /** Answerable questions among the labels that are answered; empty if none was labelled. */
      readonly coverage: MeasuredRate
      readonly labels: { readonly answerable: number; readonly unanswerable: number }
      readonly statement: string
    }

/** Thresholds are multiples of this. */
const STEP = 0.0001
const FOLDS = 5
const RANGE = confidenceRangeGate.name
/** Confidence level of the rates reported beside a guarantee. */
const SURE = 0.9
/** Minimum number of labels of each kind with reranker scores for fitting weights. */
const FEWEST_TO_FIT = 20

/**
 * Calibrates a policy to labels. Thresholds are chosen by `lowestSafeConfidence` on the general confidence; with fitted
 * weights by `lowestSafeThreshold`, on cross-fitted confidences (each from a fit without the question's group), while
 * the policy gets the fit over all labels. With too few labels nothing is fitted, and the result states how many are
 * needed.
 *
 * The guarantee only holds for questions of the kind that was labelled, drawn in the same way, each independently: a
 * question that is labelled twice counts as two.
 *
 * The collection's learned scale is not used, because labels are more informative.
 *
 * @param given a general policy with the gate `confidence-range`, such as `balanced()`; it is not changed
 * @throws `config_invalid` if an option is out of range, labels lack a signal that the policy needs, or the policy has no
 *   such gate, does not judge every question by it, or is already calibrated; `policy_invalid` for an invalid name
 */
export function calibratePolicy(
  given: Policy,
  labelled: readonly CalibrationLabel[],
  options: CalibrateOptions,
): Calibration {
  const settings = checked(options)
  const { risk, cautionRisk, certainty } = settings
  const policy = generalPolicy(given)
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
  const incomplete = labelled.filter(({ signals }) => lacksSignal(policy, signals)).length
  if (incomplete > 0) {
    const problem = `${incomplete} of ${labelled.length} labels lack a signal that the policy needs: measure them again`
    throw new RagGateError('config_invalid', problem, { param: 'signals' })
  }
  const read = labelled.filter(({ signals }) => hasReaderScores(signals))
  const readAnswerable = read.filter((label) => label.answerable).length
  const enough = Math.min(readAnswerable, read.length - readAnswerable) >= FEWEST_TO_FIT
  const measured = labelled.map((label) => ({
    ...label,
    // Without evidence a question is refused at every threshold.
    general: label.signals.chunkCount > 0 ? confidenceOf(policy.confidence, label.signals) : NaN,
  }))
  const wanted = settings.fit ?? (enough ? 'weights' : 'thresholds')
  const fittable = wanted === 'weights' && Math.min(answerable, unanswerable) > 0
  const crossed = fittable ? crossFitted(measured, settings.strength) : undefined
  if (settings.fit === 'weights' && crossed === undefined) {
    throw new RagGateError('config_invalid', 'Weights need labels of both kinds, in several groups', { param: 'fit' })
  }
  const fit = crossed === undefined ? 'thresholds' : 'weights'
  const scores = crossed ?? measured.map(({ general }) => general)
  const refusable = scores.filter((_, at) => !labelled[at]!.answerable)
  // With fitted weights the bound is empirical, not proved, so the stricter threshold is used.
  const lowest = fit === 'weights' ? lowestSafeThreshold : lowestSafeConfidence
  const refuseBelow = lowest(refusable, { risk, certainty, step: STEP })
  if (refuseBelow === undefined || refuseBelow >= 1) {
    return {
      kind: 'no-threshold',
      statement: `No threshold keeps false acceptances at ${percent(risk)} ${certaintyText(certainty)}: these questions look like answerable ones`,
    }
  }
  const cautionBelow = lowest(refusable, { risk: cautionRisk, certainty, step: STEP })
  const highest = Math.max(0, ...refusable.filter(Number.isFinite))
  // Without a guarantee, a caution is kept up to the confidence of the highest unanswerable question, inclusive.
  const aboveHighest = (Math.floor((highest + RATIO_TOLERANCE) / STEP) + 1) * STEP
  const adviseBelow = Math.max(refuseBelow, Math.min(1, cautionBelow ?? aboveHighest))
  const adjusted = fit === 'weights' ? fitted(policy, measured, settings) : policy
  // Refused at every threshold: by gates about the question, or for lack of evidence.
  const open = withThreshold(policy, RANGE, 0)
  const judgeable = labelled.map(({ signals }) => judge(open, signals).verdict !== 'refuse')
  const answered = (kind: boolean, threshold: number): MeasuredRate => {
    const isAnswered = (at: number): boolean => judgeable[at]! && meets(scores[at]!, threshold, RATIO_TOLERANCE)
    const those = labelled.flatMap((label, at) => (label.answerable === kind ? [isAnswered(at)] : []))
    return measuredRate(those.filter(Boolean).length, those.length)
  }
  const promise = (threshold: number, stated: number): ThresholdPromise => ({
    threshold,
    risk: stated,
    certainty,
    falseAcceptances: answered(false, threshold),
    atMost: rateWithCertainty({ risk: stated, certainty }, refusable.length),
  })
  return {
    kind: 'calibrated',
    policy: named(adjusted, settings.name, refuseBelow, Number(adviseBelow.toFixed(6))),
    fit,
    refuse: promise(refuseBelow, risk),
    ...(cautionBelow === undefined ? {} : { caution: promise(adviseBelow, cautionRisk) }),
    adviseBelow: Number(adviseBelow.toFixed(6)),
    coverage: answered(true, refuseBelow),
    labels: { answerable, unanswerable },
    statement: `Of questions like the ${unanswerable} labelled ones to be refused, at most ${percent(risk)} are answered, ${certaintyText(certainty)}${fit === 'weights' ? '; measured by cross-validation, not proved' : ''}`,
  }
}

/**
 * Upper bound of the rate at confidence level .9: the risk itself if it was guaranteed at that level; otherwise
 * computed as if one more were accepted, because the threshold may lie between two labels. The allowed number is fixed
 * before the scores are seen, so the bound holds for any distribution.
 */
function rateWithCertainty({ risk, certainty }: Promised, labels: number): number {
  if (certainty !== 'average' && certainty >= SURE) return risk
  const allowed = mostAllowed(labels, { risk, certainty })
  return upperBound(certainty === 'average' ? allowed : allowed + 1, labels, SURE)
}

type Settings = Required<Omit<CalibrateOptions, 'fit'>> & Pick<CalibrateOptions, 'fit'>
type Measured = CalibrationLabel & LabelledSignals

/** The policy without its scale, checked to be general and to refuse every question below its threshold. */
function generalPolicy(given: Policy): Policy {
  const policy = definePolicy({ ...given, confidence: unscaled(given.confidence) })
  const invalid = (problem: string): RagGateError => new RagGateError('config_invalid', problem, { param: 'policy' })
  if (policy.confidence.settings.kind === 'adjusted') {
    throw invalid('Calibrate the general policy, not one that is calibrated')
  }
  if (policy.dangerouslyDisableGates || settingsOf(confidenceRangeGate, policy.gates)?.whereGraded === 'skipped') {
    throw invalid('Calibrate a policy that judges every question by its confidence')
  }
  return policy
}

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
 * Cross-fitted confidences: each question's weights were fitted without its group. Without general confidences of both kinds
 * there are no weights, and these are the general ones. The folds' intercepts are aligned at the mean measures of the fit over
 * all labels, since otherwise each fold would have its own scale, and a common threshold would cut each differently.
 *
 * @returns `undefined` if all questions of a kind are in one fold, so that nothing can be fitted without it
 */
function crossFitted(measured: readonly Measured[], strength: number): readonly number[] | undefined {
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
    if (weights === undefined) return undefined
    const moved = centre.reduce((sum, [name, mean]) => sum + (all.weights[name]! - weights[name]!) * mean, 0)
    return { ...all, intercept: all.intercept + moved, weights }
  })
  const scores = measured.map(({ signals, general }, at) => {
    const adjustment = fits[fold[at]!]
    return adjustment && 1 / (1 + Math.exp(-adjustedLogOdds(logOdds(general), adjustment, signals)))
  })
  return scores.every((score) => score !== undefined) ? scores : undefined
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

/** Sets thresholds, and bands to match, so that refusals are never cached longer than answers. */
function named(policy: Policy, name: string, refuseBelow: number, adviseBelow: number): Policy {
  const moved = withThreshold(policy, RANGE, refuseBelow)
  const gates = moved.gates.map(({ gate, settings }) =>
    gate.name === RANGE ? { gate, settings: { ...settings, adviseBelow } } : { gate, settings },
  )
  const high = Math.max(policy.bands.high, adviseBelow)
  const confidence = { ...policy.confidence, settings: asCalibrated(policy.confidence.settings) }
  return definePolicy({ ...moved, name, confidence, gates, bands: { high, medium: adviseBelow, low: refuseBelow } })
}

/** Marks a confidence that records whether it is calibrated as calibrated. */
function asCalibrated(settings: ConfidenceSettings): ConfidenceSettings {
  if ('calibrated' in settings) return { ...settings, calibrated: true } as ConfidenceSettings
  if (!('of' in settings)) return settings
  // The confidence of the parts is itself a confidence.
  return { ...settings, of: asCalibrated(settings.of as ConfidenceSettings) } as ConfidenceSettings
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
