/** A collection's own scale: where scores lie of what is not in it. */
import { recordedNumber } from '../lib/numbers.ts'

/** How a score of windows whose text was left out is distributed. */
export interface ScoreScale {
  /** Median. */
  readonly middle: number
  /** Standard deviation, above 0. */
  readonly deviation: number
}

/** What a score of meaning is worth in a collection. */
export interface MeaningScale extends ScoreScale {
  /** Kind of score that it is of, such as `cosine`: that of the best passage. */
  readonly kind: string
  /** Deviations taken off, so that no more windows are answered than by words alone; 0 and up. */
  readonly charge: number
}

/** How the confidence is distributed, in log-odds, where a collection has no answer. */
export interface ConfidenceScale extends ScoreScale {
  /** Absent where scores of meaning tell nothing. */
  readonly meaning?: MeaningScale
}

/**
 * Deviations below which a question is refused: 2.5 % of a normal distribution lie above. Measured in
 * docs/internal/scale.md.
 */
export const REFUSED_BELOW = 1.96

/** @param share 0..1; 0 and 1 give infinities */
export function logOdds(share: number): number {
  return Math.log(share / (1 - share))
}

/**
 * Log-odds as a scale reads them: higher by .4 as the distinct terms of the question grow e-fold, for the more it has, the
 * less of them any passage holds. Windows are read so too.
 *
 * @param terms `NaN` where a record is without them
 */
export function byLength(odds: number, terms = NaN): number {
  return odds + 0.4 * Math.log(terms)
}

/** Deviations that a score of meaning must be beyond before it counts beside words. */
const BESIDE_WORDS = 1

/**
 * How many deviations above what the collection cannot answer a question lies. Words and meaning speak for it each by
 * itself; what only one of them supports need not be supported by the other.
 *
 * @param odds confidence in log-odds (`byLength`)
 * @param score of the best passage, of the kind that `meaning` is of; `undefined` where there is none
 * @param lacking deviations by which pieces of the question fall short of the whole in words: a score of the whole does not
 *   speak for them. @default 0
 * @returns `NaN` for a scale that is damaged, in a record or in a store
 */
export function deviationsOn(scale: ConfidenceScale, odds: number, score?: number, lacking = 0): number {
  const byWords = deviationsOf(scale, odds)
  const { meaning } = scale
  if (!meaning || score === undefined) return byWords
  const byMeaning = deviationsOf(meaning, score) - lacking
  return Math.max(byWords, byMeaning, byWords + byMeaning - BESIDE_WORDS) - recordedNumber(meaning.charge)
}

/** How many deviations above the middle a score lies; `NaN` for a scale that is damaged. */
export function deviationsOf({ middle, deviation }: ScoreScale, score: number): number {
  return recordedNumber(deviation) > 0 ? (score - recordedNumber(middle)) / deviation : NaN
}
