/** Response times. */
import { percentileMs } from './latency-bins.ts'
import { type Counted, inBins } from './sums.ts'

/** Response times, milliseconds; percentiles are within 5 % of the exact ones. */
export interface Latency {
  readonly counted: number
  readonly p50: number | null
  readonly p90: number | null
  readonly p95: number | null
  readonly p99: number | null
}

/** Percentiles of the response times of groups. */
export function latencyOf(groups: readonly Counted[]): Latency {
  const bins = inBins(groups, 'latencyBins')
  return {
    counted: [...bins.values()].reduce((sum, responses) => sum + responses, 0),
    p50: percentileMs(bins, 0.5),
    p90: percentileMs(bins, 0.9),
    p95: percentileMs(bins, 0.95),
    p99: percentileMs(bins, 0.99),
  }
}
