/**
 * Retry and circuit breaking: at most one retry, only for transient failures and within a retry budget, and no calls
 * while the circuit is open.
 */
import { callable, group, oneOf, type OptionKind } from 'hono-rag-gate/core/lib'
import {
  boundedFetch,
  type BoundedFetchOptions,
  type BoundedRequest,
  type BoundedResponse,
  retryAfterSeconds,
} from './bounded-fetch.ts'
import {
  breakerOptions,
  type CallOutcome,
  type CircuitBreakerOptions,
  createCircuitBreaker,
} from './circuit-breaker.ts'
import { startDeadline } from './deadline.ts'
import { UpstreamFault, type UpstreamFaultKind } from './upstream-fault.ts'

/** Settings of `createUpstream`. */
export interface UpstreamOptions {
  /**
   * Maximum number of retries after a broken connection or a status of 408, 429 or 5xx. A timeout is never retried.
   *
   * @default 1
   */
  readonly retries?: 0 | 1
  /** Circuit breaker. */
  readonly breaker?: CircuitBreakerOptions
  /**
   * Current Unix time in milliseconds.
   *
   * @default Date.now
   */
  readonly nowMs?: () => number
  /**
   * A random number in [0, 1).
   *
   * @default Math.random
   */
  readonly random?: () => number
  /** Waits the given milliseconds; rejects if the signal aborts. */
  readonly sleep?: (ms: number, signal: AbortSignal | undefined) => Promise<void>
}

/** Validation of the options. */
export const upstreamOptions: OptionKind = group<UpstreamOptions>({
  retries: oneOf(0, 1),
  breaker: breakerOptions,
  nowMs: callable,
  random: callable,
  sleep: callable,
})

/**
 * Makes a call, and retries it if allowed. It holds the state of one upstream: share it among all its callers.
 *
 * @throws `UpstreamFault`
 */
export type Upstream = <Result>(attempt: () => Promise<Result>, signal?: AbortSignal) => Promise<Result>

/** Range of the pause before a retry, milliseconds. */
const PAUSE_FROM_MS = 50
const PAUSE_TO_MS = 250

/** Retry budget: a retry costs ten tokens, a success returns one; ten retries at once, 10 % in the long run. */
const TOKENS = 100
const RETRY_COST = 10

/** Status of an upstream without room for a write. */
const FULL = 507

/** What a fault means for the circuit breaker, and whether it is retried; a timeout has already used its time. */
interface Told {
  readonly outcome: CallOutcome
  readonly isRetried?: true
}

/** For all other faults the upstream is reachable, but its answer is wrong. */
const TOLD: Partial<Readonly<Record<UpstreamFaultKind, Told>>> = {
  timeout: { outcome: 'failed' },
  network: { outcome: 'failed', isRetried: true },
  unavailable: { outcome: 'failed', isRetried: true },
  late: { outcome: 'unknown' },
  aborted: { outcome: 'unknown' },
}

/** Makes the retries and circuit breaker of one upstream. */
export function createUpstream(options: UpstreamOptions = {}): Upstream {
  const { retries = 1, nowMs = () => Date.now(), random = Math.random, sleep = sleepFor } = options
  const breaker = createCircuitBreaker(nowMs, options.breaker)
  let tokens = TOKENS

  async function once<Result>(attempt: () => Promise<Result>): Promise<Result> {
    const admission = breaker.admit()
    if (!admission.admitted) {
      throw new UpstreamFault('circuit-open', { retryAfterSeconds: Math.ceil(admission.retryInMs / 1000) })
    }
    try {
      const result = await attempt()
      admission.report('ok')
      tokens = Math.min(TOKENS, tokens + 1)
      return result
    } catch (thrown) {
      admission.report(thrown instanceof UpstreamFault ? (TOLD[thrown.kind]?.outcome ?? 'ok') : 'failed')
      throw thrown
    }
  }

  return async function upstream(attempt, signal) {
    try {
      return await once(attempt)
    } catch (thrown) {
      if (retries === 0 || tokens < RETRY_COST || !isWorthRetrying(thrown)) throw thrown
      tokens -= RETRY_COST
      await sleep(PAUSE_FROM_MS + random() * (PAUSE_TO_MS - PAUSE_FROM_MS), signal)
      return once(attempt).catch((again: unknown) => {
        // If the circuit opened in the meantime, the first failure is more informative.
        throw again instanceof UpstreamFault && again.kind === 'circuit-open' ? thrown : again
      })
    }
  }
}

/** Sends requests to one HTTP upstream; throws `UpstreamFault`, also for status 408, 429 and 5xx except 507. */
export type HttpUpstream = (url: string, init: BoundedRequest, signal?: AbortSignal) => Promise<BoundedResponse>

/** Makes an HTTP upstream. Limits apply to each attempt. */
export function createHttpUpstream(
  bounds: Omit<BoundedFetchOptions, 'signal'>,
  options?: UpstreamOptions,
): HttpUpstream {
  const exchange = createHttpExchange(options)
  return function httpUpstream(url, init, signal) {
    return exchange(() => boundedFetch(url, init, { ...bounds, signal }), signal)
  }
}

/** Makes an HTTP exchange, perhaps with a retry; throws `UpstreamFault`, also for status 408, 429 and 5xx except 507. */
export type HttpExchange = <Answer extends Pick<Response, 'status' | 'headers'>>(
  attempt: () => Promise<Answer>,
  signal?: AbortSignal,
) => Promise<Answer>

/** Makes the retries and circuit breaker of one HTTP upstream, for any way of reading its responses. */
export function createHttpExchange(options: UpstreamOptions = {}): HttpExchange {
  const upstream = createUpstream(options)
  const { nowMs = () => Date.now() } = options
  return function httpExchange(attempt, signal) {
    return upstream(async () => {
      const response = await attempt()
      // A full upstream is available, and stays full.
      const { status, headers } = response
      if (status === 408 || status === 429 || (status >= 500 && status !== FULL)) {
        throw new UpstreamFault('unavailable', { status, retryAfterSeconds: retryAfterSeconds(headers, nowMs()) })
      }
      return response
    }, signal)
  }
}

/** Not if the service asks for a wait: one of whole seconds is longer than our pause. */
function isWorthRetrying(thrown: unknown): boolean {
  return thrown instanceof UpstreamFault && !!TOLD[thrown.kind]?.isRetried && !thrown.retryAfterSeconds
}

async function sleepFor(ms: number, signal: AbortSignal | undefined): Promise<void> {
  const deadline = startDeadline({ timeoutMs: ms, signal })
  await deadline.race(new Promise<never>(() => undefined)).catch(() => undefined)
  deadline.stop()
  if (signal?.aborted) throw deadline.fault
}
