/**
 * How an upstream is asked: at most one retry, and only where it helps, within a budget that an outage uses up; and not
 * at all while it keeps failing.
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
   * Further tries after one that failed by a broken connection or a status of 429 or 5xx. A timeout is never retried.
   *
   * @default 1
   */
  readonly retries?: 0 | 1
  /** When to stop asking. */
  readonly breaker?: CircuitBreakerOptions
  /**
   * Milliseconds since 1970.
   *
   * @default Date.now
   */
  readonly nowMs?: () => number
  /**
   * A number of 0 and up, below 1.
   *
   * @default Math.random
   */
  readonly random?: () => number
  /** Waits so many milliseconds; rejects when the signal aborts. */
  readonly sleep?: (ms: number, signal: AbortSignal | undefined) => Promise<void>
}

/** What they must be. */
export const upstreamOptions: OptionKind = group<UpstreamOptions>({
  retries: oneOf(0, 1),
  breaker: breakerOptions,
  nowMs: callable,
  random: callable,
  sleep: callable,
})

/**
 * Makes a call, and perhaps makes it again. The state behind it belongs to one upstream: share it between all that ask
 * the same one.
 *
 * @throws `UpstreamFault`
 */
export type Upstream = <Result>(attempt: () => Promise<Result>, signal?: AbortSignal) => Promise<Result>

/** Bounds of the pause before a retry, milliseconds. */
const PAUSE_FROM_MS = 50
const PAUSE_TO_MS = 250

/** A retry takes ten tokens, a success gives one back: ten retries at once, and 10 % of all calls in the long run. */
const TOKENS = 100
const RETRY_COST = 10

/** No room for what was to be written. */
const FULL = 507

/** What a fault tells of an upstream, and whether another try may go better: one that was late has had its time. */
interface Told {
  readonly outcome: CallOutcome
  readonly isRetried?: true
}

/** Behind every other fault the upstream is there, and answers what it should not. */
const TOLD: Partial<Readonly<Record<UpstreamFaultKind, Told>>> = {
  timeout: { outcome: 'failed' },
  network: { outcome: 'failed', isRetried: true },
  unavailable: { outcome: 'failed', isRetried: true },
  late: { outcome: 'unknown' },
  aborted: { outcome: 'unknown' },
}

/** Makes the discipline of one upstream. */
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
      const pauseMs = PAUSE_FROM_MS + random() * (PAUSE_TO_MS - PAUSE_FROM_MS)
      if (retries === 0 || tokens < RETRY_COST || !isWorthRetrying(thrown, pauseMs)) throw thrown
      tokens -= RETRY_COST
      await sleep(pauseMs, signal)
      return once(attempt).catch((again: unknown) => {
        // That the circuit opened meanwhile is no news: the first failure says more.
        throw again instanceof UpstreamFault && again.kind === 'circuit-open' ? thrown : again
      })
    }
  }
}

/** Sends requests to one HTTP upstream; throws `UpstreamFault`, also for a status of 429 or 5xx but 507. */
export type HttpUpstream = (url: string, init: BoundedRequest, signal?: AbortSignal) => Promise<BoundedResponse>

/** Makes an upstream that is asked over HTTP. Bounds hold for each try. */
export function createHttpUpstream(
  bounds: Omit<BoundedFetchOptions, 'signal'>,
  options?: UpstreamOptions,
): HttpUpstream {
  const exchange = createHttpExchange(options)
  return function httpUpstream(url, init, signal) {
    return exchange(() => boundedFetch(url, init, { ...bounds, signal }), signal)
  }
}

/** Makes an HTTP exchange, and perhaps makes it again; throws `UpstreamFault`, also for a status of 429 or 5xx. */
export type HttpExchange = <Answer extends Pick<Response, 'status' | 'headers'>>(
  attempt: () => Promise<Answer>,
  signal?: AbortSignal,
) => Promise<Answer>

/** Makes the discipline of one upstream that is asked over HTTP, whichever way its answers are read. */
export function createHttpExchange(options: UpstreamOptions = {}): HttpExchange {
  const upstream = createUpstream(options)
  const { nowMs = () => Date.now() } = options
  return function httpExchange(attempt, signal) {
    return upstream(async () => {
      const response = await attempt()
      // One that is full is there, and stays full.
      if (response.status === 429 || (response.status >= 500 && response.status !== FULL)) {
        const { status, headers } = response
        throw new UpstreamFault('unavailable', { status, retryAfterSeconds: retryAfterSeconds(headers, nowMs()) })
      }
      return response
    }, signal)
  }
}

/** A service that asks for a longer wait than ours is not asked again in this call. */
function isWorthRetrying(thrown: unknown, pauseMs: number): boolean {
  if (!(thrown instanceof UpstreamFault) || !TOLD[thrown.kind]?.isRetried) return false
  return (thrown.retryAfterSeconds ?? 0) * 1000 <= pauseMs
}

async function sleepFor(ms: number, signal: AbortSignal | undefined): Promise<void> {
  const deadline = startDeadline({ timeoutMs: ms, signal })
  await deadline.race(new Promise<never>(() => undefined)).catch(() => undefined)
  deadline.stop()
  if (signal?.aborted === true) throw deadline.fault
}
