import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { createCacheApiAnswerCache } from '../../packages/cloudflare/src/cache-api-answer-cache.ts'
import type {
  AnswerCacheFault,
  CacheApiAnswerCacheOptions,
} from '../../packages/cloudflare/src/cache-api-answer-cache.ts'
import type { AnswerCache } from '../../src/ports/answer-cache.ts'
import { answerCacheContract } from '../contracts/answer-cache.ts'
import { aStoredAnswer, seededRandom } from '../fixtures/decision.ts'

/** A busy test machine is no slow store. */
const PATIENT = { deadlineMs: 5_000 }
const HMAC_KEY = new TextEncoder().encode('a secret of thirty-two bytes ....')

function openNew(): Promise<Cache> {
  return caches.open(crypto.randomUUID())
}

answerCacheContract('Cache API', async () => createCacheApiAnswerCache({ cache: await openNew(), ...PATIENT }))
answerCacheContract('Cache API opened late, with HMAC', () => {
  const name = crypto.randomUUID()
  return createCacheApiAnswerCache({ cache: () => caches.open(name), hmacKey: HMAC_KEY, ...PATIENT })
})

answerCacheContract('Cache API under the host name of a zone', async () =>
  createCacheApiAnswerCache({ cache: await openNew(), hmacKey: HMAC_KEY, host: 'www.example.com', ...PATIENT }),
)

/** The address an answer is stored under. */
async function addressOf(key: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(key)))
  return `https://rag-gate.invalid/answers/${Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

function storedAs(body: BodyInit): Response {
  return new Response(body, { headers: { 'Cache-Control': 'max-age=600' } })
}

async function makeCache(
  options: Partial<CacheApiAnswerCacheOptions> = {},
): Promise<{ store: Cache; cache: AnswerCache; faults: AnswerCacheFault[] }> {
  const store = await openNew()
  const faults: AnswerCacheFault[] = []
  const onFault = (fault: AnswerCacheFault): void => void faults.push(fault)
  return { store, faults, cache: createCacheApiAnswerCache({ cache: store, ...PATIENT, onFault, ...options }) }
}

function unexpected(): never {
  throw new Error('unexpected call')
}
/** A store of which nothing may be asked. */
const broken = { match: unexpected, put: unexpected, delete: unexpected }

describe('createCacheApiAnswerCache over a damaged store', () => {
  it('never returns an entry with a flipped byte', async () => {
    const { store, cache, faults } = await makeCache()
    const random = seededRandom(7)
    await cache.put('key', aStoredAnswer('key', { body: 'Turn the key to the left, then pull the handle.' }))
    const url = await addressOf('key')
    const sound = new Uint8Array(await (await store.match(url))!.arrayBuffer())
    const rounds = env.TEST_DEEP ? 1000 : 100
    for (let round = 0; round < rounds; round++) {
      const damaged = sound.slice()
      const at = Math.floor(random() * damaged.length)
      damaged[at] = damaged[at]! ^ (1 << Math.floor(random() * 8))
      await store.put(url, storedAs(damaged))
      expect(await cache.get('key')).toBeNull()
      expect(await store.match(url)).toBeUndefined()
    }
    expect(faults).toEqual(Array.from({ length: rounds }, () => ({ operation: 'get', kind: 'damaged' })))
  }, 120_000)

  it('never returns the entry of another key', async () => {
    const { store, cache } = await makeCache()
    await cache.put('mine', aStoredAnswer('mine'))
    await cache.put('theirs', aStoredAnswer('theirs', { body: 'secret' }))
    await store.put(await addressOf('mine'), (await store.match(await addressOf('theirs')))!)
    expect(await cache.get('mine')).toBeNull()
    expect(await store.match(await addressOf('mine'))).toBeUndefined()
    expect((await cache.get('theirs'))?.body).toBe('secret')
  })

  it('never returns a truncated entry', async () => {
    const { store, cache } = await makeCache()
    await cache.put('key', aStoredAnswer('key'))
    const url = await addressOf('key')
    const whole = await (await store.match(url))!.text()
    for (let end = 0; end < whole.length; end += env.TEST_DEEP ? 13 : 31) {
      await store.put(url, storedAs(whole.slice(0, end)))
      expect(await cache.get('key')).toBeNull()
      expect(await store.match(url)).toBeUndefined()
    }
  })

  it.each(['', 'garbage', 'null', '[]', '{}', '{"digest":1,"answer":2}', '{"digest":"","answer":"{}"}'])(
    'misses and deletes the entry %j',
    async (garbage) => {
      const { store, cache, faults } = await makeCache()
      await store.put(await addressOf('key'), storedAs(garbage))
      expect(await cache.get('key')).toBeNull()
      expect(await store.match(await addressOf('key'))).toBeUndefined()
      expect(faults).toEqual([{ operation: 'get', kind: 'damaged' }])
    },
  )

  it('misses and deletes an entry of another format version', async () => {
    const { store, cache } = await makeCache()
    const answer = JSON.stringify({ ...aStoredAnswer('key'), schema: 99 })
    const digest = (await addressOf(answer)).slice(-64)
    await store.put(await addressOf('key'), storedAs(JSON.stringify({ digest, answer })))
    expect(await cache.get('key')).toBeNull()
    expect(await store.match(await addressOf('key'))).toBeUndefined()
  })
})

describe('createCacheApiAnswerCache with a secret', () => {
  it('stores nothing at an address that can be derived from the key', async () => {
    const { store, cache } = await makeCache({ hmacKey: HMAC_KEY })
    await cache.put('key', aStoredAnswer('key'))
    expect(await store.match(await addressOf('key'))).toBeUndefined()
    expect(await cache.get('key')).toEqual(aStoredAnswer('key'))
  })

  it('does not find entries stored with another secret', async () => {
    const store = await openNew()
    const other = new TextEncoder().encode('another secret of thirty-two bytes')
    await createCacheApiAnswerCache({ cache: store, hmacKey: HMAC_KEY }).put('key', aStoredAnswer('key'))
    expect(await createCacheApiAnswerCache({ cache: store, hmacKey: other, ...PATIENT }).get('key')).toBeNull()
  })

  it('rejects a short secret', () => {
    const hmacKey = HMAC_KEY.slice(0, 31)
    expect(() => createCacheApiAnswerCache({ cache: caches.default, hmacKey })).toThrow(
      expect.objectContaining({ code: 'secret_too_short' }),
    )
  })
})

describe('createCacheApiAnswerCache over a failing store', () => {
  it('reports no fault when there is no entry', async () => {
    const { cache, faults } = await makeCache()
    expect([await cache.get('key'), faults]).toEqual([null, []])
  })

  it('misses when a read fails', async () => {
    const { cache, faults } = await makeCache({ cache: { ...broken, match: () => Promise.reject(new Error('down')) } })
    expect(await cache.get('key')).toBeNull()
    expect(faults).toMatchObject([{ operation: 'get', kind: 'failed', cause: { message: 'down' } }])
  })

  it('misses when a read takes longer than the deadline', async () => {
    const never = new Promise<undefined>(() => {})
    const { cache, faults } = await makeCache({ cache: { ...broken, match: () => never }, deadlineMs: 50 })
    const beforeMs = Date.now()
    expect(await cache.get('key')).toBeNull()
    expect(Date.now() - beforeMs).toBeLessThan(10_000)
    expect(faults).toEqual([{ operation: 'get', kind: 'timeout' }])
  })

  it('misses when the store cannot be opened, and tries again next time', async () => {
    const store = await openNew()
    let calls = 0
    const cache = createCacheApiAnswerCache({
      cache: () => (++calls === 1 ? Promise.reject(new Error('down')) : Promise.resolve(store)),
      ...PATIENT,
    })
    expect(await cache.get('key')).toBeNull()
    await cache.put('key', aStoredAnswer('key'))
    expect(await cache.get('key')).not.toBeNull()
    expect(calls).toBe(2)
  })

  it('counts a failed write and continues', async () => {
    const { cache, faults } = await makeCache({ cache: { ...broken, put: () => Promise.reject(new Error('full')) } })
    await cache.put('key', aStoredAnswer('key'))
    expect(faults).toMatchObject([{ operation: 'put', kind: 'failed', cause: { message: 'full' } }])
  })

  it('reports a failed deletion', async () => {
    const { cache } = await makeCache({ cache: { ...broken, delete: () => Promise.reject(new Error('down')) } })
    await expect(cache.delete('key')).rejects.toThrow('down')
  })
})

describe('the response that createCacheApiAnswerCache stores', () => {
  it('has the lifetime of the answer and no other directive', async () => {
    const { store, cache } = await makeCache()
    await cache.put('key', aStoredAnswer('key', { lifetimeSeconds: 61.9 }))
    const response = await store.match(await addressOf('key'))
    expect(response?.headers.get('Cache-Control')).toBe('max-age=61')
  })

  it('also has the stale-if-error window of the answer', async () => {
    const { store, cache } = await makeCache()
    await cache.put('key', aStoredAnswer('key', { lifetimeSeconds: 61, staleIfErrorSeconds: 600 }))
    const response = await store.match(await addressOf('key'))
    expect(response?.headers.get('Cache-Control')).toBe('max-age=661')
  })

  it.each([0, 0.5, -1, Number.NaN])('is not stored for a lifetime of %d s', async (lifetimeSeconds) => {
    const { store, cache } = await makeCache()
    await cache.put('key', aStoredAnswer('key', { lifetimeSeconds }))
    expect(await store.match(await addressOf('key'))).toBeUndefined()
  })

  it.each([0, -1, Number.NaN])('is limited by a deadline, which cannot be %d', (deadlineMs) => {
    expect(() => createCacheApiAnswerCache({ cache: caches.default, deadlineMs })).toThrow(
      expect.objectContaining({ code: 'config_invalid' }),
    )
  })
})
