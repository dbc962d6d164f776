/** The service's own fusion of a dense and a sparse ranking, in float32. */
import { BoundedTop, type ScoredRow } from './scan.ts'

/** How two rankings become one. */
export type FusionAlgorithm = 'RRF' | 'DBSF'

/**
 * Fuses rankings into one; a row in several of them has the sum.
 *
 * @param rankings each best first
 * @returns at most `topK` rows, best first, ties in insertion order
 */
export function fuseRankings(
  rankings: readonly (readonly ScoredRow[])[],
  algorithm: FusionAlgorithm,
  topK: number,
): readonly ScoredRow[] {
  const sums = new Map<number, number>()
  for (const ranking of rankings) {
    for (const { slot, score } of algorithm === 'RRF' ? reciprocalRanks(ranking) : distributionScores(ranking)) {
      sums.set(slot, Math.fround((sums.get(slot) ?? 0) + score))
    }
  }
  const best = new BoundedTop(topK)
  for (const [slot, score] of sums) best.offer(slot, score)
  return best.sorted()
}

/** 1 / (60 + rank), ranks from 0: two firsts make 0.033333335. */
function reciprocalRanks(ranking: readonly ScoredRow[]): readonly ScoredRow[] {
  return ranking.map(({ slot }, rank) => ({ slot, score: Math.fround(1 / (60 + rank)) }))
}

/** Place of each score between three sample deviations below and above the mean; .5 when they do not spread. */
function distributionScores(ranking: readonly ScoredRow[]): readonly ScoredRow[] {
  const count = ranking.length
  const mean = ranking.reduce((sum, { score }) => sum + score, 0) / count
  const variance = ranking.reduce((sum, { score }) => sum + (score - mean) ** 2, 0) / (count - 1)
  const low = Math.fround(mean - 3 * Math.sqrt(variance))
  const span = Math.fround(Math.fround(mean + 3 * Math.sqrt(variance)) - low)
  const spread = count > 1 && span > 0
  return ranking.map(({ slot, score }) => ({
    slot,
    score: spread ? Math.fround(Math.fround(score - low) / span) : 0.5,
  }))
}
