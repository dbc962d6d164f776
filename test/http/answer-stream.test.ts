import * as fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { RagGateError } from '../../src/errors.ts'
import { answerStream } from '../../src/http/answer-stream.ts'

const LIMITS = { streamStartTimeoutMs: 60_000, streamIdleTimeoutMs: 15_000 }
const LATE = new DOMException('The operation was aborted due to timeout', 'TimeoutError')

/** A stream that comes in these pieces, and breaks off where something is thrown. */
function streamOf(pieces: readonly Uint8Array[], thrown?: unknown): Response {
  const left = pieces.values()
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const { done, value } = left.next()
      if (done !== true) controller.enqueue(value)
      else if (thrown === undefined) controller.close()
      else controller.error(thrown)
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream', 'content-length': '9' } })
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Texts of the pieces, one read each. */
async function piecesOf(response: Response): Promise<string[]> {
  const pieces: string[] = []
  for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>)
    pieces.push(new TextDecoder().decode(piece))
  return pieces
}

/** An event of any fields, with its blank line. */
const anEvent = (lineEnd: string) =>
  fc
    .array(fc.constantFrom('data: {"choices":[]}', 'data: é🗝', 'event: token', ': here', 'id: 1', 'data'), {
      minLength: 1,
      maxLength: 3,
    })
    .map((lines) => [...lines, '', ''].join(lineEnd))

/** Events, and where the bytes of them are cut into pieces; the last cut is where the stream ends. */
const aStream = fc
  .constantFrom('\n', '\r\n', '\r')
  .chain((lineEnd) => fc.array(anEvent(lineEnd), { minLength: 1, maxLength: 6 }))
  .chain((events) => {
    const { length } = encode(events.join(''))
    return fc.record({ events: fc.constant(events), cuts: fc.array(fc.nat(length), { minLength: 1, maxLength: 12 }) })
  })

const cutAt = (bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] =>
  [...cuts].sort((a, b) => a - b).map((cut, at, all) => bytes.slice(all[at - 1] ?? 0, cut))

/** The events of a stream by the standard: their lines, where a blank one ended them. */
function read(text: string): string[][] {
  const events: string[][] = []
  let event: string[] = []
  const lines = text.split(/\r\n|\n|\r/)
  // Behind the last line end nothing is a line.
  for (const line of lines.slice(0, -1)) {
    if (line !== '') event.push(line)
    else {
      events.push(event)
      event = []
    }
  }
  return events
}

describe('an answer that is not an event stream', () => {
  const answer = (pieces: readonly string[], thrown?: unknown): Response => {
    const response = streamOf(pieces.map(encode), thrown)
    response.headers.set('content-type', 'application/json')
    return response
  }

  test('is passed on chunk by chunk as it arrives, with its length', async () => {
    const { response, ended } = answerStream(answer(['{"a":', '"b', 'c"}']), LIMITS)
    expect(response.headers.get('content-length')).toBe('9')
    expect(await piecesOf(response)).toEqual(['{"a":', '"b', 'c"}'])
    expect(await ended).toBeUndefined()
  })

  test.each([
    [new Error('reset'), 'llm_unavailable'],
    [LATE, 'llm_timeout'],
    [new RagGateError('store_unavailable', 'No.'), 'store_unavailable'],
  ])('breaks off for its reader and a copy when its source does: %s', async (thrown, code) => {
    const { response, ended, copy } = answerStream(answer(['{"a":', '"b'], thrown), LIMITS)
    const copied = new Response(copy()).text()
    const reader = response.body!.getReader()
    await expect(reader.read()).resolves.toMatchObject({ done: false })
    await expect(Promise.all([reader.read(), reader.read()])).rejects.toMatchObject({ code })
    await expect(copied).rejects.toMatchObject({ code })
    expect(await ended).toMatchObject({ code })
  })

  test('that breaks off can be read up to there later', async () => {
    const { response, ended } = answerStream(answer(['{"a":', '"b'], LATE), LIMITS)
    await ended
    const reader = response.body!.getReader()
    const pieces = [await reader.read(), await reader.read()].map(({ value }) => new TextDecoder().decode(value))
    expect(pieces).toEqual(['{"a":', '"b'])
    await expect(reader.read()).rejects.toMatchObject({ code: 'llm_timeout' })
  })
})

describe('a stream of events', () => {
  test('that ends is passed on byte by byte, in any chunks', async () => {
    await fc.assert(
      fc.asyncProperty(aStream, fc.boolean(), async ({ events, cuts }, isWhole) => {
        const bytes = encode(events.join(''))
        const pieces = cutAt(bytes, isWhole ? [...cuts, bytes.length] : cuts)
        const { response, ended } = answerStream(streamOf(pieces), LIMITS)
        const sent = new Uint8Array(await response.arrayBuffer())
        expect(sent).toEqual(bytes.slice(0, isWhole ? bytes.length : Math.max(...cuts)))
        expect(await ended).toBeUndefined()
      }),
    )
  })

  test('that breaks off ends with its complete events and an error event', async () => {
    await fc.assert(
      fc.asyncProperty(aStream, async ({ events, cuts }) => {
        const bytes = encode(events.join(''))
        const { response, ended, requestId } = answerStream(streamOf(cutAt(bytes, cuts), new Error('reset')), LIMITS)
        const text = await response.text()
        const came = read(new TextDecoder().decode(bytes.slice(0, Math.max(...cuts))))
        const sent = read(text)
        expect(sent.slice(0, -1)).toEqual(came)
        expect(sent.at(-1)?.at(-1)).toContain(`"request_id":"${requestId}"`)
        // Without lines of an incomplete event.
        expect(sent.at(-1)).toHaveLength(sent.at(-1)?.[0] === 'event: error' ? 2 : 1)
        expect(text.endsWith('\n\n')).toBe(true)
        expect((await ended)?.code).toBe('llm_unavailable')
      }),
    )
  })

  test.each<[string, string, string]>([
    ['chunks of chat completions', 'data: {"choices":[{"index":0}]}\n\n', 'data: {"error":{"code":"llm_unavailable",'],
    [
      'chunks with an object name, after comments',
      ': wait\n\ndata: {"id":"c1","object":"chat.completion.chunk"}\n\n',
      'data: {"error":{"code":"llm_unavailable",',
    ],
    ['a truncated first chunk', 'data: {"id":"c1","choices":[', 'data: {"error":{"code":"llm_unavailable",'],
    [
      'named events',
      'event: message_start\ndata: {"type":"message_start"}\n\n',
      'event: error\ndata: {"type":"error",',
    ],
    ['an answer with the word choices', 'data: "choices"\n\n', 'event: error\ndata: {"type":"error",'],
    ['no bytes', '', 'event: error\ndata: {"type":"error",'],
  ])('that breaks off after %s has an error event in its own form', async (_, came, form) => {
    const { response } = answerStream(streamOf([encode(came)], new Error('reset')), LIMITS)
    const text = await response.text()
    expect(text.slice(came.endsWith('\n\n') ? came.length : 0).startsWith(form)).toBe(true)
  })

  test.each<[unknown, string, string]>([
    [new Error('secret'), 'llm_unavailable', 'The answer broke off'],
    ['secret', 'llm_unavailable', 'The answer broke off'],
    [LATE, 'llm_timeout', 'The answer broke off'],
    [new RagGateError('llm_bad_response', 'No answer'), 'llm_bad_response', 'No answer'],
  ])('that breaks off by %s has a code, without the text that was thrown', async (thrown, code, message) => {
    const { response, ended, requestId } = answerStream(streamOf([], thrown), LIMITS)
    const text = await response.text()
    expect(JSON.parse(text.replace(/^event: error\ndata: /, ''))).toEqual({
      type: 'error',
      error: { code, message, request_id: requestId, type: 'api_error' },
    })
    expect(await ended).toMatchObject({ code, ...(thrown instanceof RagGateError ? {} : { cause: thrown }) })
  })

  test('passes on an event as soon as it is complete, without a content-length that may become wrong', async () => {
    const event = 'data: {"choices":[]}\n\n'
    const pieces = [event.slice(0, 5), event.slice(5, -1), `\n${event}da`, 'ta: x\n\n'].map(encode)
    const { response } = answerStream(streamOf(pieces), LIMITS)
    expect(response.headers.get('content-length')).toBeNull()
    expect(await piecesOf(response)).toEqual([event.slice(0, 5), event.slice(5, -1), `\n${event}`, 'da', 'ta: x\n\n'])
    const crlf = answerStream(streamOf(['data: a\r\n', '\r\nda'].map(encode), new Error('reset')), LIMITS)
    expect((await piecesOf(crlf.response)).slice(0, 2)).toEqual(['data: a\r\n', '\r\n'])
  })

  test('that its reader leaves ends without an error, and is not read further', async () => {
    let cancelled: unknown
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(encode('data: x\n\n')),
      cancel: (reason) => void (cancelled = reason),
    })
    const { response, ended } = answerStream(new Response(body), LIMITS)
    await response.body?.cancel('left')
    expect([await ended, cancelled]).toEqual([undefined, 'left'])
  })

  test('that its reader leaves ends with its copies, whose last event may tell its usage', async () => {
    let source!: ReadableStreamDefaultController<Uint8Array>
    const body = new ReadableStream<Uint8Array>({ start: (controller) => void (source = controller) })
    const { response, ended, copy } = answerStream(new Response(body), LIMITS)
    const copied = new Response(copy()).text()
    let isOver = false
    const over = ended.then(() => (isOver = true))
    source.enqueue(encode('data: x\n\n'))
    await response.body?.cancel('left')
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(isOver).toBe(false)
    source.enqueue(encode('data: y\n\n'))
    source.close()
    await over
    expect(await copied).toBe('data: x\n\ndata: y\n\n')
  })

  test('that its reader leaves ends with the last of its copies, or ten seconds later', async () => {
    const endless = (): Response =>
      new Response(new ReadableStream({ pull: (controller) => controller.enqueue(encode('data: x\n\n')) }))
    const left = answerStream(endless(), LIMITS)
    const copy = left.copy()
    await left.response.body?.cancel()
    await copy.cancel()
    expect(await left.ended).toBeUndefined()
    vi.useFakeTimers({ toFake: ['performance'], now: 1 })
    const slow = answerStream(endless(), LIMITS)
    const reader = slow.copy().getReader()
    await slow.response.body?.cancel()
    vi.advanceTimersByTime(10_001)
    await reader.read()
    expect(await slow.ended).toBeUndefined()
    vi.useRealTimers()
    await reader.cancel()
  })

  test('is read at most some 4 MiB ahead of a reader that waits, also for the readers of copies, until it leaves', async () => {
    const PIECE = 65_536
    const body = new ReadableStream<Uint8Array>({ pull: (controller) => controller.enqueue(new Uint8Array(PIECE)) })
    const stream = answerStream(new Response(body), LIMITS)
    const copy = stream.copy().getReader()
    let bytes = 0
    while (bytes < 16_777_216) {
      const read = await Promise.race([copy.read(), new Promise<undefined>((resolve) => setTimeout(resolve, 200))])
      if (read === undefined) break
      bytes += read.value!.length
    }
    expect(bytes).toBeGreaterThanOrEqual(4_194_304)
    expect(bytes).toBeLessThan(4_194_304 + 8 * PIECE)
    await stream.response.body?.cancel()
    while (bytes < 16_777_216) bytes += (await copy.read()).value!.length
    await copy.cancel()
  })

  test('is read no further ahead if it is one event that does not end', async () => {
    let bytes = 0
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if ((bytes += 65_536) > 16_777_216) controller.close()
        else controller.enqueue(new Uint8Array(65_536).fill(97))
      },
    })
    const { response } = answerStream(new Response(body, { headers: { 'content-type': 'text/event-stream' } }), LIMITS)
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(bytes).toBeLessThan(1_048_576)
    await response.body?.cancel()
  })
})
