import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createBufferedDecisionLog } from '../../src/adapters/buffered-decision-log.ts'
import type { BufferedDecisionLogOptions } from '../../src/adapters/buffered-decision-log.ts'
import type { DecisionLog, DecisionStore } from '../../src/ports/decision-log.ts'
import { createFakeStore, decisionLogContract } from '../contracts/decision-log.ts'
import { anEvent } from '../fixtures/decision.ts'

decisionLogContract('buffered', (parts) => createBufferedDecisionLog(parts))

let recorded = 0
function record(log: DecisionLog, count = 1): (Promise<void> | undefined)[] {
  return Array.from({ length: count }, () => log.record(anEvent(`event-${recorded++}`)))
}

function setUp(options: Partial<BufferedDecisionLogOptions> = {}): {
  store: ReturnType<typeof createFakeStore>
  log: DecisionLog
  onDropped: ReturnType<typeof vi.fn<(count: number) => void>>
} {
  const store = createFakeStore()
  const onDropped = vi.fn<(count: number) => void>()
  return { store, onDropped, log: createBufferedDecisionLog({ store, onDropped, flushAt: 10, ...options }) }
}

describe('createBufferedDecisionLog', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('returns a promise only to the first event held and to the one that fills the buffer', async () => {
    const { store, log } = setUp()
    const work = record(log, 25)
    expect(work.flatMap((promise, at) => (promise === undefined ? [] : [at]))).toEqual([0, 9, 10, 19, 20])
    await vi.advanceTimersByTimeAsync(0)
    expect(store.calls).toEqual([10, 10])
    await vi.advanceTimersByTimeAsync(1_000)
    expect(store.calls).toEqual([10, 10, 5])
  })

  it('waits for further events before it writes', async () => {
    const { store, log } = setUp({ flushAfterMs: 300 })
    void record(log)
    await vi.advanceTimersByTimeAsync(299)
    void record(log)
    expect(store.calls).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(store.calls).toEqual([2])
  })

  it('does not write early because of a wait that began before the last write', async () => {
    const { store, log } = setUp()
    void record(log, 10)
    await vi.advanceTimersByTimeAsync(900)
    void record(log)
    await vi.advanceTimersByTimeAsync(999)
    expect(store.calls).toEqual([10])
    await vi.advanceTimersByTimeAsync(1)
    expect(store.calls).toEqual([10, 1])
  })

  it('keeps the events of a failed write, in order, and writes them before later ones', async () => {
    const { store, log } = setUp()
    store.fails = 'before'
    void record(log, 10)
    await vi.advanceTimersByTimeAsync(0)
    store.fails = 'never'
    void record(log, 3)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(store.calls).toEqual([10, 13])
    expect([...store.stored.values()].map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: 13 }, (_, at) => at + 1),
    )
  })

  it('waits longer after every failure, eight seconds at most', async () => {
    const { store, log } = setUp()
    store.fails = 'before'
    const triedAtMs: number[] = []
    const beganAtMs = Date.now()
    for (let elapsedMs = 0; elapsedMs < 40_000; elapsedMs += 100) {
      const before = store.calls.length
      void record(log)
      await vi.advanceTimersByTimeAsync(100)
      if (store.calls.length > before) triedAtMs.push(Date.now() - beganAtMs)
    }
    const waits = triedAtMs.slice(1).map((ms, at) => ms - triedAtMs[at]!)
    expect(waits.every((ms) => ms >= 1_000 && ms <= 9_000)).toBe(true)
    expect(waits).toEqual([...waits].sort((a, b) => a - b))
  })

  it('drops and counts the oldest events beyond its capacity', async () => {
    const { store, log, onDropped } = setUp({ maxHeld: 15 })
    store.fails = 'before'
    void record(log, 10)
    await vi.advanceTimersByTimeAsync(0)
    void record(log, 8)
    expect(onDropped.mock.calls).toEqual([[1], [1], [1]])
    store.fails = 'never'
    await log.flush()
    expect([...store.stored.values()].map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: 15 }, (_, at) => at + 4),
    )
  })

  it('counts events that are being written as held', async () => {
    const { store, log, onDropped } = setUp({ maxHeld: 15 })
    store.write = () => new Promise(() => {})
    void record(log, 10)
    void record(log, 7)
    expect(onDropped.mock.calls).toEqual([[1], [1]])
  })

  it('writes events again that were lost with a cancelled request', async () => {
    const { store, log, onDropped } = setUp()
    const write = store.write.bind(store)
    store.write = () => new Promise(() => {})
    void record(log, 10)
    await vi.advanceTimersByTimeAsync(41_000)
    store.write = write
    void record(log)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(store.calls).toEqual([11])
    expect(onDropped).not.toHaveBeenCalled()
    await log.flush()
    expect(store.calls).toEqual([11])
  })

  it('gives the write to another event when the request that should do it is gone', () => {
    let nowMs = 0
    const { log } = setUp({ clock: { nowMs: () => nowMs } })
    expect(record(log)).toEqual([expect.any(Promise)])
    nowMs = 30_000
    expect(record(log)).toEqual([undefined])
    nowMs = 42_000
    expect(record(log)).toEqual([expect.any(Promise)])
  })

  it('writes again at once, including left events, when the clock is set back an hour', async () => {
    let nowMs = 7_200_000
    const { store, log } = setUp({ clock: { nowMs: () => nowMs } })
    store.fails = 'before'
    void record(log, 10)
    await vi.advanceTimersByTimeAsync(0)
    expect(record(log)).toEqual([expect.any(Promise)])
    store.fails = 'never'
    nowMs -= 3_600_000
    // After the failed write: no pause is left, and no writer is known to wait.
    expect(record(log)).toEqual([expect.any(Promise)])
    await vi.advanceTimersByTimeAsync(1_000)
    expect(store.calls).toEqual([10, 12])

    const write = store.write.bind(store)
    store.write = () => new Promise(() => {})
    void record(log, 10)
    nowMs -= 3_600_000
    store.write = write
    void log.flush()
    await vi.advanceTimersByTimeAsync(0)
    expect(store.calls).toEqual([10, 12, 10])
  })

  it('waits on flush for writes that others began', async () => {
    const { store, log } = setUp()
    const write = store.write.bind(store)
    store.write = async (events) => {
      await new Promise((resolve) => setTimeout(resolve, 300))
      await write(events)
    }
    void record(log, 10)
    const flushed = log.flush().then(() => store.stored.size)
    await vi.advanceTimersByTimeAsync(400)
    expect(await flushed).toBe(10)
  })

  it('waits no longer than two seconds for such a write, whose request may be gone', async () => {
    const { store, log } = setUp()
    store.write = () => new Promise(() => {})
    void record(log, 10)
    let isDone = false
    void log.flush().then(() => (isDone = true))
    await vi.advanceTimersByTimeAsync(1_900)
    expect(isDone).toBe(false)
    await vi.advanceTimersByTimeAsync(200)
    expect(isDone).toBe(true)
  })

  it('writes a long queue in batches', async () => {
    const { store, log } = setUp()
    store.fails = 'before'
    void record(log, 10)
    await vi.advanceTimersByTimeAsync(0)
    store.fails = 'never'
    void record(log, 2_490)
    await log.flush()
    expect(store.calls.slice(1)).toEqual([1_000, 1_000, 500])
  })

  it('shares a long queue between two writes, and leaves later events to the next', async () => {
    const { store, log } = setUp({ flushAt: 5_000 })
    void record(log, 2_500)
    await Promise.all([log.flush(), log.flush()])
    expect(store.calls).toEqual([1_000, 1_000, 500])
    void record(log, 1_000)
    const writing = log.flush()
    void record(log)
    await writing
    expect(store.calls.slice(3)).toEqual([1_000])
  })

  it('waits out a pause that began while it waited', async () => {
    const { store, log } = setUp()
    const write = store.write.bind(store)
    store.write = async () => {
      await new Promise((resolve) => setTimeout(resolve, 900))
      throw new Error('D1_ERROR: overloaded')
    }
    void record(log, 10)
    void record(log)
    store.write = write
    await vi.advanceTimersByTimeAsync(1_899)
    expect(store.calls).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(store.calls).toEqual([11])
  })

  it('names a capacity below the size of a batch', () => {
    expect(() => setUp({ flushAt: 100, maxHeld: 99 })).toThrow(
      expect.objectContaining({ param: 'maxHeld', message: 'maxHeld must not be under flushAt' }),
    )
  })

  it.each([{ flushAt: 0 }, { flushAfterMs: -1 }, { flushAfterMs: 20_001 }, { flushAt: Number.NaN }])(
    'rejects the options %o',
    (options) => {
      expect(() => setUp(options)).toThrow(expect.objectContaining({ code: 'config_invalid' }))
    },
  )

  it('reports the number of dropped events to the store once it answers again, without repeating', async () => {
    const noteDropped = vi.fn<NonNullable<DecisionStore['noteDropped']>>().mockResolvedValue(undefined)
    const store = Object.assign(createFakeStore(), { noteDropped })
    const log = createBufferedDecisionLog({ store, flushAt: 5, maxHeld: 10 })
    store.fails = 'before'
    void record(log, 25)
    await vi.advanceTimersByTimeAsync(0)
    expect(noteDropped).not.toHaveBeenCalled()
    store.fails = 'never'
    await vi.advanceTimersByTimeAsync(30_000)
    await log.flush()
    expect(noteDropped.mock.calls).toMatchObject([[{ isolate: expect.any(String), dropped: 15 }]])
    void record(log, 5)
    await log.flush()
    expect(noteDropped).toHaveBeenCalledTimes(1)
  })

  it('reports it again when that failed', async () => {
    const noteDropped = vi.fn<NonNullable<DecisionStore['noteDropped']>>().mockRejectedValueOnce(new Error('D1'))
    const store = Object.assign(createFakeStore(), { noteDropped })
    const log = createBufferedDecisionLog({ store, flushAt: 5, maxHeld: 5 })
    store.fails = 'before'
    void record(log, 8)
    await vi.advanceTimersByTimeAsync(0)
    store.fails = 'never'
    await vi.advanceTimersByTimeAsync(30_000)
    expect(noteDropped).toHaveBeenCalledTimes(1)
    void record(log, 1)
    await log.flush()
    expect(noteDropped.mock.calls.map(([{ dropped }]) => dropped)).toEqual([3, 3])
  })
})
