/** How many requests a key may send in a while: by the platform's binding, or in memory. */
import { methods, number, required, requireOptions, whole } from 'hono-rag-gate/core/lib'
import type { Clock } from 'hono-rag-gate/ports'

/** Counts requests. */
export interface RateLimiter {
  /** @returns 0 where this one may go on; else the seconds to wait, 1 and up */
  take(key: string): number | Promise<number>
  /** As `take` would say, without counting. Absent where that cannot be known. */
  peek?(key: string): number
}

/** The binding of Workers. @see https://developers.cloudflare.com/workers/runtime-apis/bindings/rate-limit/ */
export interface RateLimitBinding {
  limit(options: { readonly key: string }): Promise<{ readonly success: boolean }>
}

/** Settings of `createBindingRateLimiter`. */
export interface BindingRateLimiterOptions {
  /** Its limit and its period are those of `wrangler.toml`; it counts in each data centre apart. */
  readonly binding: RateLimitBinding
  /**
   * Seconds of its period: 10 or 60.
   *
   * @default 60
   */
  readonly periodSeconds?: number
}

/**
 * By the platform's binding. Where it fails, requests go on: a limit that is away must not take the answers with it.
 *
 * @throws `config_invalid` for options that are not these
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
  /** Requests of a key in a period, 1 and up. */
  readonly limit: number
  /**
   * Seconds of a period, 1 and up.
   *
   * @default 60
   */
  readonly periodSeconds?: number
  /** @default the platform's */
  readonly clock?: Clock
}

/** Keys that are counted at a time. */
const MOST_KEYS = 10_000

/**
 * In the memory of one isolate or process: periods that begin with the first request of a key. With more than ten thousand keys
 * at a time those that began first are forgotten.
 *
 * @throws `config_invalid` for options that are not these
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
    // A clock that was set back ends a period too.
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
