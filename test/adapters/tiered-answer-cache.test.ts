import { describe, expect, it } from 'vitest'
import { createMemoryAnswerCache } from '../../src/adapters/memory-answer-cache.ts'
import { createTieredAnswerCache } from '../../src/adapters/tiered-answer-cache.ts'
import type { AnswerCache, StoredAnswer } from '../../src/ports/answer-cache.ts'
import { answerCacheContract } from '../contracts/answer-cache.ts'
import { aStoredAnswer } from '../fixtures/decision.ts'

answerCacheContract('createTieredAnswerCache', () =>
  createTieredAnswerCache({ tiers: [createMemoryAnswerCache(), createMemoryAnswerCache(), createMemoryAnswerCache()] }),
)

const down: AnswerCache = {
  get: () => Promise.reject(new Error('down')),
  put: () => Promise.reject(new Error('down')),
  delete: () => Promise.reject(new Error('down')),
}

/** Counts the reads and writes of a memory cache. */
function counted() {
  const cache = createMemoryAnswerCache()
  const tier = {
    reads: 0,
    writes: 0,
    ...cache,
    get: (key: string) => (tier.reads++, cache.get(key)),
    put: (key: string, answer: StoredAnswer) => (tier.writes++, cache.put(key, answer)),
  }
  return tier
}

describe('createTieredAnswerCache', () => {
  it('reads from the first tier that has the answer, and asks no slower one', async () => {
    const [fast, slow] = [counted(), counted()]
    const cache = createTieredAnswerCache({ tiers: [fast, slow] })
    await cache.put('key', aStoredAnswer('key'))
    expect(await cache.get('key')).toEqual(aStoredAnswer('key'))
    expect([fast.reads, slow.reads]).toEqual([1, 0])
  })

  it('writes the entry of a slower tier unchanged to the faster ones', async () => {
    const [fast, middle, slow] = [counted(), counted(), counted()]
    const cache = createTieredAnswerCache({ tiers: [fast, middle, slow] })
    await slow.put('key', aStoredAnswer('key'))
    expect(await cache.get('key')).toEqual(aStoredAnswer('key'))
    expect(await fast.get('key')).toEqual(aStoredAnswer('key'))
    expect(await middle.get('key')).toEqual(aStoredAnswer('key'))
    expect([slow.reads, slow.writes]).toEqual([1, 1])
  })

  it('reads further tiers when an entry is not acceptable, and replaces it by one that is', async () => {
    const [fast, slow] = [createMemoryAnswerCache(), createMemoryAnswerCache()]
    const cache = createTieredAnswerCache({ tiers: [fast, slow] })
    const [older, newer] = [aStoredAnswer('key', { purgeEpoch: 0 }), aStoredAnswer('key', { purgeEpoch: 5 })]
    await fast.put('key', older)
    await slow.put('key', newer)
    expect(await cache.get('key', ({ purgeEpoch }) => purgeEpoch === 5)).toEqual(newer)
    expect(await fast.get('key')).toEqual(newer)
  })

  it('returns the latest entry when none is acceptable, wherever it is', async () => {
    const [older, newer] = [aStoredAnswer('key', { requestedAtMs: 1 }), aStoredAnswer('key', { requestedAtMs: 2 })]
    for (const entries of [
      [older, newer, older],
      [newer, older, older],
    ]) {
      const tiers = entries.map(() => createMemoryAnswerCache())
      for (const [at, entry] of entries.entries()) await tiers[at]!.put('key', entry)
      expect(await createTieredAnswerCache({ tiers }).get('key', () => false)).toEqual(newer)
    }
  })

  it('passes that write to waitUntil if given', async () => {
    const waited: Promise<unknown>[] = []
    let written = 0
    const hanging = { ...createMemoryAnswerCache(), put: () => (written++, new Promise<void>(() => undefined)) }
    const slow = createMemoryAnswerCache()
    const cache = createTieredAnswerCache({ tiers: [hanging, slow], waitUntil: (work) => void waited.push(work) })
    await slow.put('key', aStoredAnswer('key'))
    expect(await cache.get('key')).not.toBeNull()
    expect([waited.length, written]).toEqual([1, 1])
  })

  it('works without a tier that fails', async () => {
    const slow = createMemoryAnswerCache()
    const cache = createTieredAnswerCache({ tiers: [down, slow] })
    await cache.put('key', aStoredAnswer('key'))
    expect(await cache.get('key')).toEqual(aStoredAnswer('key'))
    expect(await createTieredAnswerCache({ tiers: [down, down] }).get('key')).toBeNull()
  })

  it('deletes from every tier, and reports a failure', async () => {
    const slow = createMemoryAnswerCache()
    await slow.put('key', aStoredAnswer('key'))
    await expect(createTieredAnswerCache({ tiers: [down, slow] }).delete('key')).rejects.toThrow('down')
    expect(await slow.get('key')).toBeNull()
  })

  it('needs at least two tiers, each a cache', () => {
    for (const tiers of [[down], [down, {} as AnswerCache]]) {
      expect(() => createTieredAnswerCache({ tiers })).toThrow(
        expect.objectContaining({ code: 'config_invalid', message: 'tiers must be two caches or more' }),
      )
    }
  })
})
