/** Stops asking an upstream that keeps failing, and finds out with single calls when it is back. */
import { group, number, type OptionKind, whole } from 'hono-rag-gate/core/lib'

/** When to stop asking, and for how long. */
export interface CircuitBreakerOptions {
  /**
   * Milliseconds over which calls are counted, in whole seconds.
   *
   * @default 10000
   */
  readonly windowMs?: number
  /**
   * Calls in the window before it is judged, 1 and up.
   *
   * @default 10
   */
  readonly minCalls?: number
  /**
   * Share of failed calls from which the circuit opens, 0.01 to 1. Equality opens.
   *
   * @default 0.5
   */
  readonly openFrom?: number
  /**
   * Milliseconds until the first call is tried again.
   *
   * @default 5000
   */
  readonly openMs?: number
  /**
   * The pause doubles with every try that fails, up to so many milliseconds: an upstream that is back is found within
   * that time.
   *
   * @default 10000
   */
  readonly maxOpenMs?: number
}

/** What they must be. */
export const breakerOptions: OptionKind = group<CircuitBreakerOptions>({
  windowMs: whole(1000),
  minCalls: whole(1),
  openFrom: number(0.01, 1),
  openMs: whole(0),
  maxOpenMs: whole(0),
})

/** How a call ended. `unknown`: the caller left before the outcome was known, or this process was too busy to see it. */
export type CallOutcome = 'ok' | 'failed' | 'unknown'

/** Leave to make a call; report how it ended. */
export type Admission =
  | { readonly admitted: true; readonly report: (outcome: CallOutcome) => void }
  | { readonly admitted: false; readonly retryInMs: number }

/** One for each upstream. */
export interface CircuitBreaker {
  admit(): Admission
}

const BUCKET_MS = 1000

/**
 * Makes a breaker: closed at first; open after too many failures; then one call at a time tries, and the first that
 * succeeds closes it.
 *
 * @param nowMs milliseconds since 1970
 */
export function createCircuitBreaker(nowMs: () => number, options: CircuitBreakerOptions = {}): CircuitBreaker {
  const { windowMs = 10_000, minCalls = 10, openFrom = 0.5, openMs = 5000, maxOpenMs = 10_000 } = options
  const buckets = new Map<number, { calls: number; failures: number }>()
  /** Refuses calls for `forMs`, from the last failure or try on. */
  let open: { readonly forMs: number; sinceMs: number } | undefined

  function openFor(forMs: number): void {
    buckets.clear()
    open = { forMs, sinceMs: nowMs() }
  }

  function reportClosed(outcome: CallOutcome): void {
    // What was sent before it opened says nothing new.
    if (open !== undefined || outcome === 'unknown') return
    const second = Math.floor(nowMs() / BUCKET_MS)
    const bucket = buckets.get(second) ?? { calls: 0, failures: 0 }
    buckets.set(second, bucket)
    bucket.calls++
    if (outcome === 'failed') bucket.failures++
    let calls = 0
    let failures = 0
    for (const [at, counted] of buckets) {
      // A clock that was set back leaves buckets in the future: they go as well.
      if (at <= second - windowMs / BUCKET_MS || at > second) buckets.delete(at)
      else {
        calls += counted.calls
        failures += counted.failures
      }
    }
    if (calls >= minCalls && failures >= openFrom * calls) openFor(openMs)
  }

  function reportProbe(outcome: CallOutcome): void {
    if (open === undefined) return
    if (outcome === 'ok') open = undefined
    else if (outcome === 'failed') openFor(Math.min(2 * open.forMs, maxOpenMs))
    else open.sinceMs = -Infinity
  }

  return {
    admit() {
      if (open === undefined) return { admitted: true, report: reportClosed }
      const now = nowMs()
      const ageMs = now - open.sinceMs
      // A pause that began in the future is over: the clock was set back.
      if (ageMs >= 0 && ageMs < open.forMs) return { admitted: false, retryInMs: open.forMs - ageMs }
      // A request that was cancelled never reports: its try is given up after the length of the pause.
      open.sinceMs = now
      return { admitted: true, report: reportProbe }
    },
  }
}
