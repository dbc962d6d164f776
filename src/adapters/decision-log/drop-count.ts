/** How many events a log gave up, and who knows of it. */
import type { Clock } from '../../ports/clock.ts'
import type { DecisionStore } from '../../ports/decision-log.ts'

/** What a count of dropped events is made with. */
export interface DropCountParts {
  /** Told of the count; absent where there is nobody to tell. */
  readonly store: DecisionStore | undefined
  /** Told of each drop at once. It must not throw. */
  readonly onDropped: ((count: number) => void) | undefined
  readonly clock: Clock
}

/** The events that one log dropped. */
export interface DropCount {
  /** Counts events just dropped. */
  add(count: number): void
  /** Has the store count what it was not told yet. It never rejects: where it fails, the next call tells the larger number. */
  tell(isolate: string): Promise<void>
}

/** A count at 0. */
export function createDropCount({ store, onDropped, clock }: DropCountParts): DropCount {
  let dropped = 0
  let told = 0
  return {
    add(count) {
      dropped += count
      onDropped?.(count)
    },
    async tell(isolate) {
      if (dropped === told) return
      const count = dropped
      try {
        await store?.noteDropped?.({ isolate, dropped: count, atMs: clock.nowMs() })
        told = Math.max(told, count)
      } catch {
        // Nothing is lost: the count stands until a later write.
      }
    },
  }
}
