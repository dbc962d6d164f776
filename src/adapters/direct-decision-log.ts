import { callable, object, required, requireOptions } from '../core/lib/options.ts'
import type { Clock } from '../ports/clock.ts'
import type { DecisionLog, DecisionStore, NumberedEvent } from '../ports/decision-log.ts'

export interface DirectDecisionLogOptions {
  readonly store: DecisionStore
  /** Called with the number of events given up. It must not throw. The store is told as well, once it answers again. */
  readonly onDropped?: (count: number) => void
  /** @default the platform's clock */
  readonly clock?: Clock
}

/** Waits between tries, milliseconds: an overloaded D1 must not be asked again at once. */
const RETRY_AFTER_MS = [1_000, 3_000]

/**
 * Writes every event by itself, for tests and small sites: each costs a statement. A failed write is tried three times
 * within four seconds and its own time, then the event is dropped and counted.
 *
 * @returns a log whose `record` always returns a promise, which never rejects; `flush` has nothing to do
 */
export function createDirectDecisionLog(options: DirectDecisionLogOptions): DecisionLog {
  requireOptions(options, { store: required(object), onDropped: callable, clock: object })
  const { store, onDropped, clock = { nowMs: () => Date.now() } } = options
  // Made with the first event: a Worker has no randomness outside a request.
  let isolate: string | undefined
  let sequence = 0
  let dropped = 0
  let noted = 0

  async function noteDropped(isolateId: string): Promise<void> {
    if (dropped === noted) return
    const count = dropped
    try {
      await store.noteDropped?.({ isolate: isolateId, dropped: count, atMs: clock.nowMs() })
      noted = Math.max(noted, count)
    } catch {
      // Nothing is lost: the count stands until a later write.
    }
  }

  async function write(numbered: NumberedEvent): Promise<void> {
    for (const retryAfterMs of [...RETRY_AFTER_MS, undefined]) {
      try {
        await store.write([numbered])
        return await noteDropped(numbered.isolate)
      } catch {
        // Why it failed does not matter here: the event is either written by a later try or counted as dropped.
        if (retryAfterMs !== undefined) await new Promise((resolve) => setTimeout(resolve, retryAfterMs))
      }
    }
    dropped++
    onDropped?.(1)
  }

  return {
    record(event) {
      isolate ??= crypto.randomUUID()
      return write({ event, isolate, sequence: ++sequence })
    },
    async flush() {},
  }
}
