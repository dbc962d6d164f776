import type { AnswerCache, CachedAnswer } from '../ports/answer-cache.ts'
import { createSealer } from './answer-cache/envelope.ts'
import { type AnswerCacheFault, readInTime, requireDeadline } from './answer-cache/read-in-time.ts'
import { storedSeconds } from './answer-cache/stored-seconds.ts'

export type { AnswerCacheFault } from './answer-cache/read-in-time.ts'

/** What is used of the Cache API. `caches.default` and an opened `Cache` are such stores. */
export interface ResponseStore {
  match(url: string): Promise<Response | undefined>
  put(url: string, response: Response): Promise<void>
  delete(url: string): Promise<boolean>
}

export interface CacheApiAnswerCacheOptions {
  /** The store, or a way to open it, called within the first request that needs it. */
  readonly cache: ResponseStore | (() => Promise<ResponseStore>)
  /**
   * Longest time a read may take, in milliseconds; a slower one is a miss. Above 0.
   *
   * @default 50
   */
  readonly deadlineMs?: number
  /**
   * Secret for a store that others can write to or list: keys and hashes become HMAC-SHA-256. 32 bytes and up.
   *
   * @default none: plain SHA-256
   */
  readonly hmacKey?: Uint8Array
  /** Called for every fault. It must not throw. */
  readonly onFault?: (fault: AnswerCacheFault) => void
}

const ADDRESS = 'https://rag-gate.invalid/answers/'
const DEFAULT_DEADLINE_MS = 50

/**
 * Keeps answers in the Cache API: per data centre, for as long as the platform likes, at most the
 * answer's lifetime and its window for faults.
 * Used as a dumb store: what comes back is believed only if its hash, its form and its key are right.
 *
 * @returns a cache whose `get` is a miss when the store fails or is slow, whose `put` never rejects, and whose `delete`
 *   rejects with the store's own error, because whoever purges must know
 * @throws `config_invalid` when `deadlineMs` is out of range
 * @throws `secret_too_short` when `hmacKey` is
 * @see https://developers.cloudflare.com/workers/runtime-apis/cache/
 */
export function createCacheApiAnswerCache({
  cache,
  deadlineMs = DEFAULT_DEADLINE_MS,
  hmacKey,
  onFault,
}: CacheApiAnswerCacheOptions): AnswerCache {
  requireDeadline(deadlineMs)
  const sealer = createSealer(hmacKey)
  // A value, not a promise: a promise of one request must not be awaited by another.
  let opened: ResponseStore | undefined

  async function open(): Promise<ResponseStore> {
    return (opened ??= typeof cache === 'function' ? await cache() : cache)
  }

  async function read(key: string): Promise<CachedAnswer | null> {
    const url = ADDRESS + (await sealer.address(key))
    const store = await open()
    const response = await store.match(url)
    if (response === undefined) return null
    const answer = await sealer.open(await response.text(), key)
    if (answer !== null) return answer
    onFault?.({ operation: 'get', kind: 'damaged' })
    await store.delete(url)
    return null
  }

  return {
    get: (key) => readInTime(deadlineMs, onFault, () => read(key)),

    async put(key, answer) {
      const maxAge = storedSeconds(answer)
      if (maxAge === 0 || answer.schema !== 2 || answer.key !== key) return
      try {
        // No other directive: the local Cache API would serve past `max-age` with `stale-while-revalidate`.
        const headers = { 'Content-Type': 'application/json', 'Cache-Control': `max-age=${maxAge}` }
        const store = await open()
        await store.put(ADDRESS + (await sealer.address(key)), new Response(await sealer.seal(answer), { headers }))
      } catch (cause) {
        onFault?.({ operation: 'put', kind: 'failed', cause })
      }
    },

    async delete(key) {
      const store = await open()
      await store.delete(ADDRESS + (await sealer.address(key)))
    },
  }
}
