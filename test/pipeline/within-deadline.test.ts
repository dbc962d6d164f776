import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { inTime, withinDeadline } from '../../src/pipeline/within-deadline.ts'

const FAULTS = { late: 'store_unavailable', failed: 'store_unavailable', what: 'The database' } as const

describe('withinDeadline', () => {
  afterEach(() => vi.restoreAllMocks())

  test('sets no timer for work that is already done, and one for work that waits', async () => {
    const timers = vi.spyOn(globalThis, 'setTimeout')
    const wrapped = async () => await (async () => 'copy')()
    expect(await withinDeadline(1000, FAULTS, async () => 'copy')).toBe('copy')
    expect(await withinDeadline(1000, FAULTS, wrapped)).toBe('copy')
    expect(timers).not.toHaveBeenCalled()
    const waited = new Promise((resolve) => setImmediate(() => resolve('read')))
    expect(await withinDeadline(1000, FAULTS, () => waited)).toBe('read')
    expect(timers).toHaveBeenCalledOnce()
  })

  test.each([
    ['comes', () => Promise.resolve('read')],
    ['fails', () => Promise.reject(new Error('down'))],
  ])('leaves no timer once the work %s', async (_, ends) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const waited = new Promise((resolve) => setImmediate(resolve))
    await withinDeadline(1000, FAULTS, () => waited.then(ends)).catch(() => undefined)
    expect(vi.getTimerCount()).toBe(0)
  })

  test.each([
    ['at once', () => Promise.reject(new Error('down'))],
    ['later', () => new Promise((_, reject) => setImmediate(() => reject(new Error('down'))))],
    [
      'before there is a promise',
      () => {
        throw new Error('down')
      },
    ],
  ])('maps an error that comes %s to its code', async (_name, work) => {
    await expect(withinDeadline(1000, FAULTS, work)).rejects.toMatchObject({ code: 'store_unavailable' })
  })

  test('aborts the work when the time is up', async () => {
    let told: unknown
    const waiting = withinDeadline(5, FAULTS, (signal) => {
      signal.addEventListener('abort', () => (told = signal.reason), { once: true })
      return new Promise(() => undefined)
    })
    await expect(waiting).rejects.toThrow('took too long')
    expect(told).toMatchObject({ name: 'TimeoutError', message: 'The database took too long' })
  })
})

describe('inTime', () => {
  test.each([null, undefined, 0, 'read'])('returns what is there at once: %j', async (value) => {
    expect(await inTime(1000, FAULTS, () => value)).toBe(value)
  })

  test('ends work without a signal, and leaves an error as it is where no code is named', async () => {
    const faults = { late: 'store_unavailable', what: 'The database' } as const
    await expect(inTime(5, faults, () => new Promise(() => undefined))).rejects.toMatchObject({
      code: 'store_unavailable',
      message: 'The database took too long',
    })
    const down = new Error('down')
    await expect(inTime(1000, faults, () => Promise.reject(down))).rejects.toBe(down)
  })
})
