/** A collection's own scale: the distribution of scores of text that is not in it. */
import { recordedNumber } from '../lib/numbers.ts'

/** Distribution of a score over windows whose passage was left out. */
export interface ScoreScale {
  /** Median. */
  readonly middle: number
  /** Standard deviation, above 0. */
  readonly deviation: number
}

/** Scale of a score of meaning in a collection. */
export interface MeaningScale extends ScoreScale {
  /** Kind of the score, such as `cosine`; it is the best passage's. */
  readonly kind: string
  /** Deviations subtracted so that no more windows pass than with words only; 0 and up. */
  readonly charge: number
}

/** Distribution of the confidence, in log-odds, for questions that the collection cannot answer. */
export interface ConfidenceScale extends ScoreScale {
  /** Absent if there are no useful scores of meaning. */
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
 * Adjusts log-odds for the length of the question: raised by .4 per e-fold of distinct terms, because of more terms any
 * passage contains a smaller share. Also applied to windows.
 *
 * @param terms number of distinct terms; the result is `NaN` if a record lacks it
 */
export function byLength(odds: number, terms?: number): number {
  // Without terms this is `NaN`.
  return odds + 0.4 * Math.log(terms!)
}

/** Deviations subtracted when words and meaning are added. */
const BESIDE_WORDS = 1

/**
 * Deviations of a question above the median of what the collection cannot answer. Words and meaning can each support a
 * question alone.
 *
 * @param odds confidence in log-odds (`byLength`)
 * @param score score of meaning of the best passage; `undefined` if there is none
 * @param lacking deviations by which pieces of the question are below the whole in words, subtracted from the score of
 *   meaning, which is for the whole only. @default 0
 * @returns `NaN` for a damaged scale, in a record or store
 */
export function deviationsOn(scale: ConfidenceScale, odds: number, score?: number, lacking = 0): number {
  const byWords = deviationsOf(scale, odds)
  const { meaning } = scale
  if (!meaning || score === undefined) return byWords
  const byMeaning = deviationsOf(meaning, score) - lacking
  return Math.max(byWords, byMeaning, byWords + byMeaning - BESIDE_WORDS) - recordedNumber(meaning.charge)
}

/** Deviations of a score above the median; `NaN` for a damaged scale. */
export function deviationsOf({ middle, deviation }: ScoreScale, score: number): number {
  return recordedNumber(deviation) > 0 ? (score - recordedNumber(middle)) / deviation : NaN
}
