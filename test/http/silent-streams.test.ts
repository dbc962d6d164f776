import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type AnswerStream, answerStream } from '../../src/http/answer-stream.ts'
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
function aSource(type = 'text/event-stream') {
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
    response: new Response(body, { headers: { 'content-type': type } }),
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

const CUT = /^event: error\ndata: .*"code":"llm_timeout"/

describe('a stream', () => {
  test('may be silent longer before its first bytes than between them', async () => {
    const source = aSource()
    const { response, ended } = answerStream(source.response, LIMITS)
    const reader = response.body!.getReader()
    const first = reader.read()
    await vi.advanceTimersByTimeAsync(59_999)
    expect(await soFar(first)).toBe('waits')
    source.send(': a\n\n')
    expect(textOf(await first)).toBe(': a\n\n')
    const second = reader.read()
    await vi.advanceTimersByTimeAsync(14_999)
    expect(await soFar(second)).toBe('waits')
    await vi.advanceTimersByTimeAsync(1)
    expect(textOf(await second)).toMatch(CUT)
    expect([(await reader.read()).done, (await ended)?.code]).toEqual([true, 'llm_timeout'])
    expect(source.cancelled).toMatchObject({ code: 'llm_timeout' })
    expect(vi.getTimerCount()).toBe(0)
  })

  test('that sends nothing is abandoned and cancelled', async () => {
    const source = aSource()
    const read = answerStream(source.response, LIMITS).response.body!.getReader().read()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(textOf(await read)).toMatch(CUT)
    expect(source.cancelled).toMatchObject({ code: 'llm_timeout' })
  })

  test('that keeps sending may take any time, with one timer for many chunks', async () => {
    const source = aSource()
    const reader = answerStream(source.response, LIMITS).response.body!.getReader()
    const timers = vi.fn<typeof setTimeout>(setTimeout)
    vi.stubGlobal('setTimeout', timers)
    for (let piece = 0; piece < 300; piece++) {
      const read = reader.read()
      await vi.advanceTimersByTimeAsync(1000)
      source.send(`: ${piece}\n\n`)
      expect(textOf(await read)).toBe(`: ${piece}\n\n`)
    }
    expect(timers.mock.calls.length).toBeLessThan(30)
    vi.unstubAllGlobals()
    source.close()
    expect((await reader.read()).done).toBe(true)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('is not silent while its reader has not read what was sent', async () => {
    const source = aSource()
    const reader = answerStream(source.response, LIMITS).response.body!.getReader()
    const large = `: ${'x'.repeat(262_144)}\n\n`
    for (let piece = 1; piece <= 3; piece++) {
      source.send(large)
      await vi.advanceTimersByTimeAsync(3_600_000)
      expect(source.pulls).toBeLessThanOrEqual(piece)
      expect(textOf(await reader.read())).toBe(large)
    }
    // From when it is waited for, a whole limit.
    const read = reader.read()
    await vi.advanceTimersByTimeAsync(14_999)
    expect(await soFar(read)).toBe('waits')
    source.send(': d\n\n')
    expect(textOf(await read)).toBe(': d\n\n')
  })

  test('is cancelled when its reader leaves, without a timer left', async () => {
    const source = aSource()
    const reader = answerStream(source.response, LIMITS).response.body!.getReader()
    void reader.read()
    await reader.cancel('left')
    expect([source.cancelled, vi.getTimerCount()]).toEqual(['left', 0])
  })
})

test('an answer that is not a stream may be silent as long between its bytes as before the first', async () => {
  const source = aSource('application/json')
  const { response, ended } = answerStream(source.response, LIMITS)
  const reader = response.body!.getReader()
  source.send('{')
  expect(textOf(await reader.read())).toBe('{')
  const read = failureOf(reader.read())
  await vi.advanceTimersByTimeAsync(59_999)
  expect(await soFar(read)).toBe('waits')
  await vi.advanceTimersByTimeAsync(1)
  expect(await read).toMatchObject({ code: 'llm_timeout' })
  expect([source.cancelled, await ended]).toMatchObject([{ code: 'llm_timeout' }, { code: 'llm_timeout' }])
  expect(vi.getTimerCount()).toBe(0)
})

describe('a copy of a stream', () => {
  const two = (): {
    source: ReturnType<typeof aSource>
    sent: AnswerStream
    copies: ReadableStreamDefaultReader<Uint8Array>[]
  } => {
    const source = aSource()
    const sent = answerStream(source.response, LIMITS)
    return { source, sent, copies: [sent.copy().getReader(), sent.copy().getReader()] }
  }

  test('has every chunk when it arrives, however slowly the response is read, and ends with it', async () => {
    const { source, copies } = two()
    for (const text of ['da', 'ta: a\n', '\n']) {
      source.send(text)
      for (const copy of copies) expect(textOf(await copy.read())).toBe(text)
    }
    source.close()
    for (const copy of copies) expect((await copy.read()).done).toBe(true)
  })

  test('is read to its end when the reader of the response leaves, and another to its limit', async () => {
    const { source, sent, copies } = two()
    await sent.response.body!.cancel('left')
    source.send('a')
    for (const copy of copies) expect(textOf(await copy.read())).toBe('a')
    await copies[0]!.cancel('enough')
    expect(source.cancelled).toBeUndefined()
    source.send('b')
    expect(textOf(await copies[1]!.read())).toBe('b')
    await copies[1]!.cancel('enough')
    expect(await sent.ended).toBeUndefined()
    expect([source.cancelled, vi.getTimerCount()]).toEqual(['enough', 0])
  })

  test('fails when the stream breaks off or falls silent, also when the reader of the response has left', async () => {
    for (const hasLeft of [false, true])
      for (const isSilent of [false, true]) {
        const { source, sent, copies } = two()
        if (hasLeft) await sent.response.body!.cancel('left')
        const reads = copies.map((copy) => failureOf(copy.read()))
        if (isSilent) await vi.advanceTimersByTimeAsync(60_000)
        else source.fail(new Error('reset'))
        const code = isSilent ? 'llm_timeout' : 'llm_unavailable'
        for (const failure of await Promise.all(reads)) expect(failure).toMatchObject({ code })
        expect(vi.getTimerCount()).toBe(0)
      }
  })
})

describe('a stream through the gate that falls silent', () => {
  const chunk = 'data: {"choices":[{"index":0,"delta":{"content":"Turn"}}]}\n\n'

  test('ends with an error event, is recorded as failed, and is not stored', async () => {
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

  test('may be silent for the time that the route sets', async () => {
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
