/** How many events a log dropped, and how many of them were reported to the store. */
import type { Clock } from '../../ports/clock.ts'
import type { DecisionStore } from '../../ports/decision-log.ts'

/** What a count of dropped events is made with. */
export interface DropCountParts {
  /** The count is reported to it; absent where there is none. */
  readonly store: DecisionStore | undefined
  /** Called at each drop. It must not throw. */
  readonly onDropped: ((count: number) => void) | undefined
  readonly clock: Clock
}

/** The events that one log dropped. */
export interface DropCount {
  /** Counts events just dropped. */
  add(count: number): void
  /** Reports new drops to the store. It never rejects: where the store fails, the next call reports the larger number. */
  tell(isolate: string): Promise<void>
}

/** A count at 0. */
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
        // Nothing is lost: the count stands until a later write.
      }
    },
  }
}
