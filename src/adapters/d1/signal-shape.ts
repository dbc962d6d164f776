import type { Json } from '../../core/lib/json.ts'

/** Most digits of a number: what is compared with a threshold is held within 1e-9 of it. */
const DIGITS = 10

/** Signals as they are stored: those of a policy differ in little but their numbers, so that the rest is kept once. */
export interface StoredSignals {
  /** JSON of the signals, with 0 for every number and text. */
  readonly shape: string
  /** The numbers, to ten digits, and the texts, in the order of the shape. */
  readonly values: readonly (number | string | null)[]
}

/** Takes signals apart. A number that is not finite becomes `null`. */
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

/** Puts together what `takeApart` took apart. */
export function putTogether(shape: string, values: readonly Json[]): unknown {
  let at = 0
  return JSON.parse(shape, (_name, value: unknown) => (value === 0 ? (values[at++] ?? null) : value))
}
