import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { DecisionLog, DecisionStore, NumberedEvent } from '../../src/ports/decision-log.ts'
import { anEvent } from '../fixtures/decision.ts'

/** What a log under test is built with. */
export interface DecisionLogParts {
  readonly store: DecisionStore
  readonly onDropped: (count: number) => void
}

/** A store in memory that counts as a database does: an event written twice is stored once. */
export function createFakeStore(): DecisionStore & {
  /** Stored events, by event id. */
  readonly stored: Map<string, NumberedEvent>
  /** Number of events in each call. */
  readonly calls: number[]
  /** Set to make calls fail: before anything is stored, or after it, as if the acknowledgement were lost. */
  fails: 'never' | 'before' | 'after'
} {
  const stored = new Map<string, NumberedEvent>()
  const calls: number[] = []
  return {
    stored,
    calls,
    fails: 'never',
    async write(events) {
      calls.push(events.length)
      if (this.fails === 'before') throw new Error('D1_ERROR: overloaded')
      for (const numbered of events) stored.set(numbered.event.id, numbered)
      if (this.fails === 'after') throw new Error('D1_ERROR: Network connection lost')
    },
  }
}

/** Records events and waits for the remaining work, as `waitUntil` does. */
async function recordAll(log: DecisionLog, from: number, count: number): Promise<void> {
  const work: (Promise<void> | undefined)[] = []
  for (let at = from; at < from + count; at++) work.push(log.record(anEvent(`event-${at}`)))
  await vi.advanceTimersByTimeAsync(30_000)
  for (const promise of work) await promise
}

/**
 * The contract of every decision log. Uses fake timers.
 *
 * @param make a new log, as a new isolate would make it
 */
export function decisionLogContract(name: string, make: (parts: DecisionLogParts) => DecisionLog): void {
  function setUp(): { store: ReturnType<typeof createFakeStore>; log: DecisionLog; dropped: () => number } {
    const store = createFakeStore()
    let dropped = 0
    return { store, log: make({ store, onDropped: (count) => (dropped += count) }), dropped: () => dropped }
  }

  describe(`${name} fulfils the contract of a decision log`, () => {
    beforeEach(() => {
      vi.useFakeTimers()
    })
    afterEach(() => {
      vi.useRealTimers()
    })

    it('passes every event to the store unchanged', async () => {
      const { store, log } = setUp()
      const event = anEvent('event', { model: 'model-1', usage: { inputTokens: 3, outputTokens: 4 } })
      const work = log.record(event)
      await vi.advanceTimersByTimeAsync(30_000)
      await work
      expect(store.stored.get('event')?.event).toEqual(event)
    })

    it('needs no further call when its returned promises are awaited', async () => {
      const { store, log, dropped } = setUp()
      await recordAll(log, 0, 257)
      expect(store.stored.size).toBe(257)
      expect(dropped()).toBe(0)
    })

    it('numbers the events of an isolate 1, 2, 3 …', async () => {
      const { store, log } = setUp()
      await recordAll(log, 0, 57)
      const numbers = [...store.stored.values()]
      expect(numbers.map(({ sequence }) => sequence).sort((a, b) => a - b)).toEqual(
        Array.from({ length: 57 }, (_, at) => at + 1),
      )
      expect(new Set(numbers.map(({ isolate }) => isolate)).size).toBe(1)
    })

    it('gives every isolate its own id', async () => {
      const { store, log } = setUp()
      const other = make({ store, onDropped: () => {} })
      await recordAll(log, 0, 1)
      await recordAll(other, 1, 1)
      expect(new Set([...store.stored.values()].map(({ isolate }) => isolate)).size).toBe(2)
    })

    it.each(['before', 'after'] as const)(
      'neither throws nor rejects when the store fails %s storing',
      async (fails) => {
        const { store, log } = setUp()
        store.fails = fails
        await recordAll(log, 0, 25)
        await expect(log.flush()).resolves.toBeUndefined()
      },
    )

    it.each(['before', 'after'] as const)(
      'has stored or counted as dropped every event once the store, failing %s storing, works again',
      async (fails) => {
        const { store, log, dropped } = setUp()
        store.fails = fails
        await recordAll(log, 0, 250)
        store.fails = 'never'
        await recordAll(log, 250, 25)
        await log.flush()
        // An event that was stored, and then reported as lost, is both.
        expect(store.stored.size + dropped()).toBeGreaterThanOrEqual(275)
        expect(fails === 'after' ? 275 : 275 - dropped()).toBe(store.stored.size)
      },
    )

    it('loses nothing when a failure is shorter than its retries', async () => {
      const { store, log, dropped } = setUp()
      store.fails = 'before'
      const work = Array.from({ length: 25 }, async (_, at) => log.record(anEvent(`event-${at}`)))
      await vi.advanceTimersByTimeAsync(500)
      store.fails = 'never'
      await vi.advanceTimersByTimeAsync(30_000)
      await Promise.all(work)
      await log.flush()
      expect(store.stored.size).toBe(25)
      expect(dropped()).toBe(0)
    })

    it('does not call a failing store again within a second', async () => {
      const { store, log } = setUp()
      store.fails = 'before'
      const events = 250
      for (let at = 0; at < events; at++) void log.record(anEvent(`event-${at}`))
      await vi.advanceTimersByTimeAsync(0)
      const asked = store.calls.length
      await vi.advanceTimersByTimeAsync(999)
      expect(store.calls.length).toBe(asked)
      await vi.advanceTimersByTimeAsync(30_000)
    })
  })
}
