import { callable, deadline, object, required, requireOptions, text } from 'hono-rag-gate/core/lib'
import { type PurgeScope, scopesOfAnswer } from 'hono-rag-gate/core/policy'
import { RagGateError } from 'hono-rag-gate/errors'
import type { AnswerCache } from 'hono-rag-gate/ports'
import { createSealer, type AnswerCacheFault, sealedAnswers } from 'hono-rag-gate/adapters/answer-cache'
import { tagsOf } from './tags.ts'

export type { AnswerCacheFault } from 'hono-rag-gate/adapters/answer-cache'

/** The part of the Cache API that is used, such as `caches.default` or an opened `Cache`. */
export interface ResponseStore {
  match(url: string): Promise<Response | undefined>
  put(url: string, response: Response): Promise<void>
  delete(url: string): Promise<boolean>
}

export interface CacheApiAnswerCacheOptions {
  /** The store, or a function that opens it, called during the first request that needs it. */
  readonly cache: ResponseStore | (() => Promise<ResponseStore>)
  /**
   * Deadline of a read, milliseconds; a slower one is a miss. 1 to 2,000,000,000.
   *
   * @default 50
   */
  readonly deadlineMs?: number
  /**
   * Secret of at least 32 bytes for a store that others can write to or list: keys and hashes become HMAC-SHA-256.
   *
   * @default none: plain SHA-256
   */
  readonly hmacKey?: Uint8Array
  /**
   * Host name of the zone whose cache is used: entries are stored under it with tags, so that `createZoneAnswerPurges`
   * can purge them in every data centre. Requires `hmacKey`, because URLs under a real host name must not be guessable.
   *
   * @default none: entries are stored without tags, under a host name that does not exist
   */
  readonly host?: string
  /** Called for every fault. It must not throw. */
  readonly onFault?: (fault: AnswerCacheFault) => void
}

const NO_HOST = 'rag-gate.invalid'
const DEFAULT_DEADLINE_MS = 50
/** Maximum length of `Cache-Tag`. @see https://developers.cloudflare.com/cache/how-to/purge-cache/purge-by-tags/ */
const MAX_TAG_BYTES = 16_384

/**
 * Stores answers in the Cache API: per data centre, until evicted, at most for the answer's lifetime plus the
 * stale-if-error window. The store is not trusted: an entry is used only if its hash, form and key are right.
 *
 * @returns a cache whose `get` is a miss if the store fails or is slow, whose `put` never rejects, and whose `delete`
 *   rejects with the store's error, because the caller of a purge must know
 * @throws `config_invalid` if `deadlineMs` is out of range, or `host` is not a host name or given without `hmacKey`
 * @throws `secret_too_short` if `hmacKey` is
 * @see https://developers.cloudflare.com/workers/runtime-apis/cache/
 */
export function createCacheApiAnswerCache(options: CacheApiAnswerCacheOptions): AnswerCache {
  requireOptions(options, {
    cache: required({
      words: 'a cache, or a function that opens one',
      holds: (cache) => object.holds(cache) || callable.holds(cache),
    }),
    deadlineMs: deadline,
    hmacKey: object,
    host: text,
    onFault: callable,
  })
  const { cache, deadlineMs = DEFAULT_DEADLINE_MS, hmacKey, host, onFault } = options
  const sealer = createSealer(hmacKey)
  if (host !== undefined) requireHost(host, hmacKey)
  const urlOf = (address: string): string => `https://${host ?? NO_HOST}/answers/${address}`
  // A value instead of a promise, because one request must not await a promise of another.
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
        // No further directives: with `stale-while-revalidate` the local Cache API would serve entries past `max-age`.
        const headers = new Headers({ 'Cache-Control': `max-age=${maxAge}` })
        if (host !== undefined) {
          const tags = (await tagsOf(scopesOfAnswer(decision), sealer)).join(',')
          // An entry with too many tags could not be purged completely, so it is not stored.
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
 * The tags of the answers in the given scopes, for purges by tag, if `host` is set.
 *
 * @param hmacKey that of the cache
 * @throws `secret_too_short` if it is
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
