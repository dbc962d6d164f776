import type { DecisionLog, DecisionStore, NumberedEvent } from '../ports/decision-log.ts'

export interface DirectDecisionLogOptions {
  readonly store: DecisionStore
  /** Called with the number of events given up. It must not throw. */
  readonly onDropped?: (count: number) => void
}

/** Waits between tries, milliseconds: an overloaded D1 must not be asked again at once. */
const RETRY_AFTER_MS = [1_000, 3_000]

/**
 * Writes every event by itself, for tests and small sites: each costs a statement. A failed write is tried three times
 * within four seconds and its own time, then the event is dropped and counted.
 *
 * @returns a log whose `record` always returns a promise, which never rejects; `flush` has nothing to do
 */
export function createDirectDecisionLog({ store, onDropped }: DirectDecisionLogOptions): DecisionLog {
  // Made with the first event: a Worker has no randomness outside a request.
  let isolate: string | undefined
  let sequence = 0

  async function write(numbered: NumberedEvent): Promise<void> {
    for (const retryAfterMs of [...RETRY_AFTER_MS, undefined]) {
      try {
        return await store.write([numbered])
      } catch {
        // Why it failed does not matter here: the event is either written by a later try or counted as dropped.
        if (retryAfterMs !== undefined) await new Promise((resolve) => setTimeout(resolve, retryAfterMs))
      }
    }
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
