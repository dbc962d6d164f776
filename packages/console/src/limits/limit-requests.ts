/** Limits the request rate of callers before any other work. */
import type { Context, MiddlewareHandler } from 'hono'
import { callable, methods, type OptionKinds, required, requireOptions } from 'hono-rag-gate/core/lib'
import type { Authenticate } from 'hono-rag-gate/ports'
import { ConsoleError } from '../errors.ts'
import type { RateLimiter } from './rate-limiter.ts'

/** Authentication and limiters. */
export interface LimitedRequests {
  readonly authenticate: Authenticate
  /** Limits each principal. Absent for no limit. */
  readonly limiter?: RateLimiter | undefined
  /** Limits all principals of a tenant together. Absent for no limit. */
  readonly tenantLimiter?: RateLimiter | undefined
}

const LIMITED: OptionKinds<LimitedRequests> = {
  authenticate: required(callable),
  limiter: methods('take'),
  tenantLimiter: methods('take'),
}

/**
 * Makes middleware that limits the requests of each principal and each tenant. Requests beyond that get `rate_limited`
 * (429) with `Retry-After` and `RateLimit`, thrown for the app's `onError`.
 *
 * @param limited the settings, or a function that makes them from the bindings
 * @throws `config_invalid` for invalid settings
 * @see https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/
 */
export function limitRequests<Bindings extends object = object>(
  limited: LimitedRequests | ((env: Bindings) => LimitedRequests),
): MiddlewareHandler<{ Bindings: Bindings }> {
  if (typeof limited !== 'function') requireOptions(limited, LIMITED)
  return async function limitRequests(c, next) {
    const { authenticate, limiter, tenantLimiter } = typeof limited === 'function' ? limited(c.env) : limited
    // Also without a limiter, so that its errors reach the app, which knows their codes.
    const principal = await authenticate(c.req.raw)
    if (limiter !== undefined) {
      // Callers without credentials are distinguished by address.
      const isKnown = principal !== null && principal.id !== 'anonymous'
      const key = isKnown ? [principal.tenant, principal.id] : ['', addressOf(c.req.raw)]
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

/** @returns the error, without throwing it */
export function tooMany(message: string, retryAfterSeconds: number): ConsoleError {
  return new ConsoleError('rate_limited', message, { retryAfterSeconds })
}

/**
 * The client's address as reported by Cloudflare; an IPv6 address by its /64 network, an IPv4-mapped one as IPv4. Empty
 * elsewhere, because headers of other proxies can be forged.
 */
export function addressOf(request: Request): string {
  const address = request.headers.get('cf-connecting-ip') ?? ''
  if (!address.includes(':') || !URL.canParse(`http://[${address}]`)) return address
  // Normalised as in RFC 5952.
  const host = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [, ...mapped] = /^::ffff:(\w+):(\w+)$/.exec(host) ?? []
  if (mapped.length > 0) {
    const halves = mapped.map((half) => Number.parseInt(half, 16))
    return halves.flatMap((half) => [half >> 8, half & 255]).join('.')
  }
  const whole = host.replace('::', `:${'0:'.repeat(9 - host.split(':').length)}`)
  return whole.split(':').slice(0, 4).join(':')
}
