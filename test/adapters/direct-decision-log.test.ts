import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createDirectDecisionLog, type DirectDecisionLogOptions } from '../../src/adapters/direct-decision-log.ts'
import type { DecisionStore } from '../../src/ports/decision-log.ts'
import { createFakeStore, decisionLogContract } from '../contracts/decision-log.ts'
import { anEvent } from '../fixtures/decision.ts'

decisionLogContract('direct', (parts) => createDirectDecisionLog(parts))

describe('createDirectDecisionLog', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('writes every event by itself, at once', async () => {
    const store = createFakeStore()
    const log = createDirectDecisionLog({ store })
    await log.record(anEvent('1'))
    await log.record(anEvent('2'))
    expect(store.calls).toEqual([1, 1])
  })

  it('tries three times, then drops and reports the event', async () => {
    const store = createFakeStore()
    store.fails = 'before'
    const onDropped = vi.fn<(count: number) => void>()
    const work = createDirectDecisionLog({ store, onDropped }).record(anEvent('1'))
    await vi.advanceTimersByTimeAsync(4_000)
    await work
    expect(store.calls).toEqual([1, 1, 1])
    expect(onDropped.mock.calls).toEqual([[1]])
  })

  it('reports the number of dropped events to the store once it answers again, without repeating', async () => {
    const noteDropped = vi.fn<NonNullable<DecisionStore['noteDropped']>>().mockResolvedValue(undefined)
    const store = Object.assign(createFakeStore(), { noteDropped })
    store.fails = 'before'
    const log = createDirectDecisionLog({ store })
    const work = log.record(anEvent('1'))
    await vi.advanceTimersByTimeAsync(4_000)
    await work
    store.fails = 'never'
    await log.record(anEvent('2'))
    await log.record(anEvent('3'))
    expect(noteDropped.mock.calls).toEqual([[{ isolate: expect.any(String), dropped: 1, atMs: expect.any(Number) }]])
  })

  it('needs a store that can write, and a clock that tells the time', () => {
    for (const [wrong, param] of [
      [{ store: {} }, 'store'],
      [{ store: createFakeStore(), clock: {} }, 'clock'],
    ] as const) {
      expect(() => createDirectDecisionLog(wrong as unknown as DirectDecisionLogOptions)).toThrow(
        expect.objectContaining({ code: 'config_invalid', param }),
      )
    }
  })
})
