/** The mean, computed without overflow of the sum; 0 for no values. */
export function meanOf(values: readonly number[]): number {
  const sum = values.reduce((total, value) => total + value, 0)
  if (Number.isFinite(sum)) return values.length === 0 ? 0 : sum / values.length
  return values.reduce((total, value) => total + value / values.length, 0)
}
