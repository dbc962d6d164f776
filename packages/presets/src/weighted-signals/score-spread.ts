import { populationDeviation } from '@hono-rag-gate/calibration/correlation'
import type { ScoredChunk } from './ranking-score.ts'

/**
 * Population standard deviation of the ranking scores.
 *
 * @returns 0 and up; 0 with fewer than two scored chunks
 * @see the specification of weighted-signals, "Score Spread"
 */
export function scoreSpread(scored: readonly ScoredChunk[]): number {
  return populationDeviation(scored.map(({ score }) => score))
}
