/** Median and range of repeated measurements. */
export interface Spread {
  readonly median: number
  readonly least: number
  readonly most: number
}

/** @param values at least one */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  return { median: sorted[sorted.length >> 1]!, least: sorted[0]!, most: sorted[sorted.length - 1]! }
}

/** As `12.3 (11.0–19.8)`. */
export function printed({ median, least, most }: Spread): string {
  const short = (value: number) => (Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(2))
  return `${short(median)} (${short(least)}–${short(most)})`
}
