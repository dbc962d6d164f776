import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { withSilenceLimit } from '../../src/http/silence-limit.ts'
import { aGate } from '../fixtures/gate.ts'
import { quietErrors } from '../fixtures/quiet-console.ts'

quietErrors()

const LIMITS = { streamStartTimeoutMs: 60_000, streamIdleTimeoutMs: 15_000 }

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** A stream that sends when it is told to. */
function aSource() {
  let controller!: ReadableStreamDefaultController<Uint8Array>
  const source = { cancelled: undefined as unknown, pulls: 0 }
  const body = new ReadableStream<Uint8Array>(
    {
      start: (started) => void (controller = started),
      pull: () => void source.pulls++,
      cancel: (reason) => void (source.cancelled = reason),
    },
    { highWaterMark: 0 },
  )
  return Object.assign(source, {
    response: new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
    send: (text: string) => controller.enqueue(new TextEncoder().encode(text)),
    close: () => controller.close(),
    fail: (thrown: unknown) => controller.error(thrown),
  })
}

const textOf = ({ value }: ReadableStreamReadResult<Uint8Array>): string => new TextDecoder().decode(value)

/** What a promise is rejected with. */
const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )

/** What became of a promise so far. */
async function soFar<Value>(promise: Promise<Value>): Promise<unknown> {
  let outcome: unknown = 'waits'
  promise.then(
    (value) => (outcome = value),
    (thrown: unknown) => (outcome = thrown),
  )
  await vi.advanceTimersByTimeAsync(0)
  return outcome
}

describe('a stream', () => {
  test('may be silent longer before its first bytes than between them', async () => {
    const source = aSource()
    const reader = withSilenceLimit(source.response, LIMITS).body!.getReader()
    const first = reader.read()
    await vi.advanceTimersByTimeAsync(59_999)
    expect(await soFar(first)).toBe('waits')
    source.send('a')
    expect(textOf(await first)).toBe('a')
    const second = reader.read()
    await vi.advanceTimersByTimeAsync(14_999)
    expect(await soFar(second)).toBe('waits')
    const failure = failureOf(second)
    await vi.advanceTimersByTimeAsync(1)
    expect(await failure).toMatchObject({ code: 'llm_timeout' })
    expect(source.cancelled).toMatchObject({ code: 'llm_timeout' })
    expect(vi.getTimerCount()).toBe(0)
  })

  test('of which nothing comes at all is given up, and cancelled', async () => {
    const source = aSource()
    const read = withSilenceLimit(source.response, LIMITS).body!.getReader().read()
    const failure = failureOf(read)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(await failure).toMatchObject({ code: 'llm_timeout' })
    expect(source.cancelled).toMatchObject({ code: 'llm_timeout' })
  })

  test('that sends now and then may take as long as it likes, by one timer for many pieces', async () => {
    const source = aSource()
    const reader = withSilenceLimit(source.response, LIMITS).body!.getReader()
    const timers = vi.fn<typeof setTimeout>(setTimeout)
    vi.stubGlobal('setTimeout', timers)
    for (let piece = 0; piece < 300; piece++) {
      const read = reader.read()
      await vi.advanceTimersByTimeAsync(1000)
      source.send(`${piece}`)
      expect(textOf(await read)).toBe(`${piece}`)
    }
    expect(timers.mock.calls.length).toBeLessThan(30)
    vi.unstubAllGlobals()
    source.close()
    expect((await reader.read()).done).toBe(true)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('is not silent while its reader is slow', async () => {
    const source = aSource()
    const reader = withSilenceLimit(source.response, LIMITS).body!.getReader()
    for (const piece of ['a', 'b', 'c']) {
      source.send(piece)
      expect(textOf(await reader.read())).toBe(piece)
      await vi.advanceTimersByTimeAsync(3_600_000)
    }
    expect(source.pulls).toBeLessThanOrEqual(3)
    // From when it is waited for, a whole limit.
    const read = reader.read()
    await vi.advanceTimersByTimeAsync(14_999)
    expect(await soFar(read)).toBe('waits')
    source.send('d')
    expect(textOf(await read)).toBe('d')
  })

  test('that fails by itself fails as it did', async () => {
    const source = aSource()
    const read = withSilenceLimit(source.response, LIMITS).body!.getReader().read()
    source.fail(new Error('reset'))
    expect(await soFar(read)).toMatchObject({ message: 'reset' })
    expect(vi.getTimerCount()).toBe(0)
  })

  test('whose reader leaves is cancelled, and nothing waits any more', async () => {
    const source = aSource()
    const reader = withSilenceLimit(source.response, LIMITS).body!.getReader()
    void reader.read()
    await reader.cancel('left')
    expect([source.cancelled, vi.getTimerCount()]).toEqual(['left', 0])
  })
})

describe('behind the gate a stream that falls silent', () => {
  const chunk = 'data: {"choices":[{"index":0,"delta":{"content":"Turn"}}]}\n\n'

  test('ends with an event that says so, is recorded so, and nothing of it is kept', async () => {
    const source = aSource()
    const { ask, journal } = aGate({ handler: () => source.response })
    const reply = ask()
    await vi.waitUntil(() => source.pulls > 0)
    source.send(chunk)
    await vi.advanceTimersByTimeAsync(15_000)
    const [first, error] = (await (await reply).text()).split('\n\n')
    expect(`${first}\n\n`).toBe(chunk)
    expect(error).toMatch(/^data: {"error":{"code":"llm_timeout"/)
    expect(source.cancelled).toMatchObject({ code: 'llm_timeout' })
    expect([journal.stored, journal.storedByEvidence]).toEqual([[], []])
    expect(journal.events.map(({ status }) => status)).toEqual([504])
  })

  test('may be silent as long as the route says', async () => {
    const source = aSource()
    const { ask, journal } = aGate({ handler: () => source.response, answer: { streamIdleTimeoutMs: 100_000 } })
    const reply = ask()
    await vi.waitUntil(() => source.pulls > 0)
    source.send(chunk)
    await vi.advanceTimersByTimeAsync(99_000)
    source.send('data: [DONE]\n\n')
    source.close()
    expect(await (await reply).text()).toBe(`${chunk}data: [DONE]\n\n`)
    expect(journal.events.map(({ status }) => status)).toEqual([200])
  })
})
