/** A collection's own scale: how often something that is not in it reaches a score. */
import { logOdds, shareOf } from '../lib/log-odds.ts'
import { deviationsOfTail, normalTail } from '../lib/normal-tail.ts'
import { meanOf } from '../lib/statistics.ts'

/** What the gate measured for one window. */
export interface ScaleObservation {
  /** What was left out: the window's passage, its whole document, or nothing. */
  readonly leftOut: 'passage' | 'document' | 'nothing'
  /** 0..1; `undefined` where the question was refused for itself. */
  readonly confidence: number | undefined
  /** Score of a model that reads meaning, best passage; `undefined` where the index has none. */
  readonly meaning?: number | undefined
}

/** How a score of windows whose text was left out is distributed. */
export interface ScoreScale {
  /** Median. */
  readonly middle: number
  /** Standard deviation, estimated from the mean distance to the median. */
  readonly deviation: number
}

/** What a score of meaning is worth in a collection. */
export interface MeaningScale extends ScoreScale {
  /** How far a window's own passage lifts the score, in deviations. */
  readonly separation: number
  /** Taken off the surprise of questions to which the score may add, so that no more windows are answered than by words. */
  readonly charge: number
}

/** A collection's scale. JSON, finite numbers only. */
export interface Scale {
  readonly kind: 'scale'
  /** Observations with text left out. */
  readonly observations: number
  /** Of the confidence, in log-odds. */
  readonly words: ScoreScale
  /** Absent where there is no such score, or it does not separate. */
  readonly meaning?: MeaningScale
}

/** A collection that has no scale of its own: fixed thresholds stay. */
export interface NoScale {
  readonly kind: 'none'
  readonly reason: 'too-few-windows'
  readonly observations: number
}

/** What is read on a scale. */
export interface ScaleReading {
  /** Confidence of the policy, 0..1. */
  readonly confidence: number
  /** Score of meaning of the best passage. */
  readonly meaning?: number | undefined
  /** Parts of the question: the score of meaning is one of the whole, and carries no question of several parts. */
  readonly parts?: number
}

/** Share of windows above which a question is refused: measured in docs/scale.md. */
export const REFUSED_TAIL = 0.055
/** Share of windows above which an answer carries a caution. */
export const ADVISED_TAIL = 0.02

/** Observations below which there is no scale. */
const LEAST_OBSERVATIONS = 40
/**
 * Confidence from which nothing is refused: documentation says much of what it says twice, and its windows find more than
 * questions do.
 */
const HIGHEST_REFUSED = 0.8
/** A score of meaning that a window's own passage lifts by less does not separate. */
const LEAST_SEPARATION = 0.5
/** Share of windows that a score of meaning must be beyond before it counts. */
const MEANING_FROM = 0.2
/** Log-odds of confidences as near 0 or 1 as this differ by rounding. */
const NEAREST = 1e-4
const LEAST_DEVIATION = 0.1

/**
 * Learns a scale from what was observed. Pure; the order does not matter.
 *
 * @param observations of windows of five words
 * @param longer of windows of eight words, with their scores of meaning
 */
export function scaleOf(
  observations: readonly ScaleObservation[],
  longer: readonly ScaleObservation[] = [],
): Scale | NoScale {
  const scale = scaleOfWords(observations)
  if (scale.kind === 'none') return scale
  const meaning = meaningScale(scale.words, longer)
  return meaning === undefined ? scale : { ...scale, meaning }
}

/** The scale of the confidence alone. @param observations of windows of five words */
export function scaleOfWords(observations: readonly ScaleObservation[]): Scale | NoScale {
  const absent = observations.filter((each) => each.leftOut !== 'nothing' && isMeasured(each))
  if (absent.length < LEAST_OBSERVATIONS) {
    return { kind: 'none', reason: 'too-few-windows', observations: absent.length }
  }
  const words = belowCeiling(scoreScale(absent.map(({ confidence = 0 }) => logOdds(confidence, NEAREST))))
  return { kind: 'scale', observations: absent.length, words }
}

/**
 * Share of windows without an answer that reach what was read: 1 says nothing, .01 one in a hundred. Words and meaning
 * speak for a question each by itself; what only one of them supports need not be supported by the other.
 *
 * @returns 0..1; 1 when the confidence is no number
 */
export function tailOf({ words, meaning }: Scale, { confidence, meaning: score, parts = 1 }: ScaleReading): number {
  if (Number.isNaN(confidence)) return 1
  const surprise = surpriseOf(words, logOdds(confidence, NEAREST))
  if (meaning === undefined || score === undefined || !Number.isFinite(score) || parts > 1) return Math.exp(-surprise)
  return Math.min(1, Math.exp(meaning.charge - surprise - surpriseBeyond(meaning, score)))
}

/** The confidence that a share of windows reaches by words alone. @param tail above 0, below 1 */
export function confidenceAtTail({ words: { middle, deviation } }: Scale, tail: number): number {
  return shareOf(middle + deviationsOfTail(tail) * deviation)
}

function isMeasured({ confidence }: ScaleObservation): boolean {
  return confidence !== undefined && Number.isFinite(confidence)
}

function belowCeiling(scale: ScoreScale): ScoreScale {
  const deviation = Math.max(LEAST_DEVIATION, scale.deviation)
  return {
    middle: Math.min(scale.middle, logOdds(HIGHEST_REFUSED, NEAREST) - deviationsOfTail(REFUSED_TAIL) * deviation),
    deviation,
  }
}

function meaningScale(words: ScoreScale, observations: readonly ScaleObservation[]): MeaningScale | undefined {
  const both = observations.flatMap((observed) => {
    const { leftOut, confidence = 0, meaning } = observed
    if (leftOut === 'nothing' || !isMeasured(observed) || meaning === undefined) return []
    return Number.isFinite(meaning) ? [{ confidence, meaning }] : []
  })
  const present = observations.flatMap(({ leftOut, meaning }) =>
    leftOut === 'nothing' && meaning !== undefined && Number.isFinite(meaning) ? [meaning] : [],
  )
  if (both.length < LEAST_OBSERVATIONS || present.length < LEAST_OBSERVATIONS / 2) return undefined
  const scale = scoreScale(both.map(({ meaning }) => meaning))
  const separation = scale.deviation > 0 ? (meanOf(present) - scale.middle) / scale.deviation : 0
  if (!(separation >= LEAST_SEPARATION)) return undefined
  const byWords = both.map(({ confidence }) => surpriseOf(words, logOdds(confidence, NEAREST)))
  const byBoth = both.map(({ meaning }, at) => byWords[at]! + surpriseBeyond(scale, meaning)).sort((a, b) => b - a)
  const needed = -Math.log(REFUSED_TAIL)
  const answered = byWords.filter((surprise) => surprise >= needed).length
  // As many windows are answered by both as by words alone, at least the share that is meant.
  const kept = Math.max(answered, Math.round(REFUSED_TAIL * both.length))
  const limit = (byBoth[kept - 1]! + (byBoth[kept] ?? 0)) / 2
  return { ...scale, separation, charge: Math.max(0, limit - needed) }
}

/** Median, and the deviation that a normal distribution of this mean distance from it has: a few far ones count little. */
function scoreScale(scores: readonly number[]): ScoreScale {
  const sorted = [...scores].sort((a, b) => a - b)
  const half = sorted.length / 2
  const middle = (sorted[Math.ceil(half) - 1]! + sorted[Math.floor(half)]!) / 2
  return { middle, deviation: Math.sqrt(Math.PI / 2) * meanOf(sorted.map((score) => Math.abs(score - middle))) }
}

function surpriseOf({ middle, deviation }: ScoreScale, score: number): number {
  return -Math.log(Math.max(Number.MIN_VALUE, normalTail((score - middle) / deviation)))
}

function surpriseBeyond(scale: ScoreScale, score: number): number {
  return Math.max(0, surpriseOf(scale, score) + Math.log(MEANING_FROM))
}
