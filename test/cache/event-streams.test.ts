import { describe, expect, it } from 'vitest'
import { eventsOf, isWholeStream } from '../../src/cache/event-stream.ts'
import { aGate } from '../fixtures/gate.ts'
import { seededRandom } from '../fixtures/decision.ts'
import { quietErrors } from '../fixtures/quiet-console.ts'

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
  it('passes through at once, is stored when it ended cleanly, and is replayed event by event', async () => {
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
    ['nothing', ''],
  ])('with %s is sent and not kept', async (_, text) => {
    const { ask, journal } = aGate({ handler: () => streaming([text]) })
    expect(await (await ask()).text()).toBe(text)
    await settled()
    expect([...journal.stored, ...journal.storedByEvidence]).toEqual([])
  })

  it('that was cut at any of 1,000 bytes, cleanly or by an error, leaves nothing', async () => {
    const bytes = new TextEncoder().encode(WHOLE)
    const random = seededRandom(20_261_122)
    const { ask, journal } = aGate({
      handler: () => {
        const end = Math.floor(random() * bytes.length)
        const broken = random() < 0.5 ? () => Promise.reject(new Error('upstream died')) : undefined
        return streaming([bytes.slice(0, end)], broken)
      },
    })
    for (let at = 0; at < 1000; at++) await (await ask()).text().catch(() => undefined)
    await settled()
    expect(journal.handled).toHaveLength(1000)
    expect([...journal.stored, ...journal.storedByEvidence]).toEqual([])
  })

  it('of another form is kept when its handler says that it was whole, and it is', () => {
    const own = 'event: token\ndata: Turn\n\nevent: end\ndata: {}\n\n'
    expect([isWholeStream(own, true), isWholeStream(own, undefined), isWholeStream(own, false)]).toEqual([
      true,
      false,
      false,
    ])
    expect(isWholeStream(own.slice(0, -1), true)).toBe(false)
    expect(isWholeStream(WHOLE.replace('"stop"', '"length"'), true)).toBe(false)
  })

  it.each(['\n', '\r\n', '\r'])('has its events with %j for line ends', (lineEnd) => {
    const text = WHOLE.replaceAll('\n', lineEnd)
    expect(eventsOf(text)).toHaveLength(9)
    expect(eventsOf(text).join('')).toBe(text)
    expect(isWholeStream(text, undefined)).toBe(true)
  })
})
