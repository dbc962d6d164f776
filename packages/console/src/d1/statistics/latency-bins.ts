/** Percentiles from binned counts, which the trigger of `decision_rollups` maintains. */

/** Number of events by bin. */
export type Bins = ReadonlyMap<number, number>

/** Ratio of consecutive upper ends of bins, so that a bin's representative is within 5 % of every time in it. */
const GROWTH = 1.1

/**
 * A percentile of times.
 *
 * @param share 0..1
 * @returns milliseconds, within 5 % of the exact percentile for times from 1 ms; `null` without counts
 */
export function percentileMs(bins: Bins, share: number): number | null {
  const ordered = [...bins].sort(([a], [b]) => a - b)
  const events = ordered.reduce((sum, [, count]) => sum + count, 0)
  // Nearest-rank percentile: the smallest time not exceeded by at least this share of the events.
  const rank = Math.max(1, Math.ceil(share * events))
  let passed = 0
  for (const [bin, count] of ordered) {
    passed += count
    if (passed >= rank) return timeOf(bin)
  }
  return null
}

/** Representative time of a bin: the same ratio above its lower end as below its upper end. Bin 0 is up to 1 ms. */
function timeOf(bin: number): number {
  return bin <= 0 ? 1 : (GROWTH ** bin * 2) / (1 + GROWTH)
}
