import { type AnswerCacheFault, createSealer, sealedAnswers } from 'hono-rag-gate/adapters/answer-cache'
import { callable, deadline, methods, object, required, requireOptions, text } from 'hono-rag-gate/core/lib'
import type { AnswerCache } from 'hono-rag-gate/ports'

/** The part of a client of the npm package `redis` that is used. */
export interface RedisStore {
  get(key: string): Promise<string | null>
  setEx(key: string, seconds: number, value: string): Promise<unknown>
  del(key: string): Promise<unknown>
}

export interface RedisAnswerCacheOptions {
  /**
   * A connected client of the npm package `redis`, made with `disableOfflineQueue: true`, so that questions do not wait
   * for an unavailable Redis.
   */
  readonly redis: RedisStore
  /** Prefix of every key, to separate deployments that share a database. @default 'rag-gate:answer:' */
  readonly prefix?: string
  /**
   * Deadline of a read, milliseconds; a slower one is a miss. 1 to 2,000,000,000.
   *
   * @default 100
   */
  readonly deadlineMs?: number
  /**
   * Secret of at least 32 bytes: keys and hashes become HMAC-SHA-256. Set it if others can list the database or write
   * to it.
   *
   * @default none: plain SHA-256
   */
  readonly hmacKey?: Uint8Array
  /** Called for every fault. It must not throw. */
  readonly onFault?: (fault: AnswerCacheFault) => void
}

/**
 * Stores answers in Redis or Valkey for all servers that share it, for exactly their lifetime plus stale-if-error
 * window.
 *
 * @returns a cache whose `get` is a miss if Redis fails or is slow, whose `put` never rejects, and whose `delete`
 *   rejects with the client's error
 * @throws `config_invalid` when an option is out of range
 * @throws `secret_too_short` if `hmacKey` is
 */
export function createRedisAnswerCache(options: RedisAnswerCacheOptions): AnswerCache {
  requireOptions(options, {
    redis: required(methods('get', 'setEx', 'del')),
    prefix: text,
    deadlineMs: deadline,
    hmacKey: object,
    onFault: callable,
  })
  const { redis, prefix = 'rag-gate:answer:', deadlineMs = 100, hmacKey, onFault } = options
  return sealedAnswers(
    {
      get: (address) => redis.get(prefix + address),
      put: (address, sealed, seconds) => redis.setEx(prefix + address, seconds, sealed),
      delete: (address) => redis.del(prefix + address),
    },
    createSealer(hmacKey),
    deadlineMs,
    onFault,
  )
}
