import { describe, expect, test } from 'vitest'
import {
  type CallOutcome,
  type CircuitBreakerOptions,
  createCircuitBreaker,
} from '../../../packages/upstream/src/http/circuit-breaker.ts'

/** A breaker over a clock to move. */
function aBreaker(options: CircuitBreakerOptions = {}) {
  const clock = { atMs: 1_000_000 }
  const breaker = createCircuitBreaker(() => clock.atMs, options)
  /** Makes calls with these outcomes, and says whether all of them were admitted. */
  const call = (...outcomes: readonly CallOutcome[]): boolean =>
    outcomes.every((outcome) => {
      const admission = breaker.admit()
      if (admission.admitted) admission.report(outcome)
      return admission.admitted
    })
  const opened = () => {
    call(...Array.from({ length: 10 }, () => 'failed' as const))
    return { clock, breaker, call }
  }
  return { clock, breaker, call, opened }
}

const times = (count: number, outcome: CallOutcome): CallOutcome[] => Array.from({ length: count }, () => outcome)

describe('a circuit breaker', () => {
  test('stays closed before ten calls, and opens when half of them fail', () => {
    const { call, breaker } = aBreaker()
    expect(call(...times(5, 'failed'), ...times(4, 'ok'))).toBe(true)
    expect(breaker.admit().admitted).toBe(true)
    call('ok')
    expect(breaker.admit()).toEqual({ admitted: false, retryInMs: 5000 })
  })

  test('stays closed when fewer than half fail', () => {
    const { call, breaker } = aBreaker()
    call(...times(51, 'ok'), ...times(50, 'failed'))
    expect(breaker.admit().admitted).toBe(true)
  })

  // 0.14 · 50 and 0.07 · 100 are slightly above 7 in floating point.
  test.each([
    [0.14, 50, 7],
    [0.07, 100, 7],
    [0.29, 100, 29],
    [0.01, 100, 1],
    [1, 3, 3],
  ])('opens at a share of exactly %d: of %d calls, %d failed', (openFrom, calls, failures) => {
    const { breaker, call } = aBreaker({ openFrom, minCalls: calls })
    call(...times(calls - failures, 'ok'), ...times(failures, 'failed'))
    expect(breaker.admit().admitted).toBe(false)
    const other = aBreaker({ openFrom, minCalls: calls })
    other.call(...times(calls - failures + 1, 'ok'), ...times(failures - 1, 'failed'))
    expect(other.breaker.admit().admitted).toBe(true)
  })

  test('takes its window and pauses from the options', () => {
    const { clock, breaker, call } = aBreaker({ windowMs: 2000, minCalls: 2, openMs: 100, maxOpenMs: 300 })
    call('failed')
    clock.atMs += 2000
    call('failed')
    expect(breaker.admit().admitted).toBe(true)
    clock.atMs += 1000
    call('failed')
    for (const pauseMs of [100, 200, 300, 300]) {
      expect(breaker.admit()).toEqual({ admitted: false, retryInMs: pauseMs })
      clock.atMs += pauseMs
      expect(call('failed')).toBe(true)
    }
  })

  test('ignores calls older than ten seconds', () => {
    const { call, clock, breaker } = aBreaker()
    call(...times(9, 'failed'))
    clock.atMs += 10_000
    call('failed')
    expect(breaker.admit().admitted).toBe(true)
  })

  test('does not count callers that left', () => {
    const { call, breaker } = aBreaker()
    call(...times(50, 'unknown'))
    expect(breaker.admit().admitted).toBe(true)
    // Nor as calls that went well.
    call(...times(10, 'failed'))
    expect(breaker.admit().admitted).toBe(false)
  })

  test('says how long the pause still is', () => {
    const { clock, breaker } = aBreaker().opened()
    clock.atMs += 2000
    expect(breaker.admit()).toEqual({ admitted: false, retryInMs: 3000 })
  })

  test('does not count failures of calls made before it opened, then or later', () => {
    const { clock, breaker, call } = aBreaker()
    const early = Array.from({ length: 10 }, () => breaker.admit())
    call(...times(10, 'failed'))
    clock.atMs += 1000
    for (const admission of early) if (admission.admitted) admission.report('failed')
    expect(breaker.admit()).toEqual({ admitted: false, retryInMs: 4000 })
    clock.atMs += 4000
    expect(call('ok', 'failed')).toBe(true)
    expect(breaker.admit().admitted).toBe(true)
  })

  test('allows one call after the pause, and closes when it succeeds', () => {
    const { clock, breaker, call } = aBreaker().opened()
    clock.atMs += 4999
    expect(call('ok')).toBe(false)
    clock.atMs += 1
    const probe = breaker.admit()
    expect(probe.admitted).toBe(true)
    expect(breaker.admit()).toEqual({ admitted: false, retryInMs: 5000 })
    if (probe.admitted) probe.report('ok')
    expect(call(...times(9, 'failed'))).toBe(true)
    expect(breaker.admit().admitted).toBe(true)
  })

  test('pauses twice as long after a trial that fails, up to ten seconds', () => {
    const { clock, call, breaker } = aBreaker().opened()
    for (const pauseMs of [10_000, 10_000]) {
      clock.atMs += 10_000
      expect(call('failed')).toBe(true)
      expect(breaker.admit()).toEqual({ admitted: false, retryInMs: pauseMs })
    }
  })

  test('does not wait forever for a trial that never reports', () => {
    const { clock, breaker, call } = aBreaker().opened()
    clock.atMs += 5000
    expect(breaker.admit().admitted).toBe(true)
    clock.atMs += 4999
    expect(call('ok')).toBe(false)
    clock.atMs += 1
    expect(call('ok')).toBe(true)
  })

  test("allows another trial at once when the trial's caller left", () => {
    const { clock, call } = aBreaker().opened()
    clock.atMs += 5000
    expect(call('unknown', 'ok')).toBe(true)
  })

  test('is not reopened by calls started before it opened', () => {
    const { breaker, clock, call } = aBreaker()
    const early = breaker.admit()
    call(...times(10, 'failed'))
    clock.atMs += 5000
    call('ok')
    if (early.admitted) early.report('failed')
    expect(breaker.admit().admitted).toBe(true)
  })

  test('works after the clock was set back', () => {
    const { clock, call, breaker } = aBreaker()
    call(...times(9, 'failed'))
    clock.atMs -= 3_600_000
    call('failed', ...times(9, 'ok'))
    expect(breaker.admit().admitted).toBe(true)
  })

  test('forgets calls of a clock that was set back, and is not opened by a late report of a trial', () => {
    const { clock, call, breaker } = aBreaker()
    call(...times(9, 'failed'))
    clock.atMs -= 3_600_000
    call('ok')
    clock.atMs += 3_600_000
    call('failed')
    expect(breaker.admit().admitted).toBe(true)
    const other = aBreaker().opened()
    other.clock.atMs += 5000
    const late = other.breaker.admit()
    other.clock.atMs += 5000
    other.call('ok')
    if (late.admitted) late.report('failed')
    expect(other.breaker.admit().admitted).toBe(true)
  })

  test('allows one call at once when the clock is set back while it is open', () => {
    const { clock, breaker } = aBreaker().opened()
    for (const setBackMs of [3_600_000, 1]) {
      clock.atMs -= setBackMs
      expect(breaker.admit().admitted).toBe(true)
      expect(breaker.admit()).toEqual({ admitted: false, retryInMs: 5000 })
    }
  })
})
