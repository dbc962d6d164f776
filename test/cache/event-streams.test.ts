import { streamSSE } from 'hono/streaming'
import { describe, expect, it, vi } from 'vitest'
import { eventsOf, streamState } from '../../src/cache/event-stream.ts'
import type { GateWarning } from '../../src/pipeline/question-settings.ts'
import { aGate, type GateFixture } from '../fixtures/gate.ts'
import { seededRandom } from '../fixtures/decision.ts'
import { quietErrors } from '../fixtures/quiet-console.ts'
import { examples } from '../properties.ts'

quietErrors()

const chunk = (delta: unknown, finish: string | null = null): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
const WORDS = ['Turn ', 'the ', 'réd ', 'key.', ' 🗝']
const WHOLE = [
  chunk({ role: 'assistant' }),
  ...WORDS.map((content) => chunk({ content })),
  ': still here\n\n',
  chunk({}, 'stop'),
  'data: [DONE]\n\n',
].join('')

/** A response that sends the events one by one, as their turn comes. */
function streaming(parts: readonly (string | Uint8Array)[], then?: () => Promise<void>): Response {
  const encoder = new TextEncoder()
  let at = 0
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const part = parts[at++]
      if (part === undefined) {
        await then?.()
        controller.close()
      } else controller.enqueue(typeof part === 'string' ? encoder.encode(part) : part)
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5))

describe('a stream of events', () => {
  it('is passed on at once, stored when it ended completely, and replayed event by event', async () => {
    let end = (): void => undefined
    const held = new Promise<void>((resolve) => (end = resolve))
    const { ask, app, journal } = aGate({ handler: () => streaming(eventsOf(WHOLE), () => held) })
    const first = await app.request('/ask', {
      method: 'POST',
      body: JSON.stringify({ question: 'How does the engine start?' }),
      headers: { 'content-type': 'application/json' },
    })
    const reader = first.body!.getReader()
    expect(new TextDecoder().decode((await reader.read()).value)).toBe(eventsOf(WHOLE)[0])
    expect(journal.stored).toEqual([])
    end()
    while (!(await reader.read()).done);
    await settled()
    expect(journal.stored.map(({ body }) => body)).toEqual([WHOLE])
    const again = await ask()
    expect(again.headers.get('cache-status')).toBe('rag-gate; hit')
    expect(again.headers.get('content-type')).toBe('text/event-stream')
    const parts: string[] = []
    for await (const part of again.body as unknown as AsyncIterable<Uint8Array>)
      parts.push(new TextDecoder().decode(part))
    expect(parts).toEqual(eventsOf(WHOLE))
    expect(journal.handled).toHaveLength(1)
  })

  it.each<[string, string]>([
    ['no [DONE]', WHOLE.replace('data: [DONE]\n\n', '')],
    ['no finish_reason', WHOLE.replace('"stop"', 'null')],
    ['length', WHOLE.replace('"stop"', '"length"')],
    ['content_filter', WHOLE.replace('"stop"', '"content_filter"')],
    ['an error event', WHOLE.replace(': still here', 'event: error\ndata: {"code":"llm_timeout"}')],
    ['an error in the data', WHOLE.replace(': still here', 'data: {"error":{"message":"overloaded"}}')],
    ['something after [DONE]', `${WHOLE}${chunk({ content: 'more' })}`],
    ['an end without a blank line', WHOLE.slice(0, -1)],
    ['an end without a blank line, of carriage returns', WHOLE.replaceAll('\n', '\r\n').slice(0, -2)],
    ['a second choice that did not stop', WHOLE.replace(': still here', 'data: {"choices":[{"index":1,"delta":{}}]}')],
    ['an error event without data', WHOLE.replace(': still here', 'event: error')],
    ['a choice that is no object', WHOLE.replace(': still here', 'data: {"choices":[1]}')],
    ['nothing', ''],
  ])('with %s is sent and not stored', async (_, text) => {
    expect(streamState(text, undefined)).toBe('cut')
    const { ask, journal } = aGate({ handler: () => streaming([text]) })
    expect(await (await ask()).text()).toBe(text)
    await settled()
    expect([...journal.stored, ...journal.storedByEvidence]).toEqual([])
  })

  it('cut at any byte, cleanly or by an error, is not stored', async () => {
    const bytes = new TextEncoder().encode(WHOLE)
    const random = seededRandom(20_261_122)
    const { ask, journal } = aGate({
      handler: () => {
        const end = Math.floor(random() * bytes.length)
        const broken = random() < 0.5 ? () => Promise.reject(new Error('upstream died')) : undefined
        return streaming([bytes.slice(0, end)], broken)
      },
    })
    const asked = examples(1000)
    for (let at = 0; at < asked; at++) await (await ask()).text().catch(() => undefined)
    await settled()
    expect(journal.handled).toHaveLength(asked)
    expect([...journal.stored, ...journal.storedByEvidence]).toEqual([])
  })

  it('that breaks off is logged once, whether or not it would be stored', async () => {
    const { ask } = aGate({
      handler: () => streaming(eventsOf(WHOLE).slice(0, 3), () => Promise.reject(new Error('reset'))),
    })
    expect(await (await ask()).text()).toContain('"code":"llm_unavailable"')
    await settled()
    expect(vi.mocked(console.error).mock.calls).toEqual([[expect.stringContaining('llm_unavailable')]])
  })

  it('of another form is stored only when its handler reports it complete', () => {
    const own = 'event: token\ndata: Turn\n\nevent: end\ndata: {}\n\n'
    expect([streamState(own, true), streamState(own, undefined), streamState(own, false)]).toEqual([
      'whole',
      'unsaid',
      'cut',
    ])
    expect(streamState(own.slice(0, -1), true)).toBe('cut')
    expect(streamState(WHOLE.replace('"stop"', '"length"'), true)).toBe('cut')
  })

  it.each([
    ['a comment after [DONE]', `${WHOLE}: bye\n\n`],
    ['an error that is null', WHOLE.replace('data: {', 'data: {"error":null,')],
    ['data that is no JSON', WHOLE.replace(': still here', 'data: still here')],
  ])('with %s is complete', (_, text) => {
    expect(streamState(text, undefined)).toBe('whole')
  })

  it('that breaks off has what came of its last event as its last part', () => {
    expect(eventsOf('data: a\n\ndata: b')).toEqual(['data: a\n\n', 'data: b'])
  })

  it.each(['\n', '\r\n', '\r'])('has its events with %j for line ends', (lineEnd) => {
    const text = WHOLE.replaceAll('\n', lineEnd)
    expect(eventsOf(text)).toHaveLength(9)
    expect(eventsOf(text).join('')).toBe(text)
    expect(streamState(text, undefined)).toBe('whole')
  })

  it.each([
    ['a line end behind its last event', `${WHOLE}\n`],
    // Some endpoints send an empty reason where there is none.
    [
      'empty reasons around the last one',
      WHOLE.replaceAll(':null}', ':""}').replace('data: [DONE]', `${chunk({}, '')}$&`),
    ],
  ])('is complete with %s', (_, text) => {
    expect(streamState(text, undefined)).toBe('whole')
  })
})

describe('a stream made by Hono', () => {
  const streamed =
    (complete?: boolean): NonNullable<GateFixture['handler']> =>
    (c) =>
      streamSSE(c, async (stream) => {
        await stream.writeSSE({ event: 'token', data: 'Turn' })
        if (complete !== undefined) c.var.ragGate.report({ complete })
      })

  it('is stored despite no-cache when its handler reports it complete', async () => {
    const onWarning = vi.fn<(warning: GateWarning) => void>()
    const { ask, journal } = aGate({ onWarning, handler: streamed(true) })
    const first = await ask()
    expect(first.headers.get('cache-control')).toBe('no-cache')
    await settled()
    const again = await ask()
    expect([again.headers.get('cache-status'), await again.text()]).toEqual(['rag-gate; hit', await first.text()])
    expect([journal.handled.length, onWarning.mock.calls]).toEqual([1, []])
  })

  it('is not stored when its handler reports nothing, with one warning', async () => {
    const onWarning = vi.fn<(warning: GateWarning) => void>()
    const { ask, journal } = aGate({ onWarning, handler: streamed() })
    for (let time = 0; time < 3; time++) await ask()
    await settled()
    expect(journal.stored).toEqual([])
    const message = expect.stringContaining('report({ complete: true })')
    expect(onWarning.mock.calls).toEqual([[{ code: 'answer_not_kept', message }]])
  })

  it('is not stored with no-store, with private or when truncated, without a warning', async () => {
    const onWarning = vi.fn<(warning: GateWarning) => void>()
    for (const said of ['no-store', 'private']) {
      const handler: GateFixture['handler'] = (c) => {
        const response = streamed(true)(c) as Response
        response.headers.set('cache-control', `${said}, no-cache`)
        return response
      }
      const { ask, journal } = aGate({ onWarning, handler })
      await ask()
      await settled()
      expect(journal.stored).toEqual([])
    }
    const { ask, journal } = aGate({ onWarning, handler: streamed(false) })
    await ask()
    await settled()
    expect([journal.stored, onWarning.mock.calls]).toEqual([[], []])
  })
})

describe('an answer that cannot be stored', () => {
  it.each<[string, NonNullable<GateFixture['handler']>, string]>([
    ['a cookie', (c) => c.json({}, 200, { 'set-cookie': 'a=1' }), 'set-cookie'],
    ['no-cache', (c) => c.json({}, 200, { 'cache-control': 'no-cache' }), 'cache-control'],
    ['plain text', (c) => c.text('Turn it.'), 'report({ complete: true })'],
    ['a body that is too large', (c) => c.json({ answer: 'é'.repeat(131_072) }), 'size'],
    ['a body that is not UTF-8', () => new Response(Uint8Array.of(0x7b, 0xff, 0x7d)), 'encoding'],
  ])('is reported once with the reason: %s', async (_, handler, reason) => {
    const onWarning = vi.fn<(warning: GateWarning) => void>()
    const { ask } = aGate({ onWarning, handler })
    for (let time = 0; time < 2; time++) await ask()
    const message = expect.stringContaining(reason)
    expect(onWarning.mock.calls).toEqual([[{ code: 'answer_not_kept', message }]])
  })
})
