import { uuidv7 } from '../core/lib/ids.ts'
import { hex } from '../core/lib/sha256.ts'
import type { Clock } from '../ports/clock.ts'

/** Random digits of one id. */
const DIGITS = 20

/** Drawn for a hundred ids at once: a call of the runtime costs more than an id. */
const drawn = new Uint8Array(50 * DIGITS)
let digits = ''
let used = 0

/** A new UUIDv7. */
export function newId(clock: Clock): string {
  if (used === digits.length) {
    digits = hex(crypto.getRandomValues(drawn))
    used = 0
  }
  used += DIGITS
  return uuidv7(clock.nowMs(), digits.slice(used - DIGITS, used))
}
