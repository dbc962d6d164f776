import { above, callable, object, required, requireOptions, text } from 'hono-rag-gate/core/lib'
import { type PurgeScope, scopesOfAnswer } from 'hono-rag-gate/core/policy'
import { RagGateError } from 'hono-rag-gate/errors'
import type { AnswerCache } from 'hono-rag-gate/ports'
import { createSealer, type AnswerCacheFault, sealedAnswers } from 'hono-rag-gate/adapters/answer-cache'
import { tagsOf } from './tags.ts'

export type { AnswerCacheFault } from 'hono-rag-gate/adapters/answer-cache'

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
  /**
   * Host name of the zone whose cache this is: entries then stand under it and are tagged, so that `createZoneAnswerPurges`
   * can have every data centre forget them. It needs `hmacKey`: under a real host name addresses must not be guessable.
   *
   * @default none: entries stand under a name that there is not, untagged
   */
  readonly host?: string
  /** Called for every fault. It must not throw. */
  readonly onFault?: (fault: AnswerCacheFault) => void
}

const NO_HOST = 'rag-gate.invalid'
const DEFAULT_DEADLINE_MS = 50
/** Longest value of `Cache-Tag`. @see https://developers.cloudflare.com/cache/how-to/purge-cache/purge-by-tags/ */
const MAX_TAG_BYTES = 16_384

/**
 * Keeps answers in the Cache API: per data centre, for as long as the platform likes, at most the
 * answer's lifetime and its window for faults.
 * Used as a dumb store: what comes back is believed only if its hash, its form and its key are right.
 *
 * @returns a cache whose `get` is a miss when the store fails or is slow, whose `put` never rejects, and whose `delete`
 *   rejects with the store's own error, because the caller of a purge must know
 * @throws `config_invalid` when `deadlineMs` is out of range, or `host` is no host name or without `hmacKey`
 * @throws `secret_too_short` when `hmacKey` is
 * @see https://developers.cloudflare.com/workers/runtime-apis/cache/
 */
export function createCacheApiAnswerCache(options: CacheApiAnswerCacheOptions): AnswerCache {
  requireOptions(options, {
    cache: required({
      words: 'a cache, or a function that opens one',
      holds: (cache) => object.holds(cache) || callable.holds(cache),
    }),
    deadlineMs: above(0),
    hmacKey: object,
    host: text,
    onFault: callable,
  })
  const { cache, deadlineMs = DEFAULT_DEADLINE_MS, hmacKey, host, onFault } = options
  const sealer = createSealer(hmacKey)
  if (host !== undefined) requireHost(host, hmacKey)
  const urlOf = (address: string): string => `https://${host ?? NO_HOST}/answers/${address}`
  // A value, not a promise: a promise of one request must not be awaited by another.
  let opened: ResponseStore | undefined

  async function open(): Promise<ResponseStore> {
    return (opened ??= typeof cache === 'function' ? await cache() : cache)
  }

  return sealedAnswers(
    {
      async get(address) {
        const store = await open()
        return (await (await store.match(urlOf(address)))?.text()) ?? null
      },

      async put(address, sealed, maxAge, { decision }) {
        // No other directive: the local Cache API would serve past `max-age` with `stale-while-revalidate`.
        const headers = new Headers({ 'Content-Type': 'application/json', 'Cache-Control': `max-age=${maxAge}` })
        if (host !== undefined) {
          const tags = (await tagsOf(scopesOfAnswer(decision), sealer)).join(',')
          // What could not be purged whole is not stored.
          if (tags.length > MAX_TAG_BYTES) return
          headers.set('Cache-Tag', tags)
        }
        const store = await open()
        await store.put(urlOf(address), new Response(sealed, { headers }))
      },

      async delete(address) {
        const store = await open()
        await store.delete(urlOf(address))
      },
    },
    sealer,
    deadlineMs,
    onFault,
  )
}

/**
 * The tags under which the answers of some scopes stand, where `host` is set: for purges by tag.
 *
 * @param hmacKey that of the cache
 * @throws `secret_too_short` when it is
 */
export function answerTags(hmacKey: Uint8Array): (scopes: readonly PurgeScope[]) => Promise<string[]> {
  const sealer = createSealer(hmacKey)
  return (scopes) => tagsOf(scopes, sealer)
}

function requireHost(host: string, hmacKey: Uint8Array | undefined): void {
  if (hmacKey === undefined) {
    throw new RagGateError('config_invalid', 'host needs hmacKey', { param: 'hmacKey' })
  }
  const url = `https://${host}/`
  if (!URL.canParse(url) || new URL(url).host !== host) {
    throw new RagGateError('config_invalid', 'host must be a host name such as www.example.com', { param: 'host' })
  }
}
