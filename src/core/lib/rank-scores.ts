/** Values of places in a ranking, for adding up several rankings. */

/** Constant of reciprocal rank fusion; the larger, the smaller the advantage of top ranks. */
export const RRF_K = 60

/**
 * Values of successive places in reciprocal rank fusion: 1 / (k + rank).
 *
 * @param count number of places, 0 and up
 * @param k finite, 0 and up
 * @param firstRank rank of the best, 0 or 1; `k + firstRank` is above 0
 * @see Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion Outperforms Condorcet and Individual Rank Learning
 *   Methods", SIGIR 2009
 */
export function reciprocalRanks(count: number, k: number, firstRank: 0 | 1): readonly number[] {
  return Array.from({ length: count }, (_, at) => 1 / (k + firstRank + at))
}

/** The scale extends this many deviations in each direction from the mean. */
const DEVIATIONS = 3

/**
 * Values of scores in distribution-based fusion: the position of each between three sample deviations below and above their
 * mean. Most are within 0..1; an outlier among eleven or more may be beyond. .5 if all scores are equal, or there is only one.
 *
 * @param round rounds every step, for float32 (`Math.fround`) @default no rounding
 * @see Mazzeschi, "Distribution-Based Score Fusion (DBSF), a new approach to Vector Search Ranking", 2023
 */
export function distributionScores(
  scores: readonly number[],
  round: (x: number) => number = (x) => x,
): readonly number[] {
  const count = scores.length
  const mean = scores.reduce((sum, score) => sum + score, 0) / count
  const deviation = Math.sqrt(scores.reduce((sum, score) => sum + (score - mean) ** 2, 0) / (count - 1))
  const low = round(mean - DEVIATIONS * deviation)
  const span = round(round(mean + DEVIATIONS * deviation) - low)
  // The mean of equal scores may differ from them by rounding, and scores near the largest number have no finite span.
  const spread = scores.some((score) => score !== scores[0]) && span > 0 && Number.isFinite(span)
  return scores.map((score) => (spread ? round(round(score - low) / span) : 0.5))
}
