/** A collection's scale from what the gate measured of its windows. */
import { meanOf } from 'hono-rag-gate/core/lib'
import {
  deviationsOf,
  deviationsOn,
  type ConfidenceScale,
  type MeaningScale,
  type ScoreScale,
} from 'hono-rag-gate/core/scale'
import { logOdds } from './log-odds.ts'

/** What the gate measured for one window. */
export interface ScaleObservation {
  /** What was left out: the window's passage, its whole document, or nothing. */
  readonly leftOut: 'passage' | 'document' | 'nothing'
  /** 0..1; `undefined` where the question was refused for itself. */
  readonly confidence: number | undefined
  /** Score of a model that reads meaning, best passage; `undefined` where the index has none. */
  readonly meaning?: number | undefined
}

/**
 * Deviations below which a question is refused: 5.5 % of a normal distribution lie above. Measured in
 * docs/internal/scale.md.
 */
export const REFUSED_BELOW = 1.5982

/** Observations below which there is no scale. */
const LEAST_OBSERVATIONS = 40
/** The same of a score of meaning. */
const LEAST_OF_MEANING = 20
/**
 * Confidence from which nothing is refused: documentation says much of what it says twice, and its windows find more than
 * questions do.
 */
const HIGHEST_REFUSED = 0.8
/** Deviations by which a window's own passage must lift a score of meaning. */
const LEAST_SEPARATION = 1
/** Log-odds of confidences as near 0 or 1 as this differ by rounding. */
const NEAREST = 1e-4
const LEAST_DEVIATION = 0.1

/**
 * Learns a scale from what was observed: JSON, finite numbers only. Pure; the order does not matter.
 *
 * @param observations of windows of five words
 * @param longer of windows of eight words, with their scores of meaning
 * @param kind what those scores are
 * @returns `undefined` for fewer than 40 observations with text left out
 */
export function scaleOf(
  observations: readonly ScaleObservation[],
  longer: readonly ScaleObservation[] = [],
  kind = 'cosine',
): ConfidenceScale | undefined {
  const absent = observations.filter(isAbsent)
  if (absent.length < LEAST_OBSERVATIONS) return undefined
  const words = belowCeiling(scoreScale(absent.map(oddsOf)))
  const meaning = meaningScale(words, observations, longer, kind)
  return { ...words, ...(meaning && { meaning }) }
}

function isAbsent({ leftOut, confidence }: ScaleObservation): boolean {
  return leftOut !== 'nothing' && confidence !== undefined && Number.isFinite(confidence)
}

function oddsOf({ confidence = 0 }: ScaleObservation): number {
  return logOdds(confidence, NEAREST)
}

function belowCeiling(scale: ScoreScale): ScoreScale {
  const deviation = Math.max(LEAST_DEVIATION, scale.deviation)
  return {
    middle: Math.min(scale.middle, logOdds(HIGHEST_REFUSED, NEAREST) - REFUSED_BELOW * deviation),
    deviation,
  }
}

/** Level and spread are those of the longer windows; what it has in common with words, of all. */
function meaningScale(
  words: ScoreScale,
  shorter: readonly ScaleObservation[],
  longer: readonly ScaleObservation[],
  kind: string,
): MeaningScale | undefined {
  const absent = scoresOf(longer.filter(isAbsent))
  const present = scoresOf(longer.filter(({ leftOut }) => leftOut === 'nothing'))
  if (absent.length < LEAST_OF_MEANING) return undefined
  const scale = scoreScale(absent)
  if (!(deviationsOf(scale, meanOf(present)) >= LEAST_SEPARATION)) return undefined
  const pairs = [longer, shorter].flatMap((windows) => {
    const both = windows.filter((each) => isAbsent(each) && scoresOf([each]).length > 0)
    const own = { ...scoreScale(scoresOf(both)), charge: 0, kind }
    return both.map((each) => ({
      byWords: deviationsOf(words, oddsOf(each)),
      byBoth: deviationsOn({ ...words, meaning: own }, oddsOf(each), each.meaning),
    }))
  })
  const answered = pairs.filter(({ byWords }) => byWords >= REFUSED_BELOW).length
  const byBoth = pairs
    .map((pair) => pair.byBoth)
    .filter(Number.isFinite)
    .sort((a, b) => b - a)
  const at = Math.max(1, answered)
  return { kind, ...scale, charge: Math.max(0, (byBoth[at - 1]! + byBoth[at]!) / 2 - REFUSED_BELOW) }
}

function scoresOf(observations: readonly ScaleObservation[]): readonly number[] {
  return observations.flatMap(({ meaning }) => (meaning !== undefined && Number.isFinite(meaning) ? [meaning] : []))
}

/** Median, and the deviation that a normal distribution of this mean distance from it has: a few far ones count little. */
function scoreScale(scores: readonly number[]): ScoreScale {
  const sorted = [...scores].sort((a, b) => a - b)
  const half = sorted.length / 2
  const middle = (sorted[Math.ceil(half) - 1]! + sorted[Math.floor(half)]!) / 2
  return { middle, deviation: Math.sqrt(Math.PI / 2) * meanOf(sorted.map((score) => Math.abs(score - middle))) }
}
