import type { ScoredChunk } from './ranking-score.ts'

/**
 * Difference between the best and the second ranking score.
 *
 * @returns 0 and up; 0 with fewer than two scored chunks
 * @see the specification of weighted-signals, "Score Gap"
 */
export function scoreGap([top, second]: readonly ScoredChunk[]): number {
  return top === undefined || second === undefined ? 0 : Math.min(top.score - second.score, Number.MAX_VALUE)
}
