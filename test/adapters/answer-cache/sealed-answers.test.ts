import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  type AnswerCacheFault,
  createSealer,
  sealedAnswers,
  type SealedStore,
} from '../../../src/adapters/answer-cache.ts'
import { answerCacheContract } from '../../contracts/answer-cache.ts'
import { aStoredAnswer } from '../../fixtures/decision.ts'

/** A store in memory, with the seconds that each text is to be kept. */
function aStore() {
  const texts = new Map<string, string>()
  const seconds: number[] = []
  const store: SealedStore = {
    get: async (address) => texts.get(address) ?? null,
    put: async (address, sealed, kept) => void (texts.set(address, sealed), seconds.push(kept)),
    delete: async (address) => texts.delete(address),
  }
  return { texts, seconds, store }
}

function setUp(changed: Partial<SealedStore> = {}) {
  const { texts, seconds, store } = aStore()
  const faults: AnswerCacheFault[] = []
  const cache = sealedAnswers({ ...store, ...changed }, createSealer(undefined), 1000, (fault) => faults.push(fault))
  return { texts, seconds, faults, cache }
}

answerCacheContract('sealedAnswers', () => setUp().cache)

const DOWN = new Error('down')
const down = (): Promise<never> => Promise.reject(DOWN)

describe('sealedAnswers', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it.each([
    [{ lifetimeSeconds: 600 }, [600]],
    [{ lifetimeSeconds: 600.9, staleIfErrorSeconds: 300.9 }, [900]],
    [{ lifetimeSeconds: 600, staleIfErrorSeconds: -300 }, [600]],
    [{ lifetimeSeconds: 86_400, staleIfErrorSeconds: 31 * 86_400 }, [31 * 86_400]],
    [{ lifetimeSeconds: 1 }, [1]],
    [{ lifetimeSeconds: 0.9, staleIfErrorSeconds: 300 }, []],
    [{ lifetimeSeconds: Number.NaN }, []],
  ])('keeps an answer with %o for %j seconds', async (given, kept) => {
    const { cache, seconds } = setUp()
    await cache.put('key', aStoredAnswer('key', given))
    expect(seconds).toEqual(kept)
  })

  it('writes nothing for an answer with another key or of another format', async () => {
    const { cache, texts } = setUp()
    await cache.put('key', aStoredAnswer('other'))
    await cache.put('key', { ...aStoredAnswer('key'), schema: 1 as unknown as 2 })
    expect(texts.size).toBe(0)
  })

  it('reports and deletes a damaged text, and nothing where there is none', async () => {
    const { cache, texts, faults } = setUp()
    expect(await cache.get('key')).toBeNull()
    expect(faults).toEqual([])
    await cache.put('key', aStoredAnswer('key'))
    for (const [address, text] of texts) texts.set(address, text.replace('Turn', 'Burn'))
    expect(await cache.get('key')).toBeNull()
    expect(faults).toEqual([{ operation: 'get', kind: 'damaged' }])
    expect(texts.size).toBe(0)
  })

  it('misses, and reports it, when a read fails or takes too long', async () => {
    const failing = setUp({ get: down })
    expect(await failing.cache.get('key')).toBeNull()
    expect(failing.faults).toEqual([{ operation: 'get', kind: 'failed', cause: DOWN }])
    const hanging = setUp({ get: () => new Promise<null>(() => undefined) })
    const read = vi.fn<(answer: unknown) => void>()
    void Promise.resolve(hanging.cache.get('key')).then(read)
    await vi.advanceTimersByTimeAsync(999)
    expect(read).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect(read).toHaveBeenCalledWith(null)
    expect(hanging.faults).toEqual([{ operation: 'get', kind: 'timeout' }])
  })

  it('leaves no timer behind', async () => {
    await setUp().cache.get('key')
    await setUp({ get: down }).cache.get('key')
    expect(vi.getTimerCount()).toBe(0)
  })

  it('does not reject when a write fails, but when a deletion does', async () => {
    const { cache, faults } = setUp({ put: down, delete: down })
    await cache.put('key', aStoredAnswer('key'))
    expect(faults).toEqual([{ operation: 'put', kind: 'failed', cause: DOWN }])
    await expect(cache.delete('key')).rejects.toBe(DOWN)
  })

  it('misses also without onFault', async () => {
    const { store, texts } = aStore()
    const cache = (changed: Partial<SealedStore>) =>
      sealedAnswers({ ...store, ...changed }, createSealer(undefined), 1000, undefined)
    await cache({}).put('key', aStoredAnswer('key'))
    for (const address of texts.keys()) texts.set(address, 'damaged')
    expect(await cache({}).get('key')).toBeNull()
    expect(texts.size).toBe(0)
    expect(await cache({ get: down }).get('key')).toBeNull()
    await expect(cache({ put: down }).put('key', aStoredAnswer('key'))).resolves.toBeUndefined()
    const late = cache({ get: () => new Promise<null>(() => undefined) }).get('key')
    await vi.advanceTimersByTimeAsync(1000)
    expect(await late).toBeNull()
  })
})
