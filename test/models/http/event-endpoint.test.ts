import { gzipSync } from 'node:zlib'
import { describe, expect, it, vi } from 'vitest'
import { prepareEndpoint, startDeadline } from '../../../packages/upstream/src/http/index.ts'
import { eventEndpoint, type ServerSentEvent } from '../../../packages/models/src/http/event-endpoint.ts'
import { firstChoice } from '../../../packages/models/src/http/first-choice.ts'
import { answering, upstreamOfTests } from '../../fixtures/scripted-upstream.ts'

const NAME = { role: 'llm', what: 'The model' } as const
const EVENTS = { 'content-type': 'text/event-stream' }
const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

/** A body that sends each piece when it is read, and what became of it. */
function aBody(pieces: Iterable<Uint8Array<ArrayBuffer>>) {
  const seen = { sent: 0, isCancelled: false }
  const left = pieces[Symbol.iterator]()
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull(controller) {
        const { done, value } = left.next()
        if (done === true) return controller.close()
        seen.sent++
        controller.enqueue(value)
      },
      cancel: () => void (seen.isCancelled = true),
    },
    { highWaterMark: 0 },
  )
  return { body, seen }
}

function anEndpoint(fetch: () => Promise<Response>, maxResponseBytes = 10_000, timeoutMs = 60_000) {
  const prepared = prepareEndpoint({
    url: 'https://llm.example',
    timeoutMs,
    maxResponseBytes,
    fetch,
    upstream: { retries: 0 },
  })
  const deadline = startDeadline({ timeoutMs })
  return { events: eventEndpoint(NAME, prepared)({ ask: 1 }, deadline), deadline }
}

/** Reads until the end or an error. */
async function readAll(
  response: Response | Error,
  maxResponseBytes?: number,
): Promise<{ readonly batches: readonly (readonly ServerSentEvent[])[]; readonly error?: unknown }> {
  const fetch = async () => {
    if (response instanceof Error) throw response
    return response
  }
  const { events, deadline } = anEndpoint(fetch, maxResponseBytes)
  const batches: (readonly ServerSentEvent[])[] = []
  try {
    for await (const came of events) batches.push(came)
    return { batches }
  } catch (error) {
    return { batches, error }
  } finally {
    deadline.stop()
  }
}

const streamed = (pieces: Iterable<Uint8Array<ArrayBuffer>>, headers: Record<string, string> = EVENTS): Response =>
  new Response(aBody(pieces).body, { headers })

const dataOf = ({ batches }: Awaited<ReturnType<typeof readAll>>): readonly string[] =>
  batches.flat().map(({ data }) => data)

describe('an event stream', () => {
  const MESSY = [
    '\uFEFFdata: first\r\n\r\n',
    ': a comment\n\n',
    'event: named\ndata:second line 1\ndata: line 2 é😀\nid: 7\nretry: 10\nunknown: x\n\n',
    'event: without data\n\n',
    'data\n\n',
    'data: third\r\r',
    'data: [DONE]\n\n',
  ].join('')
  const READ = [
    { name: '', data: 'first' },
    { name: 'named', data: 'second line 1\nline 2 é😀' },
    { name: '', data: 'third' },
    { name: '', data: '[DONE]' },
  ]

  it('with a byte order mark, comments, all line ends, and data of several lines is read', async () => {
    expect(await readAll(streamed([bytes(MESSY)]))).toEqual({ batches: [READ] })
  })

  it.each([1, 2, 3, 5, 17])('in pieces of %i bytes gives the same events', async (size) => {
    const whole = bytes(MESSY)
    const pieces = Array.from({ length: Math.ceil(whole.length / size) }, (_, at) =>
      whole.slice(at * size, (at + 1) * size),
    )
    const { batches } = await readAll(streamed(pieces))
    expect(batches.flat()).toEqual(READ)
    expect(batches.every((came) => came.length > 0)).toBe(true)
  })

  it('whose last event has no end gives the ones before', async () => {
    expect(dataOf(await readAll(streamed([bytes('data: a\n\ndata: b\n')])))).toEqual(['a'])
  })

  it('without a byte is empty', async () => {
    expect(await readAll(streamed([]))).toEqual({ batches: [] })
    expect(await readAll(new Response(null, { headers: EVENTS }))).toEqual({ batches: [] })
  })

  it('may use all the bytes allowed, but no more', async () => {
    const text = 'data: 1\n\n'
    expect(dataOf(await readAll(streamed([bytes(text)]), text.length))).toEqual(['1'])
    expect(dataOf(await readAll(streamed([bytes(text), bytes(text)]), 2 * text.length))).toEqual(['1', '1'])
    const { batches, error } = await readAll(streamed([bytes(text), bytes(text)]), 2 * text.length - 1)
    expect(batches).toHaveLength(1)
    expect(error).toMatchObject({ code: 'llm_bad_response', message: expect.stringContaining('too-large') })
  })

  it('of one endless event is cancelled at the limit', async () => {
    function* endless() {
      yield bytes('data: ')
      for (;;) yield bytes('x'.repeat(100))
    }
    const { body, seen } = aBody(endless())
    const { batches, error } = await readAll(new Response(body, { headers: EVENTS }), 1000)
    expect(batches).toEqual([])
    expect(error).toMatchObject({ code: 'llm_bad_response' })
    expect(seen).toEqual({ sent: 11, isCancelled: true })
  })

  it('that breaks off is an error without its text', async () => {
    function* broken() {
      yield bytes('data: 1\n\n')
      throw new Error('secret')
    }
    const { batches, error } = await readAll(streamed(broken()))
    expect(batches).toHaveLength(1)
    expect(error).toMatchObject({ code: 'llm_unavailable' })
    expect((error as Error).message).not.toContain('secret')
  })

  it('is cancelled when its reader stops', async () => {
    const { body, seen } = aBody([bytes('data: 1\n\n'), bytes('data: 2\n\n')])
    const { events, deadline } = anEndpoint(async () => new Response(body, { headers: EVENTS }))
    for await (const _ of events) break
    deadline.stop()
    expect(seen).toEqual({ sent: 1, isCancelled: true })
  })

  it('that stalls ends with the deadline, and is cancelled', async () => {
    vi.useFakeTimers()
    try {
      const cancel = vi.fn<() => void>()
      const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
        start: (controller) => controller.enqueue(bytes('data: 1\n\n')),
        cancel,
      })
      const { events } = anEndpoint(async () => new Response(body, { headers: EVENTS }), 1000, 10)
      expect((await events.next()).value).toHaveLength(1)
      const next = events.next().catch((thrown: unknown) => thrown)
      await vi.advanceTimersByTimeAsync(10)
      expect(await next).toMatchObject({ code: 'llm_timeout' })
      expect(cancel).toHaveBeenCalledTimes(1)
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('a JSON response to a request for a stream', () => {
  const json = { 'content-type': 'application/problem+json; charset=utf-8' }

  it('is one event and the end', async () => {
    const whole = bytes('\uFEFF{"a":"é😀"}')
    for (const pieces of [[whole], [...whole].map((byte) => Uint8Array.of(byte))]) {
      expect(dataOf(await readAll(streamed(pieces, json)))).toEqual(['{"a":"é😀"}', '[DONE]'])
    }
  })

  it('in another encoding is an error', async () => {
    for (const last of [[0xe9, 0x22, 0x7d], [0xc3]]) {
      const pieces = [bytes('{"a":"'), Uint8Array.from(last)]
      const { batches, error } = await readAll(streamed(pieces, json))
      expect(batches).toEqual([])
      expect(error).toMatchObject({ code: 'llm_bad_response', message: expect.stringContaining('not-utf8') })
    }
  })
})

describe('a response that is no stream', () => {
  it.each([
    ['text/html', 200, 'llm_bad_response', 'no stream'],
    ['text/event-stream-x', 200, 'llm_bad_response', 'no stream'],
    ['text/event-stream', 204, 'llm_bad_response', 'status 204'],
    ['text/event-stream', 302, 'llm_bad_response', 'redirect'],
    ['text/event-stream', 400, 'llm_bad_request', 'status 400'],
    ['text/event-stream', 401, 'llm_misconfigured', 'credentials'],
    ['text/event-stream', 404, 'llm_misconfigured', 'not there'],
    ['text/event-stream', 429, 'llm_unavailable', 'cannot answer now'],
    ['text/event-stream', 507, 'llm_bad_response', 'status 507'],
  ])('of type %s with status %i is %s, and is cancelled', async (type, status, code, words) => {
    const { body, seen } = aBody([bytes('data: secret\n\n'), bytes('data: secret\n\n')])
    const response = new Response(status === 204 ? null : body, { status, headers: { 'content-type': type } })
    const { batches, error } = await readAll(response)
    expect(batches).toEqual([])
    expect(error).toMatchObject({ code, message: expect.stringContaining(words) })
    await Promise.resolve()
    if (status !== 204) expect(seen.isCancelled).toBe(true)
    expect(seen.sent).toBeLessThanOrEqual(1)
  })

  it('without a type is an error', async () => {
    const { error } = await readAll(streamed([bytes('data: 1\n\n')], {}))
    expect(error).toMatchObject({ code: 'llm_bad_response' })
  })

  it('that never came is an error without the text', async () => {
    const { error } = await readAll(new Error('secret'))
    expect(error).toMatchObject({ code: 'llm_unavailable', message: 'The model cannot be reached' })
  })
})

describe('over a socket', () => {
  const server = upstreamOfTests()

  it.each([
    [5000, ['x'.repeat(4000)], undefined],
    [4000, [], 'llm_bad_response'],
  ])('the limit of %i bytes applies to what gzip expands to', async (limit, data, code) => {
    server().answerWith(
      answering(gzipSync(`data: ${'x'.repeat(4000)}\n\n`), 200, { ...EVENTS, 'content-encoding': 'gzip' }),
    )
    const read = await readAll(await fetch(server().url), limit)
    expect(dataOf(read)).toEqual(data)
    expect((read.error as { code?: string } | undefined)?.code).toBe(code)
  })
})

it.each([
  [undefined, undefined],
  [null, undefined],
  ['text', undefined],
  [{ choices: 'text' }, undefined],
  [{ choices: {} }, undefined],
  [{ choices: [] }, undefined],
  [{ choices: [{ a: 1 }, { a: 2 }] }, { a: 1 }],
])('the first choice of %j is %j', (completion, choice) => {
  expect(firstChoice(completion)).toEqual(choice)
})
