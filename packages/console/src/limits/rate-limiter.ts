/** Rate limiters: by the platform's binding, or in memory. */
import { methods, number, required, requireOptions, whole } from 'hono-rag-gate/core/lib'
import type { Clock } from 'hono-rag-gate/ports'

/** Counts requests by key. */
export interface RateLimiter {
  /** @returns 0 if the request is allowed; else the seconds to wait, 1 and up */
  take(key: string): number | Promise<number>
  /** Like `take`, without counting. Absent if not supported. */
  peek?(key: string): number
}

/** Workers' binding. @see https://developers.cloudflare.com/workers/runtime-apis/bindings/rate-limit/ */
export interface RateLimitBinding {
  limit(options: { readonly key: string }): Promise<{ readonly success: boolean }>
}

/** Settings of `createBindingRateLimiter`. */
export interface BindingRateLimiterOptions {
  /** Limit and period are set in `wrangler.toml`; each data centre counts separately. */
  readonly binding: RateLimitBinding
  /**
   * Its period in seconds: 10 or 60.
   *
   * @default 60
   */
  readonly periodSeconds?: number
}

/**
 * A limiter over the platform's binding. If the binding fails, requests are allowed, not blocked.
 *
 * @throws `config_invalid` for invalid options
 */
export function createBindingRateLimiter(options: BindingRateLimiterOptions): RateLimiter {
  requireOptions(options, { binding: required(methods('limit')), periodSeconds: whole(1) })
  const { binding, periodSeconds = 60 } = options
  return {
    async take(key) {
      const outcome = await binding.limit({ key }).catch(() => ({ success: true }))
      return outcome.success ? 0 : periodSeconds
    },
  }
}

/** Settings of `createMemoryRateLimiter`. */
export interface MemoryRateLimiterOptions {
  /** Requests per key and period, 1 and up. */
  readonly limit: number
  /**
   * Length of a period in seconds, 1 and up.
   *
   * @default 60
   */
  readonly periodSeconds?: number
  /** @default the platform's */
  readonly clock?: Clock
}

/** Maximum number of keys counted at a time. */
const MOST_KEYS = 10_000

/**
 * A limiter in the memory of one isolate or process; a key's period begins with its first request. With more than ten
 * thousand keys, those with the oldest periods are dropped.
 *
 * @throws `config_invalid` for invalid options
 */
export function createMemoryRateLimiter(options: MemoryRateLimiterOptions): {
  readonly take: (key: string) => number
  readonly peek: (key: string) => number
} {
  requireOptions(options, { limit: required(whole(1)), periodSeconds: number(1), clock: methods('nowMs') })
  const { limit, periodSeconds = 60, clock = { nowMs: () => Date.now() } } = options
  const periods = new Map<string, { readonly endsMs: number; taken: number }>()
  const periodOf = (key: string) => {
    const known = periods.get(key)
    const leftMs = (known?.endsMs ?? 0) - clock.nowMs()
    // A period also ends if the clock was set back.
    if (known !== undefined && leftMs > 0 && leftMs <= periodSeconds * 1000) return known
    periods.delete(key)
    return undefined
  }
  const wait = (period: { readonly endsMs: number; readonly taken: number } | undefined): number =>
    period === undefined || period.taken < limit ? 0 : Math.ceil((period.endsMs - clock.nowMs()) / 1000)
  return {
    peek: (key) => wait(periodOf(key)),
    take(key) {
      const period = periodOf(key) ?? { endsMs: clock.nowMs() + periodSeconds * 1000, taken: 0 }
      const seconds = wait(period)
      if (seconds > 0) return seconds
      period.taken++
      periods.set(key, period)
      if (periods.size > MOST_KEYS) for (const [oldest] of periods) return (periods.delete(oldest), 0)
      return 0
    },
  }
}
