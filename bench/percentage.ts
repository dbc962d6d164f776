import { binomialInterval } from '../packages/calibration/src/binomial-interval.ts'

/** A share in per cent, with its exact 95 % interval. */
export function percentage(hits: number, trials: number): string {
  const { low, high } = binomialInterval(hits, trials)
  const percent = (value: number): string => (100 * value).toFixed(1)
  return `${percent(hits / trials)} % (${percent(low)}–${percent(high)})`
}
