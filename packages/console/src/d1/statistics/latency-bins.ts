/** Percentiles from counted bins: the sketch that the trigger of `decision_rollups` keeps. */

/** How many events fell into each bin, by its number. */
export type Bins = ReadonlyMap<number, number>

/** Upper ends of the bins grow by this factor: what a bin stands for is within 5 % of every time in it. */
const GROWTH = 1.1

/**
 * The time below which a share of the events lies.
 *
 * @param share 0..1
 * @returns milliseconds, within 5 % of the exact percentile for times from 1 ms on; `null` when nothing was counted
 */
export function percentileMs(bins: Bins, share: number): number | null {
  const ordered = [...bins].sort(([a], [b]) => a - b)
  const events = ordered.reduce((sum, [, count]) => sum + count, 0)
  if (events === 0) return null
  // The smallest time that at least this share of the events does not exceed.
  const rank = Math.max(1, Math.ceil(share * events))
  let passed = 0
  for (const [bin, count] of ordered) {
    passed += count
    if (passed >= rank) return timeOf(bin)
  }
  return null
}

/** What stands for a bin: as far above its lower end as below its upper one, by ratio. Bin 0 is up to 1 ms. */
function timeOf(bin: number): number {
  return bin <= 0 ? 1 : (GROWTH ** bin * 2) / (1 + GROWTH)
}
