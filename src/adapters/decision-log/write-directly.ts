import type { DecisionStore, NumberedEvent } from '../../ports/decision-log.ts'
import type { DropCount } from './drop-count.ts'

/** Waits between tries, milliseconds: an overloaded D1 must not be asked again at once. */
const RETRY_AFTER_MS = [1_000, 3_000]

/**
 * Writes one event by itself, and then has the store count what was dropped before. After three tries within four seconds
 * and their own time the event is dropped. It never rejects.
 */
export async function writeDirectly(store: DecisionStore, numbered: NumberedEvent, drops: DropCount): Promise<void> {
  for (const retryAfterMs of [...RETRY_AFTER_MS, undefined]) {
    try {
      await store.write([numbered])
      return await drops.tell(numbered.isolate)
    } catch {
      // Why it failed does not matter here: the event is either written by a later try or counted as dropped.
      if (retryAfterMs !== undefined) await new Promise((resolve) => setTimeout(resolve, retryAfterMs))
    }
  }
  drops.add(1)
}
