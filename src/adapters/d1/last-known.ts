import { number } from '../../core/lib/options.ts'
import { isRagGateError } from '../../errors.ts'
import type { Clock } from '../../ports/clock.ts'

/** Largest age at which a copy is used while the database does not answer, milliseconds. */
export const OUTAGE_AGE = number(0, 3_600_000)

/** A value that was read, with its time. */
export interface Known<Value> {
  readonly value: Value
  /** Milliseconds since 1970. */
  readonly readAtMs: number
}

/** Reads a value; while the database does not answer, returns the one read last. */
export type LastKnown = <Value>(held: Known<Value> | undefined, read: () => Promise<Value>) => Promise<Value>

/** How long to wait for the database if a copy can be used instead. */
const PATIENCE_MS = 1_000
/** How long the database is not read after a failure, so that an outage does not delay other answers. */
const RETRY_AFTER_MS = 5_000

/** @param maxAgeMs largest age of a copy that is used; 0 for none */
export function withLastKnown({ maxAgeMs, clock }: { readonly maxAgeMs: number; readonly clock: Clock }): LastKnown {
  let downUntilMs = -Infinity

  return async (held, read) => {
    const nowMs = clock.nowMs()
    if (held === undefined || nowMs < held.readAtMs || nowMs - held.readAtMs >= maxAgeMs) return read()
    if (nowMs < downUntilMs) return held.value
    const reading = read()
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
