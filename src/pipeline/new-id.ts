import { uuidv7 } from '../core/lib/ids.ts'
import type { Clock } from '../ports/clock.ts'

/** A new UUIDv7. */
export function newId(clock: Clock): string {
  return uuidv7(clock.nowMs(), crypto.randomUUID())
}
