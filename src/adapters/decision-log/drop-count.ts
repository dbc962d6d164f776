/** Counts the events that a log dropped and those of them that were reported to the store. */
import type { Clock } from '../../ports/clock.ts'
import type { DecisionStore } from '../../ports/decision-log.ts'

/** Dependencies of the count. */
export interface DropCountParts {
  /** Store to which the count is reported, if any. */
  readonly store: DecisionStore | undefined
  /** Called at each drop. It must not throw. */
  readonly onDropped: ((count: number) => void) | undefined
  readonly clock: Clock
}

/** Count of the events that one log dropped. */
export interface DropCount {
  /** Counts events just dropped. */
  add(count: number): void
  /** Reports new drops to the store. It never rejects: if the store fails, the next call reports the total. */
  tell(isolate: string): Promise<void>
}

/** Creates a count, beginning at 0. */
export function createDropCount({ store, onDropped, clock }: DropCountParts): DropCount {
  let dropped = 0
  let reported = 0
  return {
    add(count) {
      dropped += count
      onDropped?.(count)
    },
    async tell(isolate) {
      if (dropped === reported) return
      const count = dropped
      try {
        await store?.noteDropped?.({ isolate, dropped: count, atMs: clock.nowMs() })
        reported = Math.max(reported, count)
      } catch {
        // Nothing is lost: a later write reports the count.
      }
    },
  }
}
