import { callable, deadline, methods, object, required, requireOptions } from 'hono-rag-gate/core/lib'
import type { AnswerCache } from 'hono-rag-gate/ports'
import { createSealer, type AnswerCacheFault, sealedAnswers } from 'hono-rag-gate/adapters/answer-cache'

export type { AnswerCacheFault } from 'hono-rag-gate/adapters/answer-cache'

/** The part of a Workers KV namespace that is used. */
export interface KvStore {
  get(key: string, type: 'text'): Promise<string | null>
  put(key: string, value: string, options: { expirationTtl: number }): Promise<void>
  delete(key: string): Promise<void>
}

export interface KvAnswerCacheOptions {
  /** The namespace; answers are stored under `answer:` and 64 hexadecimal characters. */
  readonly kv: KvStore
  /**
   * Deadline of a read, milliseconds; a slower one is a miss. 1 to 2,000,000,000. A read that is not cached in the data centre
   * goes to a central one, but a saved model call takes seconds.
   *
   * @default 250
   */
  readonly deadlineMs?: number
  /**
   * Secret of at least 32 bytes: keys and hashes become HMAC-SHA-256. Set it if others can list the namespace or write
   * to it, because a plain hash of a short question can be guessed.
   *
   * @default none: plain SHA-256
   */
  readonly hmacKey?: Uint8Array
  /** Called for every fault. It must not throw. */
  readonly onFault?: (fault: AnswerCacheFault) => void
}

const DEFAULT_DEADLINE_MS = 250
/** Minimum expiration in KV. */
const LEAST_SECONDS = 60

/**
 * Stores answers in Workers KV: global, for exactly their lifetime plus the stale-if-error window. Answers that live
 * less than a minute, by default including refusals, are not stored. KV allows one write per second and key; further
 * ones are dropped and reported to `onFault`. Other data centres see a write or deletion after about a minute; purges
 * take effect at once nevertheless, because every answer read is checked against them.
 *
 * @returns a cache whose `get` is a miss if the store fails or is slow, whose `put` never rejects, and whose `delete`
 *   rejects with the store's error
 * @throws `config_invalid` when `deadlineMs` is out of range
 * @throws `secret_too_short` if `hmacKey` is
 * @see https://developers.cloudflare.com/kv/concepts/how-kv-works/
 */
export function createKvAnswerCache(options: KvAnswerCacheOptions): AnswerCache {
  requireOptions(options, {
    kv: required(methods('get', 'put', 'delete')),
    deadlineMs: deadline,
    hmacKey: object,
    onFault: callable,
  })
  const { kv, deadlineMs = DEFAULT_DEADLINE_MS, hmacKey, onFault } = options
  const nameOf = (address: string): string => `answer:${address}`
  const answers = sealedAnswers(
    {
      get: (address) => kv.get(nameOf(address), 'text'),
      put: (address, sealed, expirationTtl) => kv.put(nameOf(address), sealed, { expirationTtl }),
      delete: (address) => kv.delete(nameOf(address)),
    },
    createSealer(hmacKey),
    deadlineMs,
    onFault && ((fault) => onFault(isRateLimit(fault) ? { ...fault, kind: 'rate-limited' } : fault)),
  )
  return {
    ...answers,
    put: async (key, answer) => {
      if (answer.lifetimeSeconds >= LEAST_SECONDS) await answers.put(key, answer)
    },
  }
}

/** KV reports its write limit only in the error's text: `KV PUT failed: 429 Too Many Requests`. */
function isRateLimit({ operation, cause }: AnswerCacheFault): boolean {
  return operation === 'put' && cause instanceof Error && /\b429\b/.test(cause.message)
}
