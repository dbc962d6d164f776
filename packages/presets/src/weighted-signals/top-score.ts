import type { ScoredChunk } from './ranking-score.ts'

/**
 * The best ranking score.
 *
 * @returns in the unit of that score; 0 if no chunk carries one
 * @see the specification of weighted-signals, "Top Score"
 */
export function topScore([top]: readonly ScoredChunk[]): number {
  return top?.score ?? 0
}
