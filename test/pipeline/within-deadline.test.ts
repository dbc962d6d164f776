import { afterEach, describe, expect, test, vi } from 'vitest'
import { withinDeadline } from '../../src/pipeline/within-deadline.ts'

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
    expect(told).toMatchObject({ name: 'TimeoutError' })
  })
})
