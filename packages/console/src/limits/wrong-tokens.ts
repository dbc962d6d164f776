/** Limits wrong credentials per address, against guessing. */
import { keepNewest } from 'hono-rag-gate/core/lib'
import { isRagGateError } from 'hono-rag-gate/errors'
import { sha256Hex } from 'hono-rag-gate/http'
import type { Authenticate, Principal } from 'hono-rag-gate/ports'
import { addressOf, tooMany } from './limit-requests.ts'
import { createMemoryRateLimiter, type RateLimiter } from './rate-limiter.ts'

/** Maximum number of different wrong tokens per address and minute. */
const MOST_WRONG = 10

/** Maximum number of remembered wrong tokens, of all addresses. */
const MAX_KNOWN = 1000

/**
 * Wraps an authenticator: an address that sent ten different wrong tokens within a minute is rejected with
 * `rate_limited` and `Retry-After`, whatever token it sends; requests without a token are unaffected. A repeated wrong
 * token counts once, so that a program with an outdated key does not lock out others at its address.
 *
 * @param limiter counts wrong tokens. Default: ten a minute, in memory
 * @returns throws what `authenticate` does, and `rate_limited`
 */
export function limitWrongTokens(
  authenticate: Authenticate,
  limiter: Required<RateLimiter> = createMemoryRateLimiter({ limit: MOST_WRONG }),
): Authenticate {
  // Digests of wrong tokens with their addresses.
  const wrong = new Map<string, true>()
  // Middleware before the gate authenticates the same request.
  const known = new WeakMap<Request, Promise<Principal | null>>()
  return function limitedAuthenticate(request) {
    const found = known.get(request) ?? identified(request)
    known.set(request, found)
    return found
  }

  async function identified(request: Request): Promise<Principal | null> {
    const address = request.headers.has('authorization') ? addressOf(request) : ''
    if (address === '') return authenticate(request)
    const seconds = limiter.peek(address)
    if (seconds > 0) throw tooMany('Too many wrong tokens', seconds)
    try {
      return await authenticate(request)
    } catch (thrown) {
      if (isRagGateError(thrown) && thrown.code === 'unauthorized') await count(request, address)
      throw thrown
    }
  }

  async function count(request: Request, address: string): Promise<void> {
    const digest = await sha256Hex(`${address} ${request.headers.get('authorization')}`)
    const isRepeated = wrong.has(digest)
    keepNewest(wrong, digest, true, MAX_KNOWN)
    if (!isRepeated) await limiter.take(address)
  }
}
