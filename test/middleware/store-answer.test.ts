import { describe, expect, it } from 'vitest'
import { aGate, bodyOf, type GateFixture } from '../fixtures/gate.ts'
import { quietErrors } from '../fixtures/quiet-console.ts'

quietErrors()

describe('an answer that must not be stored', () => {
  it.each<[string, GateFixture['handler'] & object]>([
    ['a 201', (c) => c.json({}, 201)],
    ['a 206', (c) => c.body('part', 206)],
    ['a 204', (c) => c.body(null, 204)],
    ['a 404', (c) => c.json({}, 404)],
    ['a 500', (c) => c.json({}, 500)],
    ['no-store', (c) => c.json({}, 200, { 'cache-control': 'no-store' })],
    ['private', (c) => c.json({}, 200, { 'cache-control': 'private, max-age=60' })],
    ['no-cache', (c) => c.json({}, 200, { 'cache-control': 'no-cache' })],
    ['max-age=0', (c) => c.json({}, 200, { 'cache-control': 'max-age=0' })],
    ['a cookie', (c) => c.json({}, 200, { 'set-cookie': 'a=1' })],
    ['Vary: *', (c) => c.json({}, 200, { vary: '*' })],
    ['Vary: Authorization', (c) => c.json({}, 200, { vary: 'Authorization' })],
    ['an event stream', (c) => c.body('data: x\n\n', 200, { 'content-type': 'text/event-stream' })],
    [
      'an event stream in capitals',
      (c) => c.body('data: x\n\n', 200, { 'content-type': 'Text/Event-Stream; charset=utf-8' }),
    ],
    ['a body that is not UTF-8', () => new Response(Uint8Array.of(0x7b, 0xff, 0x7d))],
    ['a body that is too large', (c) => c.json({ answer: 'é'.repeat(200) })],
    [
      'an answer that was cut',
      (c) => {
        c.var.ragGate.report({ complete: false })
        return c.json({ answer: 'Turn the' })
      },
    ],
    [
      'a stream that breaks',
      () => {
        let pulled = 0
        return new Response(
          new ReadableStream({
            pull(controller) {
              if (pulled++ > 2) controller.error(new Error('upstream died'))
              else controller.enqueue(new TextEncoder().encode('{"answer":'))
            },
          }),
        )
      },
    ],
    [
      'a stream that does not end',
      () =>
        new Response(
          new ReadableStream({
            async pull(controller) {
              await new Promise((resolve) => setTimeout(resolve, 1))
              controller.enqueue(new Uint8Array(64))
            },
          }),
        ),
    ],
  ])('%s is sent and not kept', async (_, handler) => {
    const { ask, journal } = aGate({ handler, cache: { maxStoredBytes: 300 } })
    const response = await ask()
    expect(response.headers.get('rag-gate')).toMatch(/^pass;/)
    response.body?.cancel().catch(() => undefined)
    expect(journal.stored).toEqual([])
    expect(journal.events).toHaveLength(1)
  })

  it("a handler that throws is the application's to answer, and nothing is kept, whatever it says", async () => {
    const { app, ask, journal } = aGate({
      handler: () => {
        throw new Error('model down')
      },
    })
    expect((await ask()).status).toBe(500)
    app.onError((_, c) => c.json({ answer: 'Sorry.' }, 200))
    expect(await bodyOf(await ask())).toEqual({ answer: 'Sorry.' })
    expect(journal.stored).toEqual([])
    expect(journal.events.map(({ status }) => status)).toEqual([500, 200])
  })

  it('an answer lives no longer than the handler allows', async () => {
    const { ask, journal } = aGate({ handler: (c) => c.json({}, 200, { 'cache-control': 'max-age=60', age: '20' }) })
    await ask()
    expect(journal.stored[0]?.lifetimeSeconds).toBe(40)
  })

  it('an answer may vary on a header that is declared', async () => {
    const { ask, journal } = aGate({
      cache: { vary: { headers: ['accept-language'] } },
      handler: (c) => c.json({}, 200, { vary: 'Accept-Language' }),
    })
    await ask()
    expect(journal.stored).toHaveLength(1)
  })

  it('an answer is kept without the headers of its own exchange', async () => {
    const headers = {
      'content-type': 'application/json',
      date: 'x',
      connection: 'close',
      'x-user': 'ann',
      te: 'x',
      upgrade: 'x',
    }
    const { ask, journal } = aGate({ handler: () => new Response('{}', { headers }) })
    await ask()
    expect(journal.stored[0]?.headers).toEqual([['content-type', 'application/json']])
  })

  it('a stream is kept only when the handler says, once it is over, that it was whole', async () => {
    for (const [complete, stored] of [
      [undefined, 0],
      [false, 0],
      [true, 1],
    ] as const) {
      const { ask, journal } = aGate({
        handler: (c) => {
          const { report } = c.var.ragGate
          const body = new ReadableStream<Uint8Array>({
            async pull(controller) {
              await new Promise((resolve) => setTimeout(resolve, 5))
              if (complete !== undefined) report({ complete })
              controller.enqueue(new TextEncoder().encode('half of the ans'))
              controller.close()
            },
          })
          return new Response(body, { headers: { 'content-type': 'text/plain; charset=utf-8' } })
        },
      })
      expect(await (await ask()).text()).toBe('half of the ans')
      await new Promise((resolve) => setTimeout(resolve, 20))
      expect(journal.stored).toHaveLength(stored)
    }
  })

  it('JSON that broke off is not kept', async () => {
    const { ask, journal } = aGate({
      handler: () => new Response('{"answer":"half of', { headers: { 'content-type': 'application/json' } }),
    })
    await (await ask()).text()
    await new Promise((resolve) => setTimeout(resolve, 10))
    expect(journal.stored).toEqual([])
  })
})
