import type { DecisionStore, NumberedEvent } from '../../ports/decision-log.ts'
import type { DropCount } from './drop-count.ts'

/** Waits between attempts, milliseconds: an overloaded D1 must not be retried immediately. */
const RETRY_AFTER_MS = [1_000, 3_000]

/**
 * Writes a single event, and then reports earlier drops to the store. After three failed attempts, with waits of four
 * seconds in sum, the event is dropped. It never rejects.
 */
export async function writeDirectly(store: DecisionStore, numbered: NumberedEvent, drops: DropCount): Promise<void> {
  for (const retryAfterMs of [...RETRY_AFTER_MS, undefined]) {
    try {
      await store.write([numbered])
      return await drops.tell(numbered.isolate)
    } catch {
      // The cause does not matter: the event is either written by a later attempt or counted as dropped.
      if (retryAfterMs !== undefined) await new Promise((resolve) => setTimeout(resolve, retryAfterMs))
    }
  }
  drops.add(1)
}
