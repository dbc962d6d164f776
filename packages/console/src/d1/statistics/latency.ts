/** How long responses took. */
import { type Bins, percentileMs } from './latency-bins.ts'

/** Time of responses, milliseconds; percentiles are within 5 % of the exact ones. */
export interface Latency {
  readonly counted: number
  readonly p50: number | null
  readonly p90: number | null
  readonly p95: number | null
  readonly p99: number | null
}

/** How many responses fell into one bin. */
export interface BinCount {
  readonly bin: number
  readonly events: number
}

/** Percentiles of all responses, and of those from the cache and the others. */
export function latencyOf(
  counts: readonly (BinCount & { readonly cached: number })[],
): Readonly<Record<'all' | 'cached' | 'uncached', Latency>> {
  const percentiles = (some: readonly BinCount[]): Latency => {
    const bins = new Map<number, number>()
    for (const { bin, events } of some) bins.set(bin, (bins.get(bin) ?? 0) + events)
    return {
      counted: some.reduce((sum, { events }) => sum + events, 0),
      ...shares(bins),
    }
  }
  return {
    all: percentiles(counts),
    cached: percentiles(counts.filter(({ cached }) => cached === 1)),
    uncached: percentiles(counts.filter(({ cached }) => cached === 0)),
  }
}

function shares(bins: Bins): Omit<Latency, 'counted'> {
  return {
    p50: percentileMs(bins, 0.5),
    p90: percentileMs(bins, 0.9),
    p95: percentileMs(bins, 0.95),
    p99: percentileMs(bins, 0.99),
  }
}
