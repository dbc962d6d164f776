import type { ScoredChunk } from './ranking-score.ts'

/**
 * The best ranking score: how confident is the best match?
 *
 * @returns in the units of that score; 0 when no chunk carries one
 * @see the specification of weighted-signals, "Top Score"
 */
export function topScore([top]: readonly ScoredChunk[]): number {
  return top?.score ?? 0
}
