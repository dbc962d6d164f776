import { number } from '../../core/lib/options.ts'
import { isRagGateError } from '../../errors.ts'
import type { Clock } from '../../ports/clock.ts'

/** How old a copy may be that stands in for a database that does not answer, milliseconds. */
export const OUTAGE_AGE = number(0, 3_600_000)

/** What was read, and when. */
export interface Known<Value> {
  readonly value: Value
  /** Milliseconds since 1970. */
  readonly readAtMs: number
}

/** Reads, or gives what was read last while the database does not answer. */
export type LastKnown = <Value>(held: Known<Value> | undefined, read: () => Promise<Value>) => Promise<Value>

/** How long a database is waited for where a copy can stand in. */
const PATIENCE_MS = 1_000
/** After a failure it is left alone for so long: an outage adds nothing to the time of other answers. */
const RETRY_AFTER_MS = 5_000

/** @param maxAgeMs age up to which a copy stands in; 0 for none */
export function withLastKnown({ maxAgeMs, clock }: { readonly maxAgeMs: number; readonly clock: Clock }): LastKnown {
  let downUntilMs = -Infinity

  return async (held, read) => {
    const nowMs = clock.nowMs()
    if (held === undefined || nowMs < held.readAtMs || nowMs - held.readAtMs >= maxAgeMs) return read()
    if (nowMs < downUntilMs) return held.value
    const reading = read()
    // It may fail after it was given up.
    reading.catch(() => undefined)
    let stopWaiting = (): void => undefined
    const late = new Promise<undefined>((resolve) => {
      const timer = setTimeout(() => resolve(undefined), PATIENCE_MS)
      stopWaiting = () => clearTimeout(timer)
    })
    try {
      const answered = await Promise.race([reading.then((value) => ({ value })), late])
      if (answered !== undefined) return answered.value
    } catch (thrown) {
      if (!isRagGateError(thrown) || thrown.code !== 'store_unavailable') throw thrown
    } finally {
      stopWaiting()
    }
    downUntilMs = clock.nowMs() + RETRY_AFTER_MS
    return held.value
  }
}
