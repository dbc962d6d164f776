import { uuidv7 } from '../core/lib/ids.ts'
import type { Clock } from '../ports/clock.ts'

/** Random bytes of one id. */
const BYTES = 10

/** Drawn for a hundred ids at once: a call of the runtime costs more than an id. */
const drawn = new Uint8Array(100 * BYTES)
let used = drawn.length

/** A new UUIDv7. */
export function newId(clock: Clock): string {
  if (used === drawn.length) {
    crypto.getRandomValues(drawn)
    used = 0
  }
  used += BYTES
  return uuidv7(clock.nowMs(), drawn.subarray(used - BYTES, used))
}
