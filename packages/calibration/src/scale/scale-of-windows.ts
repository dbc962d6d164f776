/** A collection's scale from what the gate measured of its windows. */
import { meanOf } from 'hono-rag-gate/core/lib'
import {
  deviationsOf,
  deviationsOn,
  type ConfidenceScale,
  type MeaningScale,
  REFUSED_BELOW,
  type ScoreScale,
} from 'hono-rag-gate/core/scale'
import { logOdds } from '../log-odds.ts'

/** What the gate measured for one window. */
export interface ScaleObservation {
  /** What was left out: the window's passage, its whole document, or nothing. */
  readonly leftOut: 'passage' | 'document' | 'nothing'
  /** As the scale reads it (`byLength`), 0..1; `undefined` where the question was refused for itself. */
  readonly confidence: number | undefined
  /** Score of a model that reads meaning, best passage; `undefined` where the index has none. */
  readonly meaning?: number | undefined
}

/** What a scale is learned with beside the windows of five words. */
export interface ScaleOfOptions {
  /** Whole sentences with their scores of meaning. @default none */
  readonly sentences?: readonly ScaleObservation[]
  /** Kind of those scores. @default 'cosine' */
  readonly kind?: string
  /**
   * Confidence below which the policy refuses in most collections of its language, 0..1: the collection's own is held halfway
   * to it. @default the collection is in a language that the policy does not read
   */
  readonly usual?: number
}

/** Confidence at that, by the mean log-odds of eight families of questions (docs/internal/scale.md). */
export const USUAL_REFUSED = 0.84

/** Observations below which there is no scale. */
const LEAST_OBSERVATIONS = 40
/** The same of a score of meaning. */
const LEAST_OF_MEANING = 20
/**
 * The same of a language that the policy does not read, 4 %: words that ask count against its questions there, and stand in
 * no window.
 */
const REFUSED_UNREAD = 1.7507
/** Deviations by which a window's own passage must lift a score of meaning. */
const LEAST_SEPARATION = 1
/**
 * Confidences nearer to 0 or 1 count as this: a passage without any word of the window has about as much, and no passage at
 * all, which is confidence 0, tells no more.
 */
const NEAREST = 0.02
const LEAST_DEVIATION = 0.1
/**
 * Confidence from which nothing is refused: documentation says much of what it says twice, and its windows find more than
 * questions do.
 */
const HIGHEST = logOdds(0.9, NEAREST)

/**
 * Learns a scale from what was observed: JSON, finite numbers only. Pure; the order does not matter.
 *
 * @param observations of windows of five words
 * @returns `undefined` for fewer than 40 observations with text left out
 */
export function scaleOf(
  observations: readonly ScaleObservation[],
  { sentences = [], kind = 'cosine', usual }: ScaleOfOptions = {},
): ConfidenceScale | undefined {
  const absent = observations.filter(isAbsent)
  if (absent.length < LEAST_OBSERVATIONS) return undefined
  const words = heldBetween(scoreScale(absent.map(oddsOf)), usual)
  const meaning = meaningScale(words, observations, sentences, kind)
  return { ...words, ...(meaning && { meaning }) }
}

function isAbsent({ leftOut, confidence }: ScaleObservation): boolean {
  return leftOut !== 'nothing' && Number.isFinite(confidence)
}

function oddsOf({ confidence = 0 }: ScaleObservation): number {
  return logOdds(confidence, NEAREST)
}

/**
 * Moves the scale so that what is refused on it lies halfway from what is usual to what its own windows say: about half of
 * what sets a collection's windows apart is no sign of its questions (docs/internal/scale.md). Nothing is refused above .9.
 */
function heldBetween(scale: ScoreScale, usual: number | undefined): ScoreScale {
  const deviation = Math.max(LEAST_DEVIATION, scale.deviation)
  const own = scale.middle + (usual === undefined ? REFUSED_UNREAD : REFUSED_BELOW) * deviation
  const held = Math.min(HIGHEST, usual === undefined ? own : (own + logOdds(usual, NEAREST)) / 2)
  return { middle: held - REFUSED_BELOW * deviation, deviation }
}

/** Level and spread are those of the sentences; what it has in common with words, of all. */
function meaningScale(
  words: ScoreScale,
  windows: readonly ScaleObservation[],
  sentences: readonly ScaleObservation[],
  kind: string,
): MeaningScale | undefined {
  const absent = scoresOf(sentences.filter(isAbsent))
  const present = scoresOf(sentences.filter(({ leftOut }) => leftOut === 'nothing'))
  if (absent.length < LEAST_OF_MEANING) return undefined
  const scale = scoreScale(absent)
  if (!(deviationsOf(scale, meanOf(present)) >= LEAST_SEPARATION)) return undefined
  const asked = [sentences, windows].map((each) => each.filter((one) => isAbsent(one) && Number.isFinite(one.meaning)))
  const read = asked.flatMap((absentOnes) => {
    const meaning = { ...scoreScale(scoresOf(absentOnes)), charge: 0, kind }
    return absentOnes.flatMap((each) => {
      const odds = oddsOf(each)
      const byBoth = deviationsOn({ ...words, meaning }, odds, each.meaning)
      return Number.isFinite(byBoth) ? [{ byBoth, byWords: deviationsOf(words, odds) }] : []
    })
  })
  const answered = read.filter(({ byWords }) => byWords >= REFUSED_BELOW).length
  const byBoth = read.map((each) => each.byBoth).sort((a, b) => b - a)
  const at = Math.max(1, answered)
  // Where words alone answer all of them, nothing more could be.
  const next = byBoth[at] ?? -Infinity
  return { kind, ...scale, charge: Math.max(0, (byBoth[at - 1]! + next) / 2 - REFUSED_BELOW) }
}

function scoresOf(observations: readonly ScaleObservation[]): readonly number[] {
  return observations.flatMap(({ meaning }) => (Number.isFinite(meaning) ? [meaning!] : []))
}

/** Median, and the deviation that a normal distribution of this mean distance from it has: a few far ones count little. */
function scoreScale(scores: readonly number[]): ScoreScale {
  const sorted = [...scores].sort((a, b) => a - b)
  const half = sorted.length / 2
  const middle = (sorted[Math.ceil(half) - 1]! + sorted[Math.floor(half)]!) / 2
  return { middle, deviation: Math.sqrt(Math.PI / 2) * meanOf(sorted.map((score) => Math.abs(score - middle))) }
}
