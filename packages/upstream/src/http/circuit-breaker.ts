/** Circuit breaker: stops calling a failing upstream, and probes with single calls until it has recovered. */
import { group, number, type OptionKind, whole } from 'hono-rag-gate/core/lib'

/** When the circuit opens, and for how long. */
export interface CircuitBreakerOptions {
  /**
   * Length of the window over which calls are counted, milliseconds, in whole seconds.
   *
   * @default 10000
   */
  readonly windowMs?: number
  /**
   * Minimum number of calls in the window before the circuit can open, 1 and up.
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
   * Time from opening to the first probe, milliseconds.
   *
   * @default 5000
   */
  readonly openMs?: number
  /**
   * Maximum time between probes, milliseconds; the time doubles with each failed probe. A recovered upstream is noticed
   * within this time.
   *
   * @default 10000
   */
  readonly maxOpenMs?: number
}

/** Validation of the options. */
export const breakerOptions: OptionKind = group<CircuitBreakerOptions>({
  windowMs: whole(1000),
  minCalls: whole(1),
  openFrom: number(0.01, 1),
  openMs: whole(0),
  maxOpenMs: whole(0),
})

/** How a call ended. `unknown`: the caller left before, or this process was too busy to observe it. */
export type CallOutcome = 'ok' | 'failed' | 'unknown'

/** Permission to make a call, whose outcome must be reported, or a rejection. */
export type Admission =
  | { readonly admitted: true; readonly report: (outcome: CallOutcome) => void }
  | { readonly admitted: false; readonly retryInMs: number }

/** One per upstream. */
export interface CircuitBreaker {
  admit(): Admission
}

const BUCKET_MS = 1000

/**
 * Makes a breaker. It starts closed; after too many failures it opens; then it admits one probe at a time, and closes
 * with the first that succeeds.
 *
 * @param nowMs current Unix time in milliseconds
 */
export function createCircuitBreaker(nowMs: () => number, options: CircuitBreakerOptions = {}): CircuitBreaker {
  const { windowMs = 10_000, minCalls = 10, openFrom = 0.5, openMs = 5000, maxOpenMs = 10_000 } = options
  const buckets = new Map<number, { calls: number; failures: number }>()
  /** Calls are rejected for `forMs` after the last failure or probe. */
  let open: { readonly forMs: number; sinceMs: number } | undefined

  function openFor(forMs: number): void {
    buckets.clear()
    open = { forMs, sinceMs: nowMs() }
  }

  function reportClosed(outcome: CallOutcome): void {
    // Calls sent before the circuit opened give no new information.
    if (open !== undefined || outcome === 'unknown') return
    const second = Math.floor(nowMs() / BUCKET_MS)
    const bucket = buckets.get(second) ?? { calls: 0, failures: 0 }
    buckets.set(second, bucket)
    bucket.calls++
    if (outcome === 'failed') bucket.failures++
    let calls = 0
    let failures = 0
    for (const [at, counted] of buckets) {
      // Buckets in the future, from before the clock was set back, are deleted too.
      if (at <= second - windowMs / BUCKET_MS || at > second) buckets.delete(at)
      else {
        calls += counted.calls
        failures += counted.failures
      }
    }
    if (calls >= minCalls && failures / calls >= openFrom) openFor(openMs)
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
      // If the pause began in the future, the clock was set back, and the pause is over.
      if (ageMs >= 0 && ageMs < open.forMs) return { admitted: false, retryInMs: open.forMs - ageMs }
      // A cancelled request never reports its probe, so the next probe is admitted after another pause.
      open.sinceMs = now
      return { admitted: true, report: reportProbe }
    },
  }
}
