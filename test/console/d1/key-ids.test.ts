import { expect, it, vi } from 'vitest'
import { createKeyIds } from '../../../packages/console/src/d1/key-ids.ts'

it('an id noted as unknown again removes no other', async () => {
  const names = Array.from({ length: 1000 }, (_, at) => `id ${at}`)
  // Listed, so that only those remembered one by one are unknown.
  const ids = createKeyIds({ unknownMaxAgeMs: 5000, list: async () => names, clock: { nowMs: () => 0 } })
  for (const name of names) ids.noteUnknown(name)
  ids.noteUnknown('id 999')
  expect(await ids.isUnknown('id 0')).toBe(true)
  ids.noteUnknown('one more')
  expect(await ids.isUnknown('id 0')).toBe(false)
})

/** A cache over keys that can be made, counting how often their list is read. */
function aCache(keys: readonly string[] = []) {
  const clock = { atMs: 1_000_000, nowMs: () => clock.atMs }
  const list = vi.fn<(limit: number) => Promise<readonly string[]>>(async () => keys)
  const ids = createKeyIds({ unknownMaxAgeMs: 5000, list, clock })
  /** Looks up so many ids that have no key. */
  const miss = (count: number): void => {
    for (let at = 0; at < count; at++) ids.noteUnknown(`missed ${at}`)
  }
  return { clock, list, ids, miss }
}

it('an id without a key is unknown for five seconds, and not before the time at which that was noted', async () => {
  const { clock, ids } = aCache()
  ids.noteUnknown('none')
  clock.atMs += 4_999
  expect([await ids.isUnknown('none'), await ids.isUnknown('other')]).toEqual([true, false])
  clock.atMs += 1
  expect(await ids.isUnknown('none')).toBe(false)
  clock.atMs -= 5_001
  expect(await ids.isUnknown('none')).toBe(false)
})

it('the list is read after twenty look-ups within five seconds, and not after as many over a longer time', async () => {
  const { clock, list, ids, miss } = aCache(['known'])
  miss(19)
  expect([await ids.isUnknown('invented'), list.mock.calls]).toEqual([false, []])
  clock.atMs += 5_000
  miss(19)
  expect([await ids.isUnknown('invented'), list.mock.calls]).toEqual([false, []])
  miss(1)
  expect([await ids.isUnknown('invented'), await ids.isUnknown('known')]).toEqual([true, false])
  expect(list.mock.calls).toEqual([[10_001]])
  // Long after them, ids are looked up again.
  clock.atMs += 5_000
  expect([await ids.isUnknown('invented'), list.mock.calls.length]).toEqual([false, 1])
})

it('the list is read again once it is five seconds old, and a key made here is in it at once', async () => {
  const { clock, list, ids, miss } = aCache(['known'])
  miss(20)
  await ids.isUnknown('invented')
  ids.noteMade('made')
  clock.atMs += 4_000
  expect([await ids.isUnknown('made'), list.mock.calls.length]).toEqual([false, 1])
  clock.atMs += 1_000
  miss(20)
  expect([await ids.isUnknown('made'), list.mock.calls.length]).toEqual([true, 2])
})

it.each([
  [10_000, true, 2],
  [10_001, false, 1],
])('of %i keys the list is used: %s', async (count, isUsed, reads) => {
  const { clock, list, ids, miss } = aCache(Array.from({ length: count }, (_, at) => `key ${at}`))
  miss(20)
  expect(await ids.isUnknown('invented')).toBe(isUsed)
  clock.atMs += 5_000
  miss(20)
  expect([await ids.isUnknown('invented'), list.mock.calls.length]).toEqual([isUsed, reads])
})

it('while the list is read, others use the one before, and read it themselves if it takes too long', async () => {
  const { clock, list, ids, miss } = aCache(['known'])
  miss(20)
  list.mockReturnValueOnce(new Promise(() => undefined))
  void ids.isUnknown('invented')
  clock.atMs += 1
  expect([await ids.isUnknown('invented'), list.mock.calls.length]).toEqual([false, 1])
  // The request that was reading it was cancelled.
  clock.atMs += 5_000
  miss(20)
  expect([await ids.isUnknown('invented'), list.mock.calls.length]).toEqual([true, 2])
  list.mockReturnValueOnce(new Promise(() => undefined))
  clock.atMs += 5_000
  miss(20)
  void ids.isUnknown('invented')
  expect([await ids.isUnknown('invented'), await ids.isUnknown('known')]).toEqual([true, false])
  expect(list).toHaveBeenCalledTimes(3)
})

it('a list that cannot be read is an error, and is read again for the next id', async () => {
  const { list, ids, miss } = aCache(['known'])
  miss(20)
  list.mockRejectedValueOnce(new Error('D1 is away'))
  await expect(ids.isUnknown('invented')).rejects.toThrow('D1 is away')
  expect([await ids.isUnknown('invented'), list.mock.calls.length]).toEqual([true, 2])
})
