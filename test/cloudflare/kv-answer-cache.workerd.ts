import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import {
  type AnswerCacheFault,
  createKvAnswerCache,
  type KvStore,
} from '../../packages/cloudflare/src/kv-answer-cache.ts'
import { answerCacheContract } from '../contracts/answer-cache.ts'
import { aStoredAnswer } from '../fixtures/decision.ts'

const KV = (env as unknown as { ANSWERS: KVNamespace }).ANSWERS

/** A namespace within the namespace, empty. KV in workerd is Miniflare's, on disk or in memory. */
function newStore(): KvStore & { readonly prefix: string } {
  const prefix = `${crypto.randomUUID()}/`
  return {
    prefix,
    get: (key, type) => KV.get(prefix + key, type),
    put: (key, value, options) => KV.put(prefix + key, value, options),
    delete: (key) => KV.delete(prefix + key),
  }
}

const refused: KvStore = {
  get: () => Promise.reject(new Error('unexpected get')),
  put: () => Promise.reject(new Error('unexpected put')),
  delete: () => Promise.reject(new Error('unexpected delete')),
}

/** Long enough for a loaded machine. */
const PATIENT = { deadlineMs: 5000 }

answerCacheContract('createKvAnswerCache', () => createKvAnswerCache({ kv: newStore(), ...PATIENT }))

async function stored(store: { readonly prefix: string }): Promise<string[]> {
  return (await KV.list({ prefix: store.prefix })).keys.map(({ name }) => name)
}

describe('createKvAnswerCache', () => {
  it('keeps an answer for its lifetime and its stale-if-error window', async () => {
    const kv = newStore()
    await createKvAnswerCache({ kv }).put('key', aStoredAnswer('key', { staleIfErrorSeconds: 300 }))
    const { keys } = await KV.list({ prefix: kv.prefix })
    expect(keys).toHaveLength(1)
    expect(keys[0]?.name.slice(kv.prefix.length)).toMatch(/^answer:[0-9a-f]{64}$/)
    expect(Math.abs((keys[0]?.expiration ?? 0) - Date.now() / 1000 - 900)).toBeLessThan(30)
  })

  it.each([0, 30, 59, Number.NaN])(
    'does not store an answer for %d seconds, because KV needs at least a minute',
    async (lifetimeSeconds) => {
      const kv = newStore()
      const faults: AnswerCacheFault[] = []
      const cache = createKvAnswerCache({ kv, onFault: (fault) => faults.push(fault) })
      await cache.put('key', aStoredAnswer('key', { lifetimeSeconds, staleIfErrorSeconds: 300 }))
      expect([await stored(kv), faults]).toEqual([[], []])
    },
  )

  it('stores an answer for a minute', async () => {
    const kv = newStore()
    await createKvAnswerCache({ kv }).put('key', aStoredAnswer('key', { lifetimeSeconds: 60 }))
    expect(await stored(kv)).toHaveLength(1)
  })

  it('never returns an entry in which any one of 1,000 bytes was flipped, and deletes it', async () => {
    const kv = newStore()
    const faults: AnswerCacheFault[] = []
    let text = ''
    let deleted = 0
    const tampered: KvStore = {
      ...refused,
      get: async () => text,
      delete: async () => void deleted++,
    }
    await createKvAnswerCache({ kv }).put('key', aStoredAnswer('key'))
    const whole = (await KV.get((await stored(kv))[0]!))!
    const cache = createKvAnswerCache({ kv: tampered, onFault: (fault) => faults.push(fault), ...PATIENT })
    text = whole
    expect(await cache.get('key')).not.toBeNull()
    for (let at = 0; at < 1000; at++) {
      const where = Math.floor((at / 1000) * whole.length)
      text = whole.slice(0, where) + String.fromCharCode(whole.charCodeAt(where) ^ 1) + whole.slice(where + 1)
      expect(await cache.get('key')).toBeNull()
    }
    expect([deleted, faults.length]).toEqual([1000, 1000])
    expect(faults.every(({ kind }) => kind === 'damaged')).toBe(true)
  })

  it('never returns the entry of another key', async () => {
    const kv = newStore()
    await createKvAnswerCache({ kv }).put('theirs', aStoredAnswer('theirs', { body: 'secret' }))
    const swapped = { ...kv, get: async () => KV.get((await stored(kv))[0]!) }
    expect(await createKvAnswerCache({ kv: swapped, ...PATIENT }).get('mine')).toBeNull()
  })

  it('drops and counts a write above the limit of one a second per key', async () => {
    const faults: AnswerCacheFault[] = []
    const limited = () => Promise.reject(new Error('KV PUT failed: 429 Too Many Requests'))
    const onFault = (fault: AnswerCacheFault) => void faults.push(fault)
    const cache = createKvAnswerCache({ kv: { ...refused, put: limited, get: limited }, onFault })
    await cache.put('key', aStoredAnswer('key'))
    await cache.get('key')
    const unnamed = { ...refused, put: () => Promise.reject() }
    await createKvAnswerCache({ kv: unnamed, onFault }).put('key', aStoredAnswer('key'))
    expect(faults.map(({ operation, kind }) => `${operation} ${kind}`)).toEqual([
      'put rate-limited',
      'get failed',
      'put failed',
    ])
  })

  it('misses when a read fails or hangs, and reports a failed write or deletion', async () => {
    const faults: AnswerCacheFault[] = []
    const onFault = (fault: AnswerCacheFault) => void faults.push(fault)
    const cache = createKvAnswerCache({ kv: refused, onFault })
    expect(await cache.get('key')).toBeNull()
    await cache.put('key', aStoredAnswer('key'))
    await expect(cache.delete('key')).rejects.toThrow('unexpected delete')
    const hanging = { ...refused, get: () => new Promise<null>(() => undefined) }
    expect(await createKvAnswerCache({ kv: hanging, deadlineMs: 20, onFault }).get('key')).toBeNull()
    expect(faults.map(({ operation, kind }) => `${operation} ${kind}`)).toEqual([
      'get failed',
      'put failed',
      'get timeout',
    ])
  })

  it('stores nothing at an address that can be derived from the key, with a secret', async () => {
    const kv = newStore()
    const hmacKey = new TextEncoder().encode('a secret of more than thirty-two bytes')
    await createKvAnswerCache({ kv, hmacKey }).put('key', aStoredAnswer('key'))
    expect(await createKvAnswerCache({ kv, ...PATIENT }).get('key')).toBeNull()
    expect(await createKvAnswerCache({ kv, hmacKey, ...PATIENT }).get('key')).toEqual(aStoredAnswer('key'))
    expect(() => createKvAnswerCache({ kv, hmacKey: hmacKey.slice(0, 31) })).toThrow(
      expect.objectContaining({ code: 'secret_too_short' }),
    )
  })
})
