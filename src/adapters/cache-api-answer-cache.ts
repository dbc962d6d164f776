import { RagGateError } from '../errors.ts'
import type { AnswerCache, CachedAnswer } from '../ports/answer-cache.ts'

/** What is used of the Cache API. `caches.default` and an opened `Cache` are such stores. */
export interface ResponseStore {
  match(url: string): Promise<Response | undefined>
  put(url: string, response: Response): Promise<void>
  delete(url: string): Promise<boolean>
}

/** Something that went wrong and was not passed on. */
export interface AnswerCacheFault {
  readonly operation: 'get' | 'put'
  /** `damaged`: what was stored is not what was put there; it was deleted. */
  readonly kind: 'failed' | 'timeout' | 'damaged'
  readonly cause?: unknown
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

/** An answer as it is stored. */
interface Envelope {
  /** Hex digest of `answer`. */
  readonly digest: string
  /** The `CachedAnswer` as JSON. */
  readonly answer: string
}

const ADDRESS = 'https://rag-gate.invalid/answers/'
const DEFAULT_DEADLINE_MS = 50
const LEAST_SECRET_BYTES = 32
const UTF8 = new TextEncoder()

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
  if (!(deadlineMs > 0)) {
    throw new RagGateError('config_invalid', 'deadlineMs must be above 0', { param: 'deadlineMs' })
  }
  if (hmacKey !== undefined && hmacKey.byteLength < LEAST_SECRET_BYTES) {
    throw new RagGateError('secret_too_short', `hmacKey needs ${LEAST_SECRET_BYTES} bytes`, { param: 'hmacKey' })
  }
  const secret = hmacKey?.slice()
  // Values, not promises: a promise of one request must not be awaited by another.
  let opened: ResponseStore | undefined
  let signingKey: CryptoKey | undefined

  async function open(): Promise<ResponseStore> {
    return (opened ??= typeof cache === 'function' ? await cache() : cache)
  }

  async function digest(text: string): Promise<string> {
    const bytes = UTF8.encode(text)
    if (secret === undefined) return hex(await crypto.subtle.digest('SHA-256', bytes))
    const algorithm = { name: 'HMAC', hash: 'SHA-256' }
    signingKey ??= await crypto.subtle.importKey('raw', secret, algorithm, false, ['sign'])
    return hex(await crypto.subtle.sign('HMAC', signingKey, bytes))
  }

  async function read(key: string): Promise<CachedAnswer | null> {
    const url = ADDRESS + (await digest(key))
    const store = await open()
    const response = await store.match(url)
    if (response === undefined) return null
    const envelope = parseEnvelope(await response.text())
    if (envelope !== null && (await digest(envelope.answer)) === envelope.digest) {
      // True of the form: the digest says that `put` wrote this text. Whether it is this version's form is asked next.
      const answer = JSON.parse(envelope.answer) as CachedAnswer
      if (answer.schema === 2 && answer.key === key) return answer
    }
    onFault?.({ operation: 'get', kind: 'damaged' })
    await store.delete(url)
    return null
  }

  return {
    async get(key) {
      let timer: ReturnType<typeof setTimeout> | undefined
      const late = new Promise<'late'>((resolve) => {
        timer = setTimeout(() => resolve('late'), deadlineMs)
      })
      try {
        const answer = await Promise.race([read(key), late])
        if (answer !== 'late') return answer
        onFault?.({ operation: 'get', kind: 'timeout' })
      } catch (cause) {
        onFault?.({ operation: 'get', kind: 'failed', cause })
      } finally {
        if (timer !== undefined) clearTimeout(timer)
      }
      return null
    },

    async put(key, answer) {
      const lifetime = Math.floor(answer.lifetimeSeconds)
      if (!(lifetime > 0) || answer.schema !== 2 || answer.key !== key) return
      try {
        const text = JSON.stringify(answer)
        const envelope: Envelope = { digest: await digest(text), answer: text }
        // No other directive: the local Cache API would serve past `max-age` with `stale-while-revalidate`.
        const maxAge = lifetime + Math.max(0, Math.floor(answer.staleIfErrorSeconds ?? 0))
        const headers = { 'Content-Type': 'application/json', 'Cache-Control': `max-age=${maxAge}` }
        const store = await open()
        await store.put(ADDRESS + (await digest(key)), new Response(JSON.stringify(envelope), { headers }))
      } catch (cause) {
        onFault?.({ operation: 'put', kind: 'failed', cause })
      }
    },

    async delete(key) {
      const store = await open()
      await store.delete(ADDRESS + (await digest(key)))
    },
  }
}

/** @returns `null` when the text is no envelope */
function parseEnvelope(text: string): Envelope | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  if (typeof value !== 'object' || value === null || !('digest' in value) || !('answer' in value)) return null
  const { digest, answer } = value
  return typeof digest === 'string' && typeof answer === 'string' ? { digest, answer } : null
}

function hex(bytes: ArrayBuffer): string {
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
