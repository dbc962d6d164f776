/** Wrong credentials of one address, limited: who guesses is not heard for a while. */
import { keepNewest } from 'hono-rag-gate/core/lib'
import { isRagGateError } from 'hono-rag-gate/errors'
import { sha256Hex } from 'hono-rag-gate/http'
import type { Authenticate, Principal } from 'hono-rag-gate/ports'
import { addressOf, tooMany } from './limit-requests.ts'
import { createMemoryRateLimiter, type RateLimiter } from './rate-limiter.ts'

/** Wrong tokens of an address in a minute. */
const MOST_WRONG = 10

/** Wrong tokens that are remembered, of all addresses. */
const MAX_KNOWN = 1000

/**
 * The same authenticator, for addresses that did not send ten different wrong tokens within a minute. The others are turned
 * away with `rate_limited` and `Retry-After`, with any token; without one they are who they were. One that is sent again
 * counts once: a program with an old key shuts out nobody who shares its address.
 *
 * @param limiter counts wrong tokens. Default: ten a minute, in memory
 * @returns throws what `authenticate` does, and `rate_limited`
 */
export function limitWrongTokens(
  authenticate: Authenticate,
  limiter: Required<RateLimiter> = createMemoryRateLimiter({ limit: MOST_WRONG }),
): Authenticate {
  // Digests of them with their addresses.
  const wrong = new Map<string, true>()
  // What stands before a gate asks before it does.
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
