/** Medians over rounds. */

/** The median; of an even number of values the upper one. */
export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN

/** The median with its 95 % interval from order statistics, as text. */
export function medianWithInterval(values: readonly number[], digits: number): string {
  const sorted = [...values].sort((a, b) => a - b)
  const half = 0.98 * Math.sqrt(sorted.length)
  const at = (rank: number): string =>
    (sorted[Math.min(sorted.length - 1, Math.max(0, Math.round(rank)))] ?? NaN).toFixed(digits)
  const middle = sorted.length / 2
  return `${median(values).toFixed(digits)} (${at(middle - half)} to ${at(middle + half)})`
}
