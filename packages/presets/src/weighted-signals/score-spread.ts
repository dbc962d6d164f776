import { populationDeviation } from '@hono-rag-gate/calibration/correlation'
import type { ScoredChunk } from './ranking-score.ts'

/**
 * Standard deviation of the ranking scores, of the whole population: are the results diverse or clustered?
 *
 * @returns 0 and up; 0 with fewer than two scored chunks
 * @see the specification of weighted-signals, "Score Spread"
 */
export function scoreSpread(scored: readonly ScoredChunk[]): number {
  return populationDeviation(scored.map(({ score }) => score))
}
