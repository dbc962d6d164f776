/** What a place in a ranking is worth, before several rankings are added up. */

/** Constant of reciprocal rank fusion: the larger, the less a first place counts before a tenth. */
export const RRF_K = 60

/**
 * The worth of successive places by reciprocal rank fusion: 1 / (k + rank).
 *
 * @param count places, whole, 0 and up
 * @param k finite, 0 and up
 * @param firstRank rank of the best, 0 or 1; `k + firstRank` is above 0
 * @see Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion Outperforms Condorcet and Individual Rank Learning
 *   Methods", SIGIR 2009
 */
export function reciprocalRanks(count: number, k: number, firstRank: 0 | 1): readonly number[] {
  return Array.from({ length: count }, (_, at) => 1 / (k + firstRank + at))
}

/** In each direction from the mean, so many deviations are the scale. */
const DEVIATIONS = 3

/**
 * The worth of scores by distribution-based fusion: where each lies between three sample deviations below and above
 * their mean. Most lie within 0..1; one that stands out among eleven or more may lie beyond. .5 for scores that do not
 * spread, a single one too.
 *
 * @param round rounds every step, for float32 (`Math.fround`) @default as it is
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
  // Equal scores may miss their own mean by rounding, and scores near the largest number have no finite span.
  const spread = scores.some((score) => score !== scores[0]) && span > 0 && Number.isFinite(span)
  return scores.map((score) => (spread ? round(round(score - low) / span) : 0.5))
}
