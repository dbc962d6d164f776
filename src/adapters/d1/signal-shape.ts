import type { Json } from '../../core/lib/json.ts'

/** Digits of a stored number, enough because comparisons with thresholds tolerate 1e-9. */
const DIGITS = 10

/** Signals as stored. Those of a policy differ mostly in their numbers, so that the rest is stored once. */
export interface StoredSignals {
  /** JSON of the signals, with 0 for every number and text. */
  readonly shape: string
  /** The numbers, to ten digits, and the texts, in the order of the shape. */
  readonly values: readonly (number | string | null)[]
}

/** Splits signals into shape and values. A number that is not finite becomes `null`. */
export function takeApart(signals: object): StoredSignals {
  const values: (number | string | null)[] = []
  const shape = JSON.stringify(signals, (_name, value: unknown) => {
    if (typeof value === 'number') values.push(Number.isFinite(value) ? Number(value.toPrecision(DIGITS)) : null)
    else if (typeof value === 'string') values.push(value)
    else return value
    return 0
  })
  return { shape, values }
}

/** Restores signals that `takeApart` split. */
export function putTogether(shape: string, values: readonly Json[]): unknown {
  let at = 0
  return JSON.parse(shape, (_name, value: unknown) => (value === 0 ? (values[at++] ?? null) : value))
}
