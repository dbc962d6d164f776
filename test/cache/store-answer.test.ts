import { describe, expect, it } from 'vitest'
import { Hono } from 'hono'
import { reranking } from '../../src/pipeline/reranking.ts'
import { plainCollection } from '../../src/ports/collections.ts'
import { aGate, bodyOf, type GateFixture, type HandlerContext, QUESTION, STRONG, WEAK } from '../fixtures/gate.ts'
import { quietErrors } from '../fixtures/quiet-console.ts'

quietErrors()

describe('storing an answer', () => {
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
    ['a body that is too large', (c) => c.json({ answer: 'é'.repeat(131_072) })],
    [
      'a body that is said to be too large',
      () => new Response('{}', { headers: { 'content-type': 'application/json', 'content-length': '262145' } }),
    ],
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
              controller.enqueue(new Uint8Array(65_536))
            },
          }),
        ),
    ],
  ])('%s is sent and not stored', async (_, handler) => {
    const { ask, journal } = aGate({ handler })
    const response = await ask()
    expect(response.headers.get('rag-gate')).toMatch(/^pass;/)
    response.body?.cancel().catch(() => undefined)
    expect(journal.stored).toEqual([])
    expect(journal.events).toHaveLength(1)
  })

  it('an error thrown by the handler is left to the application, and nothing is stored', async () => {
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

  it('an answer is stored with the model and tokens that its handler reported, if it did', async () => {
    const reported = { model: 'model-1', usage: { inputTokens: 3, outputTokens: 4 } }
    for (const report of [{}, reported]) {
      const { ask, journal } = aGate({
        handler: (c) => {
          c.var.ragGate.report(report)
          return c.json({ answer: 'Turn it.' })
        },
      })
      await ask()
      const { model, usage } = journal.stored[0]!
      expect({ ...(model && { model }), ...(usage && { usage }) }).toEqual(report)
    }
  })

  it('an answer is not stored when its reranker failed, nor is a refusal', async () => {
    for (const finds of [[STRONG], [WEAK]]) {
      const rerank = (): Promise<never> => Promise.reject(new Error('down'))
      const reranker = reranking({ model: 'grader', kind: 'grade', rerank })
      const { ask, journal } = aGate({ finds, dependencies: { reranker } })
      await ask()
      expect([journal.events.length, journal.stored]).toEqual([1, []])
    }
  })

  it.each([
    ['briefly where others fill the index', { documents: 'elsewhere' }, 30],
    ['briefly where the corpus version is unknown', { corpusVersion: 0 }, 30],
    ['as long as an answer otherwise', {}, undefined],
  ] as const)('a refusal is stored %s', async (_, collection, seconds) => {
    const find = async () => ({
      ...plainCollection({ tenant: 'default', id: 'default', corpusVersion: 1 }),
      ...collection,
    })
    const collections = { find, lexicon: () => Promise.reject(new Error('there is none')) }
    const lifetimeOf = async (finds: readonly string[]) => {
      const { ask, journal } = aGate({ finds, dependencies: { collections } })
      await ask()
      return journal.stored[0]!.lifetimeSeconds
    }
    const refused = await lifetimeOf([WEAK])
    if (seconds === undefined) expect(refused).toBeGreaterThan(60)
    else expect(refused).toBe(seconds)
    expect(await lifetimeOf([STRONG])).toBeGreaterThan(60)
  })

  it('an answer is stored no longer than the handler allows', async () => {
    const { ask, journal } = aGate({ handler: (c) => c.json({}, 200, { 'cache-control': 'max-age=60', age: '20' }) })
    await ask()
    expect(journal.stored[0]?.lifetimeSeconds).toBe(40)
  })

  it('an answer may vary on a declared header', async () => {
    const { ask, journal } = aGate({
      cache: { vary: { headers: ['accept-language'] } },
      handler: (c) => c.json({}, 200, { vary: 'Accept-Language' }),
    })
    await ask()
    expect(journal.stored).toHaveLength(1)
  })

  it('an answer is stored without the headers of its own request', async () => {
    const headers = {
      'content-type': 'application/json',
      date: 'x',
      connection: 'close',
      'x-hop': 'x',
      'x-request-id': '1',
      'server-timing': 'model;dur=3',
      te: 'x',
      upgrade: 'x',
    }
    const { ask, journal } = aGate({
      handler: () => new Response('{}', { headers: { ...headers, connection: 'close, X-Hop' } }),
    })
    await ask()
    expect(journal.stored[0]?.headers).toEqual([
      ['content-type', 'application/json'],
      ['date', 'x'],
    ])
  })

  it('an answer is sent again without headers that may belong to its first caller', async () => {
    const first = {
      'x-user': 'ann',
      location: '/ann',
      link: '</ann>; rel=preload',
      refresh: '0; url=/ann',
      'access-control-allow-origin': 'https://ann.example',
      'www-authenticate': 'Bearer',
      'x-internal': '1',
      'x-any': '*',
    }
    const { ask } = aGate({ handler: (c) => c.json({ answer: 'Turn it.' }, 200, first) })
    const sent = await ask()
    expect(sent.headers.get('x-user')).toBe('ann')
    const again = await ask()
    expect(again.headers.get('cache-status')).toBe('rag-gate; hit')
    for (const name of Object.keys(first)) expect(again.headers.get(name), name).toBeNull()
  })

  it('an answer with access-control-allow-origin: * has it from the cache too', async () => {
    const { ask } = aGate({ handler: (c) => c.json({}, 200, { 'access-control-allow-origin': '*' }) })
    await ask()
    expect((await ask()).headers.get('access-control-allow-origin')).toBe('*')
  })

  it('an answer is sent again with its own end-to-end headers', async () => {
    const own = {
      'content-security-policy': "default-src 'none'",
      'content-disposition': 'inline',
      'x-content-type-options': 'nosniff',
      'x-vercel-ai-ui-message-stream': 'v1',
      etag: '"a"',
      'cache-control': 'max-age=600',
      'content-language': 'en',
    }
    const { ask } = aGate({ handler: (c) => c.json({ answer: 'Turn it.' }, 200, own) })
    await ask()
    const again = await ask()
    expect(again.headers.get('cache-status')).toBe('rag-gate; hit')
    expect(Object.fromEntries(again.headers)).toMatchObject({ ...own, 'content-type': 'application/json' })
  })

  it.each<[string, (c: HandlerContext) => Response, number, string]>([
    ['a redirect', (c) => (c.header('x-user', 'ann'), c.redirect('/manual', 302)), 302, ''],
    [
      'an absence',
      (c) => c.json({ answer: 'There is no such engine.' }, 404),
      404,
      '{"answer":"There is no such engine."}',
    ],
  ])('%s is stored for the lifetime in its headers, and not without one', async (_, made, status, body) => {
    let said: string | undefined
    const { ask, journal, clock } = aGate({
      handler: (c) => {
        if (said !== undefined) c.header('cache-control', said)
        return made(c)
      },
    })
    await ask()
    expect(journal.stored).toEqual([])
    said = 'max-age=60'
    const first = await ask()
    const again = await ask()
    expect([again.status, await again.text()]).toEqual([status, body])
    expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'))
    expect(again.headers.get('cache-status')).toBe('rag-gate; hit')
    expect(again.headers.get('location')).toBe(status === 302 ? '/manual' : null)
    expect(again.headers.get('x-user')).toBeNull()
    clock.atMs += 60_000
    expect((await ask()).headers.get('cache-status')).toBe('rag-gate; fwd=stale')
  })

  it.each([
    ['gzip', null],
    ['br, gzip', null],
    ['aes-text', 'aes-text'],
    ['gzip, aes-text', 'gzip, aes-text'],
  ])('with the content coding %s is stored: %j', async (coding, kept) => {
    const { ask, journal } = aGate({ handler: (c) => c.json({}, 200, { 'content-encoding': coding }) })
    await ask()
    expect(new Headers(journal.stored[0]?.headers.map(([name, value]) => [name, value])).get('content-encoding')).toBe(
      kept,
    )
  })

  it('an answer is stored without headers that outer middleware set for its caller', async () => {
    const { app, journal } = aGate({ handler: (c) => c.json({}, 200, { 'content-location': '/m-1' }) })
    const outer = new Hono()
    let callers = 0
    outer.use(async (c, next) => {
      c.header('content-of-the-caller', String(++callers))
      await next()
      c.header('x-after', String(callers))
    })
    outer.route('/', app)
    const ask = () =>
      outer.request('/ask', {
        method: 'POST',
        body: JSON.stringify({ question: QUESTION }),
        headers: { 'content-type': 'application/json' },
      })
    await ask()
    await new Promise((resolve) => setTimeout(resolve, 10))
    expect(journal.stored[0]?.headers.map(([name]) => name)).toEqual(['content-location', 'content-type'])
    const again = await ask()
    expect(again.headers.get('cache-status')).toBe('rag-gate; hit')
    const names = ['content-of-the-caller', 'x-after', 'content-location']
    expect(names.map((name) => again.headers.get(name))).toEqual(['2', '2', '/m-1'])
  })

  it('the age of an answer counts from the question, not from the end of its body', async () => {
    const { ask, journal, clock } = aGate({
      handler: () => {
        clock.atMs += 1500
        const body = new ReadableStream<Uint8Array>({
          pull(controller) {
            clock.atMs += 1500
            controller.enqueue(new TextEncoder().encode('{}'))
            controller.close()
          },
        })
        return new Response(body, { headers: { 'content-type': 'application/json', 'cache-control': 'max-age=5' } })
      },
    })
    await (await ask()).text()
    await new Promise((resolve) => setTimeout(resolve, 10))
    expect(journal.stored).toHaveLength(1)
    const again = await ask()
    expect(again.headers.get('age')).toBe('3')
    clock.atMs += 2000
    expect((await ask()).headers.get('cache-status')).toBe('rag-gate; fwd=stale')
  })

  it('the Age of an answer is subtracted from its lifetime and added to the Age of a hit', async () => {
    const { ask, journal, clock } = aGate({
      handler: (c) => c.json({}, 200, { 'cache-control': 'max-age=60', age: '20, 3' }),
    })
    expect((await ask()).headers.get('age')).toBe('20, 3')
    clock.atMs += 10_000
    expect((await ask()).headers.get('age')).toBe('30')
    expect(journal.stored[0]?.lifetimeSeconds).toBe(40)
    clock.atMs += 30_000
    expect((await ask()).headers.get('cache-status')).toBe('rag-gate; fwd=stale')
  })

  it('an Age without max-age is subtracted from the lifetime of the policy', async () => {
    const { ask, journal } = aGate({ handler: (c) => c.json({}, 200, { age: '1000' }) })
    const plain = aGate()
    await ask()
    await plain.ask()
    expect(plain.journal.stored[0]!.lifetimeSeconds - journal.stored[0]!.lifetimeSeconds).toBe(1000)
  })

  it.each(['private; max-age=0', 'no-store; max-age=0', 'max-age=60 private', 'x="'])(
    'an answer with the unreadable Cache-Control %j is not stored',
    async (field) => {
      const { ask, journal } = aGate({ handler: (c) => c.json({}, 200, { 'cache-control': field }) })
      await ask()
      expect(journal.stored).toEqual([])
    },
  )

  it('a stream is stored only when the handler reports at its end that it was complete', async () => {
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

  it('JSON that broke off is not stored', async () => {
    const { ask, journal } = aGate({
      handler: () => new Response('{"answer":"half of', { headers: { 'content-type': 'application/json' } }),
    })
    await (await ask()).text()
    await new Promise((resolve) => setTimeout(resolve, 10))
    expect(journal.stored).toEqual([])
  })
})
