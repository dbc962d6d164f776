import { afterEach, describe, expect, test, vi } from 'vitest'
import {
  createHttpUpstream,
  createUpstream,
  type UpstreamOptions,
} from '../../../packages/upstream/src/http/upstream.ts'
import { UpstreamFault, type UpstreamFaultKind } from '../../../packages/upstream/src/http/upstream-fault.ts'
import { answering, upstreamOfTests } from '../../fixtures/scripted-upstream.ts'

/** An upstream over a clock that only its pauses move, and a script of what each attempt gives. */
function scripted(script: readonly (Error | string)[], options: UpstreamOptions = {}) {
  const clock = { atMs: 1_000_000 }
  const pauses: number[] = []
  let attempts = 0
  const upstream = createUpstream({
    nowMs: () => clock.atMs,
    random: () => 0.5,
    sleep: async (ms) => {
      pauses.push(ms)
      clock.atMs += ms
    },
    ...options,
  })
  const call = (): Promise<string> =>
    upstream(async () => {
      const next = script[Math.min(attempts++, script.length - 1)]!
      if (typeof next !== 'string') throw next
      return next
    })
  return { call, pauses, clock, attempts: () => attempts }
}

const fault = (kind: UpstreamFaultKind, retryAfterSeconds?: number): UpstreamFault =>
  new UpstreamFault(kind, retryAfterSeconds === undefined ? {} : { retryAfterSeconds })

describe('an upstream', () => {
  test.each(['network', 'unavailable'] as const)(
    'that fails by %s is called once more, after a pause',
    async (kind) => {
      const { call, pauses, attempts } = scripted([fault(kind), 'answer'])
      expect(await call()).toBe('answer')
      expect(pauses).toEqual([150])
      expect(attempts()).toBe(2)
    },
  )

  test.each([
    [0, 50],
    [0.999999, 250],
  ])('is called again after full jitter: random %s, %s ms', async (random, ms) => {
    const { call, pauses } = scripted([fault('network'), 'answer'], { random: () => random })
    await call()
    expect(pauses[0]).toBeCloseTo(ms, 2)
  })

  test.each(['timeout', 'aborted', 'redirect', 'too-large', 'not-utf8'] as const)(
    'that fails by %s is not called again',
    async (kind) => {
      const { call, attempts } = scripted([fault(kind), 'answer'])
      await expect(call()).rejects.toMatchObject({ kind })
      expect(attempts()).toBe(1)
    },
  )

  test('is called at most twice', async () => {
    const { call, attempts } = scripted([fault('unavailable')])
    await expect(call()).rejects.toMatchObject({ kind: 'unavailable' })
    expect(attempts()).toBe(2)
  })

  test('with a longer Retry-After than the pause is not called again', async () => {
    const { call, attempts } = scripted([fault('unavailable', 1), 'answer'])
    await expect(call()).rejects.toMatchObject({ retryAfterSeconds: 1 })
    expect(attempts()).toBe(1)
  })

  test('with Retry-After 0 is called again', async () => {
    expect(await scripted([fault('unavailable', 0), 'answer']).call()).toBe('answer')
  })

  test('is called once with retries of 0', async () => {
    const { call, attempts } = scripted([fault('network'), 'answer'], { retries: 0 })
    await expect(call()).rejects.toMatchObject({ kind: 'network' })
    expect(attempts()).toBe(1)
  })

  test('has ten retries to spend, and gains one with ten successes', async () => {
    const never = { breaker: { minCalls: Infinity } }
    const failing = Array.from({ length: 22 }, () => fault('network'))
    const { call, attempts } = scripted(
      [...failing, ...Array.from({ length: 10 }, () => 'ok'), fault('network')],
      never,
    )
    for (let at = 0; at < 12; at++) await expect(call()).rejects.toMatchObject({ name: 'UpstreamFault' })
    expect(attempts()).toBe(22)
    for (let at = 0; at < 10; at++) await call()
    for (let at = 0; at < 2; at++) await expect(call()).rejects.toMatchObject({ name: 'UpstreamFault' })
    expect(attempts()).toBe(22 + 10 + 2 + 1)
  })

  test('that keeps failing is not called, and reports when it will be', async () => {
    const { call, attempts, clock } = scripted([fault('network')])
    for (let at = 0; at < 20; at++) await expect(call()).rejects.toMatchObject({ name: 'UpstreamFault' })
    expect(attempts()).toBe(10)
    await expect(call()).rejects.toMatchObject({ kind: 'circuit-open', retryAfterSeconds: 5 })
    clock.atMs += 5000
    await expect(call()).rejects.toMatchObject({ kind: 'network' })
    expect(attempts()).toBe(11)
  })

  test('that fails in another way the second time has that fault, unless it was not called', async () => {
    await expect(scripted([fault('network'), fault('timeout')]).call()).rejects.toMatchObject({ kind: 'timeout' })
    const broken = new TypeError('x')
    await expect(scripted([fault('network'), broken]).call()).rejects.toBe(broken)
    const once = scripted([fault('network')], { breaker: { minCalls: 1 } })
    await expect(once.call()).rejects.toMatchObject({ kind: 'network' })
    expect(once.attempts()).toBe(1)
  })

  test.each<[string, Error | string, string]>([
    ['answers', 'answer', 'ok'],
    ['sends an unreadable response', fault('redirect'), 'ok'],
    ['throws what is no fault', new TypeError('x'), 'circuit-open'],
  ])('that %s at the first call after a pause is called again, or not', async (_, then, next) => {
    const broken = new TypeError('x')
    const { call, clock } = scripted([...Array.from({ length: 10 }, () => broken), then, broken, 'ok'])
    const ending = () => call().catch((thrown: UpstreamFault) => thrown.kind)
    for (let at = 0; at < 10; at++) await ending()
    expect(await ending()).toBe('circuit-open')
    clock.atMs += 5000
    await ending()
    // A failure after the trial does not open it again.
    await ending()
    expect(await ending()).toBe(next)
  })

  test('that sends unreadable responses is still called', async () => {
    const { call, attempts } = scripted([fault('redirect')])
    for (let at = 0; at < 20; at++) await expect(call()).rejects.toMatchObject({ kind: 'redirect' })
    expect(attempts()).toBe(20)
  })

  test('is not called again when its caller leaves during the pause', async () => {
    const controller = new AbortController()
    let attempts = 0
    const call = createUpstream()(async () => {
      attempts++
      setTimeout(() => controller.abort(), 5)
      throw fault('network')
    }, controller.signal)
    await expect(call).rejects.toMatchObject({ kind: 'aborted' })
    expect(attempts).toBe(1)
  })
})

describe('an HTTP upstream', () => {
  test.each([
    [408, 'unavailable'],
    [429, 'unavailable'],
    [500, 'unavailable'],
    [503, 'unavailable'],
  ])('with status %s causes an error', async (status, kind) => {
    const send = createHttpUpstream(
      {
        fetch: async () => new Response('', { status, headers: { 'retry-after': '7' } }),
        timeoutMs: 100,
        maxResponseBytes: 10,
      },
      { retries: 0 },
    )
    await expect(send('https://a.test', {})).rejects.toMatchObject({ kind, retryAfterSeconds: 7 })
  })

  describe('over a socket', () => {
    const server = upstreamOfTests()

    test.each([
      ['7', 7],
      ['7 ', 7],
      ['0.25', 1],
      ['12345678901', 1_000_000_000],
      ['Fri, 02 Jan 2026 03:05:05 GMT', 60],
      ['Fri, 02 Jan 2026 03:05:05 GMT ', 60],
      ['Fri, 02 Jan 2026 03:00:00 GMT', 0],
      ['Fri, 31 Dec 9999 23:59:59 GMT', 1_000_000_000],
      // The two older formats of RFC 9110, section 5.6.7.
      ['Friday, 02-Jan-26 03:05:05 GMT', 60],
      ['Fri Jan  2 03:05:05 2026', 60],
      ['Fri Jan 2 2026', undefined],
      ['Fri, 02 Jan 2026 03:05:05', undefined],
      ['2026-01-02', undefined],
      ['-1', undefined],
      ['1.2.3', undefined],
      ['.', undefined],
      ['7 s', undefined],
      ['in 7', undefined],
      ['', undefined],
    ])('that sends Retry-After: %j asks for %s seconds', async (sent, retryAfterSeconds) => {
      server().answerWith(answering('', 503, { 'retry-after': sent }))
      const nowMs = () => Date.UTC(2026, 0, 2, 3, 4, 5)
      const send = createHttpUpstream({ fetch, timeoutMs: 5000, maxResponseBytes: 10 }, { retries: 0, nowMs })
      await expect(send(server().url, {})).rejects.toMatchObject({ kind: 'unavailable', retryAfterSeconds })
    })
  })

  test.each([200, 204, 400, 401, 404, 422, 499, 507])('with status %s returns the response', async (status) => {
    const fetch = async () => new Response(status === 204 ? null : 'x', { status })
    const send = createHttpUpstream({ fetch, timeoutMs: 100, maxResponseBytes: 10 })
    expect(await send('https://a.test', {})).toMatchObject({ status })
  })

  test('reports a time limit of the caller as a timeout, and a caller who left as aborted', async () => {
    const fetch = () => new Promise<Response>(() => undefined)
    const send = createHttpUpstream({ fetch, timeoutMs: 5000, maxResponseBytes: 10 })
    await expect(send('https://a.test', {}, AbortSignal.timeout(5))).rejects.toMatchObject({ kind: 'timeout' })
    await expect(send('https://a.test', {}, AbortSignal.abort())).rejects.toMatchObject({ kind: 'aborted' })
  })

  test('waits for its pause by itself, and not for the rest of it when its caller leaves', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    try {
      let attempts = 0
      const call = createUpstream({ random: () => 0 })(async () => {
        if (++attempts === 1) throw fault('network')
        return 'answer'
      })
      await vi.advanceTimersByTimeAsync(49)
      expect(attempts).toBe(1)
      await vi.advanceTimersByTimeAsync(1)
      expect(await call).toBe('answer')
      expect(vi.getTimerCount()).toBe(0)
      const caller = new AbortController()
      const left = createUpstream()(async () => {
        throw fault('network')
      }, caller.signal)
      await vi.advanceTimersByTimeAsync(1)
      caller.abort()
      await expect(left).rejects.toMatchObject({ kind: 'aborted' })
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })

  test('leaves no timer behind, and is not called for a caller who has left', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const fetch = vi.fn<() => Promise<Response>>(async () => new Response('x'))
      const send = createHttpUpstream({ fetch, timeoutMs: 5000, maxResponseBytes: 10 })
      await send('https://a.test', {})
      await expect(send('https://a.test', {}, AbortSignal.abort())).rejects.toMatchObject({ kind: 'aborted' })
      expect(fetch).toHaveBeenCalledOnce()
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })

  test("reads a date in Retry-After by the platform's clock", async () => {
    const headers = { 'retry-after': new Date(Date.now() + 60_500).toUTCString() }
    const fetch = async () => new Response('', { status: 503, headers })
    const send = createHttpUpstream({ fetch, timeoutMs: 100, maxResponseBytes: 10 })
    const seconds = await send('https://a.test', {}).then(
      () => undefined,
      (thrown: UpstreamFault) => thrown.retryAfterSeconds,
    )
    expect(seconds).toBeGreaterThan(50)
    expect(seconds).toBeLessThan(62)
  })

  describe('that never answers', () => {
    afterEach(() => vi.useRealTimers())

    test.each([
      ['within the time limit', 'circuit-open', () => vi.advanceTimersByTimeAsync(5000)],
      [
        'within the time limit, in a process that is late itself,',
        'late',
        async () => {
          vi.setSystemTime(Date.now() + 200)
          await vi.advanceTimersByTimeAsync(5000)
        },
      ],
      ['until its callers leave', 'aborted', async (leave: () => void) => leave()],
    ] as const)('%s ten times: the next call ends with %s', async (_, kind, end) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
      const fetch = () => new Promise<Response>(() => undefined)
      const send = createHttpUpstream({ fetch, timeoutMs: 5000, maxResponseBytes: 10 }, { retries: 0 })
      const ended = async (calls: number): Promise<string[]> => {
        const callers = new AbortController()
        const sent = Array.from({ length: calls }, () => send('https://a.test', {}, callers.signal))
        const kinds = sent.map((call) => call.then(String, (thrown: UpstreamFault) => thrown.kind))
        await end(() => callers.abort())
        return Promise.all(kinds)
      }
      await ended(10)
      expect(await ended(1)).toEqual([kind])
    })
  })
})
