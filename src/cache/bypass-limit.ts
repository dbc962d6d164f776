/** How often somebody may have an answer made anew that is stored: a token bucket for each caller, in the isolate. */
import { keepNewest } from '../core/lib/keep-newest.ts'
import type { Clock } from '../ports/clock.ts'

/** Counts what callers force. */
export interface BypassLimit {
  /** @returns whether this caller may do it once more */
  take(caller: string): boolean
}

/** Callers that are remembered; of more, the one seen longest ago begins anew. */
const MOST_CALLERS = 1000

/** @param perMinute whole number, 0 and up: the size of a bucket, filled evenly within a minute */
export function createBypassLimit(clock: Clock, perMinute: number): BypassLimit {
  const buckets = new Map<string, { readonly tokens: number; readonly atMs: number }>()
  return {
    take(caller) {
      const atMs = clock.nowMs()
      const { tokens: left, atMs: sinceMs } = buckets.get(caller) ?? { tokens: perMinute, atMs }
      // A clock that was set back fills nothing.
      const tokens = Math.min(perMinute, left + (Math.max(0, atMs - sinceMs) / 60_000) * perMinute)
      const granted = tokens >= 1
      keepNewest(buckets, caller, { tokens: granted ? tokens - 1 : tokens, atMs }, MOST_CALLERS)
      return granted
    },
  }
}
