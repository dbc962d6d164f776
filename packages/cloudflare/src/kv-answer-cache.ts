import { above, callable, methods, object, required, requireOptions } from 'hono-rag-gate/core/lib'
import type { AnswerCache } from 'hono-rag-gate/ports'
import { createSealer, type AnswerCacheFault, sealedAnswers } from 'hono-rag-gate/adapters/answer-cache'

export type { AnswerCacheFault } from 'hono-rag-gate/adapters/answer-cache'

/** What is used of a Workers KV namespace. */
export interface KvStore {
  get(key: string, type: 'text'): Promise<string | null>
  put(key: string, value: string, options: { expirationTtl: number }): Promise<void>
  delete(key: string): Promise<void>
}

export interface KvAnswerCacheOptions {
  /** The namespace; answers stand in it under `answer:` and 64 hexadecimal characters. */
  readonly kv: KvStore
  /**
   * Longest time a read may take, in milliseconds; a slower one is a miss. Above 0. A read that the data centre has no copy
   * for goes to a central one, and a model call that it saves takes seconds.
   *
   * @default 250
   */
  readonly deadlineMs?: number
  /**
   * Secret of 32 bytes and up: keys and hashes become HMAC-SHA-256. Give one wherever others can list the namespace
   * or write to it: a plain hash of a short question can be guessed.
   *
   * @default none: plain SHA-256
   */
  readonly hmacKey?: Uint8Array
  /** Called for every fault. It must not throw. */
  readonly onFault?: (fault: AnswerCacheFault) => void
}

const DEFAULT_DEADLINE_MS = 250
/** KV takes no shorter expiration. */
const LEAST_SECONDS = 60

/**
 * Keeps answers in Workers KV: everywhere, for exactly their lifetime and their window for faults. Answers that live less
 * than a minute are not stored, refusals by default among them. KV takes one write a second to a key: what is more is
 * dropped, and `onFault` is told. Other data centres see a write, or a deletion, after a minute or so; purges do not wait
 * for that, because every answer that is read is held against them.
 *
 * @returns a cache whose `get` is a miss when the store fails or is slow, whose `put` never rejects, and whose `delete`
 *   rejects with the store's own error
 * @throws `config_invalid` when `deadlineMs` is out of range
 * @throws `secret_too_short` when `hmacKey` is
 * @see https://developers.cloudflare.com/kv/concepts/how-kv-works/
 */
export function createKvAnswerCache(options: KvAnswerCacheOptions): AnswerCache {
  requireOptions(options, {
    kv: required(methods('get', 'put', 'delete')),
    deadlineMs: above(0),
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

/** KV tells its limit of writes only in the text of the error: `KV PUT failed: 429 Too Many Requests`. */
function isRateLimit({ operation, cause }: AnswerCacheFault): boolean {
  return operation === 'put' && cause instanceof Error && /\b429\b/.test(cause.message)
}
