import { Hono } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { describe, expect, it, vi } from 'vitest'
import type { RagGateEnv } from '../../src/middleware/gate-context.ts'
import { ragGate } from '../../src/middleware/rag-gate.ts'
import { aPassage } from '../fixtures/evidence.ts'
import { aGate, bodyOf, QUESTION, rankingOf, STRONG } from '../fixtures/gate.ts'
import { balanced } from '../../src/presets/balanced/balanced.ts'

describe("in a user's own application", () => {
  const BODY = JSON.stringify({ question: QUESTION })
  const LENGTH = { 'content-length': String(BODY.length) }

  it.each([
    ['with content-length', LENGTH],
    ['without content-length', {}],
  ])('leaves the request body readable for a handler that forwards it and reads it, one %s', async (_, headers) => {
    const { ask } = aGate({
      handler: async (c) => {
        const { raw } = c.req
        const passed = await new Request('https://upstream.test/', raw).text()
        return c.json({ answer: [passed, await c.req.text(), c.req.method, c.req.raw === raw].join(' ') })
      },
    })
    expect(await bodyOf(await ask(undefined, headers))).toEqual({ answer: `${BODY} ${BODY} POST true` })
  })

  it.each([
    ['with content-length', LENGTH],
    ['without content-length', {}],
  ])('leaves the request body readable for outer middleware after a hit, one %s', async (_, headers) => {
    const { app, ask } = aGate()
    await ask(undefined, headers)
    const outer = new Hono<RagGateEnv>()
    const seen: string[] = []
    outer.use('*', async (c, next) => {
      await next()
      seen.push(await c.req.raw.clone().text(), await c.req.text())
      c.req.raw = new Request(c.req.raw.url)
      seen.push(c.req.method)
    })
    outer.route('/', app)
    const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: BODY }
    const response = await outer.request('/ask', init)
    expect(response.headers.get('cache-status')).toBe('rag-gate; hit')
    expect(seen).toEqual([BODY, BODY, 'GET'])
  })

  it('chooses texts by the original request object, without copying it', async () => {
    const seen: Request[] = []
    const key = ({ req }: { req: { raw: Request } }): string => String(seen.push(req.raw))
    const { app } = aGate({ messages: Object.assign(() => undefined, { key }) })
    const headers = { 'content-type': 'application/json' }
    const request = new Request('http://localhost/ask', { method: 'POST', headers, body: BODY })
    expect((await app.request(request)).status).toBe(200)
    expect(seen).toHaveLength(1)
    expect(seen[0]).toBe(request)
  })

  it("filters by the retriever's metadata, which a handler cannot change", async () => {
    const passage = aPassage('secret', { text: STRONG, metadata: { team: { name: 'red' } } })
    const kept = [{ kind: 'bm25' as const, entries: [{ passage, score: 9 }] }]
    const { ask } = aGate({
      cache: { store: undefined },
      finds: () => kept,
      handler: (c) => {
        const { team } = c.var.ragGate.evidence.chunks[0]!.metadata as { team: { name: string } }
        expect(() => (team.name = 'blue')).toThrow(TypeError)
        return c.json({ answer: team.name })
      },
    })
    for (const _ of [1, 2]) expect(await bodyOf(await ask())).toMatchObject({ answer: 'red' })
    expect(passage.metadata).toEqual({ team: { name: 'red' } })
  })

  it('rejects a second gate for the same request', async () => {
    const { ask, app } = aGate()
    const outer = new Hono<RagGateEnv>()
    outer.use('*', async (c, next) => {
      c.set('ragGate', {} as never)
      await next()
    })
    outer.route('/', app)
    const response = await outer.request('/ask', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ question: QUESTION }),
    })
    expect([response.status, (await bodyOf(response)).error]).toMatchObject([
      500,
      { code: 'config_invalid', message: 'Two gates for one request' },
    ])
    expect((await ask()).status).toBe(200)
  })

  it("leaves Hono's HTTPException to the application", async () => {
    const authenticate = (): never => {
      throw new HTTPException(401, { message: 'sign in' })
    }
    const { ask } = aGate({ dependencies: { authenticate } })
    const response = await ask()
    expect([response.status, await response.text()]).toEqual([401, 'sign in'])
  })

  it('accepts a dependencies object where every request has its own bindings', async () => {
    const app = new Hono<RagGateEnv>()
    app.post('/ask', ragGate({ policy: balanced(), dependencies: aResolved() }), (c) => c.json({}))
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ question: QUESTION }),
    }
    for (const env of [{}, {}]) expect((await app.request('/ask', init, env)).status).toBe(404)
  })

  it.each([
    [['docs', 'faq'], ['docs', 'faq'], 200],
    [['docs', 'faq'], 'other', 404],
    ['any', 'default', 200],
    ['any', 'other', 404],
  ] as const)(
    'finds, without collections of its own, those that the route lists: %j, %j',
    async (collections, named, status) => {
      const asked: string[] = []
      const retriever = {
        retrieve: async ({ collection }: { readonly collection: string }) => {
          asked.push(collection)
          return rankingOf([STRONG])
        },
      }
      const app = new Hono<RagGateEnv>()
      app.post('/ask', ragGate({ policy: balanced(), dependencies: { retriever }, question: { collections } }), (c) =>
        c.json({}),
      )
      const headers = { 'content-type': 'application/json' }
      for (const collection of [named].flat()) {
        const body = JSON.stringify({ question: QUESTION, collection })
        expect((await app.request('/ask', { method: 'POST', headers, body })).status).toBe(status)
      }
      expect(asked).toEqual(status === 200 ? [named].flat() : [])
    },
  )

  it('answers 405 with Allow when the method brings no question', async () => {
    const app = new Hono<RagGateEnv>()
    app.use('/api/*', ragGate({ policy: balanced(), dependencies: aResolved }))
    app.get('/api/health', (c) => c.text('ok'))
    const response = await app.request('/api/health')
    expect([response.status, (await bodyOf(response)).error]).toMatchObject([
      405,
      { code: 'method_not_allowed', message: 'Use POST' },
    ])
    expect(response.headers.get('allow')).toBe('POST, QUERY')
  })

  it.each([
    ['once for each bindings object', (made: typeof aResolved) => (_env: object) => made(), 3],
    [
      'once if the function has no parameters, so that a cache lasts on Node',
      (made: typeof aResolved) => () => made(),
      1,
    ],
  ])('makes its dependencies %s', async (_, dependenciesBy, times) => {
    const made = vi.fn<typeof aResolved>(aResolved)
    const app = new Hono<RagGateEnv>()
    app.post('/ask', ragGate({ policy: balanced(), dependencies: dependenciesBy(made) }), (c) => c.json({}))
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ question: QUESTION }),
    }
    const [one, two] = [{}, {}]
    for (const env of [one, one, two, undefined, undefined]) await app.request('/ask', init, env)
    expect(made).toHaveBeenCalledTimes(times)
  })
})

function aResolved() {
  return {
    retriever: { retrieve: async () => rankingOf([STRONG]) },
    collections: { find: async () => null, lexicon: () => Promise.reject(new Error('unused')) },
  }
}
