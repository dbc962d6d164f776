/** Requests of a caller, limited before anything is done for them. */
import type { Context, MiddlewareHandler } from 'hono'
import { callable, methods, type OptionKinds, required, requireOptions } from 'hono-rag-gate/core/lib'
import type { Authenticate } from 'hono-rag-gate/ports'
import { ConsoleError } from '../errors.ts'
import type { RateLimiter } from './rate-limiter.ts'

/** What is limited, and by what. */
export interface LimitedRequests {
  readonly authenticate: Authenticate
  /** Of each principal. Absent where nothing is limited. */
  readonly limiter?: RateLimiter | undefined
  /** Of all principals of a tenant together. Absent where nothing is limited. */
  readonly tenantLimiter?: RateLimiter | undefined
}

const LIMITED: OptionKinds<LimitedRequests> = {
  authenticate: required(callable),
  limiter: methods('take'),
  tenantLimiter: methods('take'),
}

/**
 * Makes middleware that lets a principal of a tenant, and a tenant, send so many requests. Others get `rate_limited` (429) with
 * `Retry-After` and `RateLimit`, thrown for the app's `onError`.
 *
 * @param limited as it is, or of the bindings
 * @throws `config_invalid` for what is given as it is, and is none
 * @see https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/
 */
export function limitRequests<Bindings extends object = object>(
  limited: LimitedRequests | ((env: Bindings) => LimitedRequests),
): MiddlewareHandler<{ Bindings: Bindings }> {
  if (typeof limited !== 'function') requireOptions(limited, LIMITED)
  return async function limitRequests(c, next) {
    const { authenticate, limiter, tenantLimiter } = typeof limited === 'function' ? limited(c.env) : limited
    // Also without a limiter: what it throws is answered by the app, which knows its codes.
    const principal = await authenticate(c.req.raw)
    if (limiter !== undefined) {
      // Callers without credentials are told apart by where they come from.
      const key = principal?.id === 'anonymous' ? ['', addressOf(c.req.raw)] : [principal?.tenant, principal?.id]
      requireLeft(c, await limiter.take(JSON.stringify(key)))
    }
    if (principal && tenantLimiter) requireLeft(c, await tenantLimiter.take(principal.tenant))
    await next()
  }
}

/** @throws `rate_limited` */
function requireLeft(c: Context, seconds: number): void {
  if (seconds === 0) return
  c.header('ratelimit', `"requests";r=0;t=${seconds}`)
  throw tooMany('Too many requests', seconds)
}

/** @throws nothing: it is the error */
export function tooMany(message: string, retryAfterSeconds: number): ConsoleError {
  return new ConsoleError('rate_limited', message, { retryAfterSeconds })
}

/**
 * Where a request comes from, as Cloudflare says; an address of IPv6 by its network of 64 bits, one of IPv4 within it as that.
 * Empty elsewhere: what other proxies say can be made up.
 */
export function addressOf(request: Request): string {
  const address = request.headers.get('cf-connecting-ip') ?? ''
  if (!address.includes(':') || !URL.canParse(`http://[${address}]`)) return address
  // As RFC 5952 writes it.
  const host = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [, ...mapped] = /^::ffff:(\w+):(\w+)$/.exec(host) ?? []
  if (mapped.length > 0) {
    const halves = mapped.map((half) => Number.parseInt(half, 16))
    return halves.flatMap((half) => [half >> 8, half & 255]).join('.')
  }
  const whole = host.replace('::', `:${'0:'.repeat(9 - host.split(':').length)}`)
  return whole.split(':').slice(0, 4).join(':')
}
