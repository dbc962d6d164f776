/** The service's fusion of a dense and a sparse ranking, in float32. */
import { distributionScores, reciprocalRanks, RRF_K } from 'hono-rag-gate/core/lib'
import { BoundedTop, type ScoredRow } from './best.ts'

/** Fusion algorithm. */
export type FusionAlgorithm = 'RRF' | 'DBSF'

/**
 * Fuses rankings; a row in several of them gets the sum of its scores.
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
    const scores = ranking.map(({ score }) => score)
    // Ranks start at 0: first in both rankings gives 0.033333335.
    const worths =
      algorithm === 'RRF' ? reciprocalRanks(scores.length, RRF_K, 0) : distributionScores(scores, Math.fround)
    ranking.forEach(({ position }, at) => {
      sums.set(position, Math.fround((sums.get(position) ?? 0) + Math.fround(worths[at]!)))
    })
  }
  const best = new BoundedTop(topK)
  for (const [position, score] of sums) best.offer(position, score)
  return best.sorted()
}
