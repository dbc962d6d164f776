/** Computes a collection's scale from the gate's measurements of its windows. */
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

/** The gate's measurements of one window. */
export interface ScaleObservation {
  /** What was left out: the window's passage, its whole document, or nothing. */
  readonly leftOut: 'passage' | 'document' | 'nothing'
  /** As the scale uses it (`byLength`), 0..1; `undefined` if the question itself was refused. */
  readonly confidence: number | undefined
  /** Best passage's score by a semantic model; `undefined` if the index has none. */
  readonly meaning?: number | undefined
}

/** Further input besides the windows of five words. */
export interface ScaleOfOptions {
  /** Observations of whole sentences, with their semantic scores. @default none */
  readonly sentences?: readonly ScaleObservation[]
  /** Kind of the semantic scores. @default 'cosine' */
  readonly kind?: string
  /**
   * Confidence below which the policy refuses in most collections of its language, 0..1; the collection's own value is
   * averaged with it. @default the collection is in a language that the policy does not support
   */
  readonly usual?: number
}

/** The usual value, from the mean log-odds over eight families of questions (docs/internal/scale.md). */
export const USUAL_REFUSED = 0.84

/** Minimum number of windows for a scale. Observations are not counted: of a large document each window has only one. */
const LEAST_WINDOWS = 20
/** Minimum number of sentences for a semantic scale. */
const LEAST_SENTENCES = 10
/**
 * Threshold in deviations, for 4 %, in a language that the policy does not support: interrogative words count against
 * questions there, but do not occur in windows.
 */
const REFUSED_UNREAD = 1.7507
/** Minimum number of deviations by which a window's own passage must raise a semantic score. */
const LEAST_SEPARATION = 1
/**
 * Distance from 0 and 1 to which confidences are clamped: a passage without any word of the window has about this
 * confidence, and no passage at all (confidence 0) carries no more information.
 */
const NEAREST = 0.02
const LEAST_DEVIATION = 0.1
/**
 * Log-odds of the confidence from which nothing is refused: documentation repeats itself, so that its windows find more
 * than questions do.
 */
const HIGHEST = logOdds(0.9, NEAREST)

/**
 * Computes a scale from observations; JSON with finite numbers. Pure, and independent of their order.
 *
 * @param observations of windows of five words
 * @returns `undefined` for fewer than 20 windows with their passage left out
 */
export function scaleOf(
  observations: readonly ScaleObservation[],
  { sentences = [], kind = 'cosine', usual }: ScaleOfOptions = {},
): ConfidenceScale | undefined {
  const absent = observations.filter(isAbsent)
  if (windowsOf(absent) < LEAST_WINDOWS) return undefined
  const words = heldBetween(scoreScale(absent.map(oddsOf)), usual)
  const meaning = meaningScale(words, observations, sentences, kind)
  return { ...words, ...(meaning && { meaning }) }
}

function windowsOf(observations: readonly ScaleObservation[]): number {
  return observations.filter(({ leftOut }) => leftOut === 'passage').length
}

function isAbsent({ leftOut, confidence }: ScaleObservation): boolean {
  return leftOut !== 'nothing' && Number.isFinite(confidence)
}

function oddsOf({ confidence = 0 }: ScaleObservation): number {
  return logOdds(confidence, NEAREST)
}

/**
 * Moves the scale so that its refusal threshold is halfway between the usual one and that of its own windows: about
 * half of what distinguishes a collection's windows does not show in its questions (docs/internal/scale.md). At most
 * .9.
 */
function heldBetween(scale: ScoreScale, usual: number | undefined): ScoreScale {
  const deviation = Math.max(LEAST_DEVIATION, scale.deviation)
  const own = scale.middle + (usual === undefined ? REFUSED_UNREAD : REFUSED_BELOW) * deviation
  const held = Math.min(HIGHEST, usual === undefined ? own : (own + logOdds(usual, NEAREST)) / 2)
  return { middle: held - REFUSED_BELOW * deviation, deviation }
}

/** Median and deviation are those of the sentences; the joint charge is computed from sentences and windows. */
function meaningScale(
  words: ScoreScale,
  windows: readonly ScaleObservation[],
  sentences: readonly ScaleObservation[],
  kind: string,
): MeaningScale | undefined {
  const asked = [sentences, windows].map((each) => each.filter((one) => isAbsent(one) && Number.isFinite(one.meaning)))
  const absent = asked[0]!
  const present = scoresOf(sentences.filter(({ leftOut }) => leftOut === 'nothing'))
  if (windowsOf(absent) < LEAST_SENTENCES) return undefined
  const scale = scoreScale(scoresOf(absent))
  if (!(deviationsOf(scale, meanOf(present)) >= LEAST_SEPARATION)) return undefined
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
  // If the words alone answer all of them, there is no next one.
  const next = byBoth[at] ?? -Infinity
  return { kind, ...scale, charge: Math.max(0, (byBoth[at - 1]! + next) / 2 - REFUSED_BELOW) }
}

function scoresOf(observations: readonly ScaleObservation[]): readonly number[] {
  return observations.flatMap(({ meaning }) => (Number.isFinite(meaning) ? [meaning!] : []))
}

/** Median, and a robust deviation: that of a normal distribution with the same mean absolute deviation. */
function scoreScale(scores: readonly number[]): ScoreScale {
  const sorted = [...scores].sort((a, b) => a - b)
  const half = sorted.length / 2
  const middle = (sorted[Math.ceil(half) - 1]! + sorted[Math.floor(half)]!) / 2
  return { middle, deviation: Math.sqrt(Math.PI / 2) * meanOf(sorted.map((score) => Math.abs(score - middle))) }
}
