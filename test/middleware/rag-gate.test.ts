import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import type { RagGateEnv } from '../../src/middleware/gate-context.ts'
import type { Ranking } from '../../src/core/evidence/chunk.ts'
import { aPassage } from '../fixtures/evidence.ts'
import {
  aCache,
  aGate,
  asOperator,
  bodyOf,
  type GateFixture,
  MIDDLING,
  POLICY,
  QUESTION,
  rankingOf,
  STRONG,
  UUID7,
  WEAK,
} from '../fixtures/gate.ts'

describe('a question with strong evidence', () => {
  it('passes: the handler is called once, with everything it needs', async () => {
    const { ask, journal } = aGate()
    const response = await ask()
    expect(response.status).toBe(200)
    expect(await bodyOf(response)).toMatchObject({
      answer: 'Turn the red key.',
      verdict: 'pass',
      band: 'high',
      reason_code: 'passed',
    })
    expect(journal.handled).toHaveLength(1)
    const [gated] = journal.handled
    expect(gated).toMatchObject({
      question: QUESTION,
      principal: { tenant: 'default', id: 'anonymous', scopes: ['ask'] },
      decision: {
        verdict: 'pass',
        collection: 'default',
        corpusVersion: 1,
        evidenceIds: ['chunk-0'],
        policyId: POLICY.id,
      },
      citations: [{ number: 1, id: 'chunk-0', document_id: 'document of chunk-0', title: 'Title 0' }],
      context: { text: `<passage number="1" from="Title 0">\n${STRONG}\n</passage>` },
    })
    expect(gated).not.toHaveProperty('caution')
    expect(gated?.summary).not.toHaveProperty('detail')
  })

  it('has the verdict in its headers, and keeps answers out of other caches', async () => {
    const { ask, journal } = aGate()
    const { headers } = await ask()
    const id = journal.events[0]?.id
    expect(id).toMatch(UUID7)
    expect(headers.get('rag-gate')).toBe(`pass;band=high;reason=passed;policy="${POLICY.id}";id="${id}"`)
    expect(headers.get('cache-status')).toBe('rag-gate; fwd=miss')
    expect(headers.get('cache-control')).toBe('private, no-store')
    expect(headers.get('server-timing')).toBe('retrieval;dur=0, generation;dur=0, total;dur=0')
    expect(headers.get('age')).toBeNull()
  })

  it('adds to what the handler and outer middleware say in Cache-Status and Server-Timing, which are lists', async () => {
    const { gate } = aGate()
    const app = new Hono<RagGateEnv>()
    app.use(async (c, next) => {
      c.header('server-timing', 'auth;dur=3')
      await next()
    })
    app.post('/ask', gate, (c) => {
      c.header('cache-status', 'model; hit')
      c.header('server-timing', 'model;dur=9', { append: true })
      return c.json({ answer: 'Turn the red key.' })
    })
    const sent = async (): Promise<unknown> => {
      const json = { 'content-type': 'application/json' }
      const response = await app.request('/ask', {
        method: 'POST',
        headers: json,
        body: JSON.stringify({ question: QUESTION }),
      })
      return [response.headers.get('cache-status'), response.headers.get('server-timing')]
    }
    expect(await sent()).toEqual([
      'model; hit, rag-gate; fwd=miss',
      'auth;dur=3, model;dur=9, retrieval;dur=0, generation;dur=0, total;dur=0',
    ])
    await expect.poll(sent).toEqual(['rag-gate; hit', 'auth;dur=3, total;dur=0'])
  })

  it('is retrieved with the namespace and the normalised question, within a deadline', async () => {
    const { ask, journal } = aGate({ retrieval: { topK: 7 } })
    await ask({ question: '  How  does\tthe engine start? ' })
    expect(journal.retrievals).toEqual([
      {
        tenant: 'default',
        collection: 'default',
        namespace: 'nwsrnxok5eoyl2j5anfub2ansmt',
        question: QUESTION,
        topK: 7,
        signal: expect.any(AbortSignal),
      },
    ])
  })

  it('is retrieved with the filter of the principal, which a request cannot change', async () => {
    const filter = ({ tenant }: { tenant: string }, collection: string) => ({
      'metadata.team': [tenant, 'all'],
      source: collection,
    })
    const { ask, journal } = aGate({ retrieval: { filter }, finds: () => [] })
    await ask()
    expect(journal.retrievals[0]?.filter).toEqual({ 'metadata.team': ['default', 'all'], source: 'default' })
    const fixed = aGate({ retrieval: { filter: { source: 'manual' } } })
    await fixed.ask()
    expect(fixed.journal.retrievals[0]?.filter).toEqual({ source: 'manual' })
    const tried = await ask({ question: QUESTION, filter: 'a = 1 OR 1=1' })
    expect(tried.status).toBe(422)
    expect(journal.retrievals).toHaveLength(1)
  })

  it.each<[string, GateFixture]>([
    ['retrieval;dur=30, generation;dur=500, total;dur=530', {}],
    // Callers who share answers may not learn whether one was found: then only the whole is told.
    [
      'total;dur=530',
      {
        cache: { scope: 'tenant' },
        dependencies: { authenticate: () => ({ tenant: 'default', id: 'ann', scopes: ['ask'] }) },
      },
    ],
  ])('has the times of retrieval and generation in the record, and in Server-Timing %s', async (told, fixture) => {
    const gate = aGate({
      ...fixture,
      finds: () => {
        gate.clock.atMs += 30
        return rankingOf([STRONG])
      },
      handler: (c) => {
        gate.clock.atMs += 500
        return c.json({})
      },
    })
    const response = await gate.ask()
    expect(response.headers.get('server-timing')).toBe(told)
    expect(gate.journal.events[0]?.timings).toEqual({ retrievalMs: 30, generationMs: 500, totalMs: 530 })
  })

  it('is answered separately for other values of a query parameter that the answer depends on', async () => {
    const { ask, journal } = aGate({ cache: { vary: { query: ['plan'] } } })
    for (const plan of ['a', 'b', 'a']) await ask(undefined, {}, `/ask?plan=${plan}`)
    expect(journal.events.map(({ cache }) => cache)).toEqual(['miss', 'miss', 'hit'])
  })

  it('keeps a Cache-Control that the handler set', async () => {
    const { ask } = aGate({ handler: (c) => c.json({}, 200, { 'cache-control': 'max-age=5' }) })
    expect((await ask()).headers.get('cache-control')).toBe('max-age=5')
  })

  it('leaves its body readable for the handler', async () => {
    const { ask } = aGate({
      handler: async (c) => c.json({ json: await c.req.json<unknown>(), text: await c.req.text() }),
    })
    const text = JSON.stringify({ question: QUESTION })
    expect(await (await ask()).json()).toEqual({ json: { question: QUESTION }, text })
  })

  it('is read from a body that was read before the gate', async () => {
    const { gate, journal } = aGate()
    const app = new Hono<RagGateEnv>()
    app.use(async (c, next) => {
      await c.req.json()
      await next()
    })
    app.post('/ask', gate, (c) => c.json(c.var.ragGate.summary))
    const headers = { 'content-type': 'application/json' }
    const ask = (question: string): Response | Promise<Response> =>
      app.request('/ask', { method: 'POST', headers, body: JSON.stringify({ question }) })
    expect((await ask(QUESTION)).status).toBe(200)
    expect((await ask('x'.repeat(70_000))).status).toBe(413)
    expect(journal.retrievals).toHaveLength(1)
  })

  it('may be answered with a response with immutable headers, such as one from fetch', async () => {
    const { ask, journal } = aGate({ handler: () => fetch('data:application/json,{"answer":"fetched"}') })
    const response = await ask()
    expect(response.status).toBe(200)
    expect(await bodyOf(response)).toMatchObject({ answer: 'fetched' })
    expect(response.headers.get('rag-gate')).toMatch(/^pass;/)
    expect(journal.stored.map(({ body }) => body)).toEqual(['{"answer":"fetched"}'])
  })

  it('is handled by a named middleware function, for stack traces and route listings', () => {
    expect(aGate().gate.name).toBe('ragGate')
  })
})

describe('a question with middling evidence', () => {
  it('is answered with a caution for the model, and stored for less time', async () => {
    const { ask, journal } = aGate({ finds: [MIDDLING] })
    const response = await ask()
    expect(await bodyOf(response)).toMatchObject({ verdict: 'advise', reason_code: 'confidence_moderate' })
    expect(response.headers.get('rag-gate')).toMatch(/^advise;band=low;reason=confidence_moderate;/)
    expect(journal.handled[0]?.caution).toContain('evidence is limited')
    const strong = aGate()
    await strong.ask()
    expect(journal.stored[0]?.lifetimeSeconds).toBeLessThan(strong.journal.stored[0]?.lifetimeSeconds ?? 0)
  })
})

describe('a question with weak evidence', () => {
  it.each([
    ['weak', [WEAK], 'confidence_low'],
    ['no', [], 'no_evidence'],
  ])('is refused for %s evidence, and the handler is never called', async (_, finds, reason) => {
    const { ask, journal } = aGate({ finds })
    const response = await ask()
    const body = await bodyOf(response)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(body).toMatchObject({ refused: true, sources: [], verdict: 'refuse', reason_code: reason, band: 'very-low' })
    expect(body).not.toHaveProperty('detail')
    expect(response.headers.get('rag-gate')).toMatch(new RegExp(`^refuse;band=very-low;reason=${reason};`))
    expect(journal.handled).toEqual([])
    expect(journal.events).toMatchObject([
      { cache: 'miss', status: 200, decision: { verdict: 'refuse', id: body.decision_id } },
    ])
  })

  it.each([200, 403, 404, 422] as const)('is refused with the status %d that onRefuse sets', async (refusalStatus) => {
    const { ask, journal } = aGate({ finds: [], onRefuse: (_decision, c) => c.status(refusalStatus) })
    expect((await ask()).status).toBe(refusalStatus)
    expect((await ask()).status).toBe(refusalStatus)
    expect(journal.events.map(({ status, cache }) => [status, cache])).toEqual([
      [refusalStatus, 'miss'],
      [refusalStatus, 'hit'],
    ])
  })

  it.each([204, 205, 304] as const)(
    'is refused without a body with the status %d that onRefuse sets',
    async (status) => {
      const { ask, journal } = aGate({ finds: [], onRefuse: (_decision, c) => c.status(status) })
      for (const response of [await ask(), await ask()]) {
        expect([response.status, await response.text()]).toEqual([status, ''])
        expect(response.headers.get('rag-gate')).toMatch(/^refuse;/)
      }
      expect(journal.events.map(({ decision, cache, status: sent }) => [decision.verdict, cache, sent])).toEqual([
        ['refuse', 'miss', status],
        ['refuse', 'miss', status],
      ])
    },
  )

  describe('with closestPassages', () => {
    const finds = (): readonly Ranking[] => {
      const entries = ['Paint', 'Brakes', 'Tyres'].map((title, at) => ({
        passage: aPassage(`c${at}`, { title, section: 'All about it', source: `${title}.md` }),
        score: 3 - at,
      }))
      return [{ kind: 'bm25', entries }]
    }
    const closestIn = async (response: Response): Promise<unknown> =>
      ((await response.json()) as { closest?: unknown }).closest

    it('shows the titles of the best passages to the public', async () => {
      const { ask, journal } = aGate({ finds, closestPassages: 2 })
      expect(await closestIn(await ask())).toEqual([{ title: 'Paint' }, { title: 'Brakes' }])
      // Kept as it was sent.
      expect(await closestIn(await ask())).toEqual([{ title: 'Paint' }, { title: 'Brakes' }])
      expect(journal.events.map(({ cache }) => cache)).toEqual(['miss', 'hit'])
    })

    it('shows their places to operators', async () => {
      const { ask } = aGate({ finds, closestPassages: 1, dependencies: { authenticate: asOperator } })
      expect(await closestIn(await ask())).toEqual([{ title: 'Paint', section: 'All about it', source: 'Paint.md' }])
    })

    it('shows none when none was found, or unless asked for', async () => {
      expect(await closestIn(await aGate({ finds: [], closestPassages: 2 }).ask())).toBeUndefined()
      expect(await closestIn(await aGate({ finds }).ask())).toBeUndefined()
    })

    it('stores refusals separately for each number', async () => {
      const store = aCache({ stored: [], storedByEvidence: [] })
      const none = aGate({ finds, cache: { store } })
      await aGate({ finds, closestPassages: 1, cache: { store } }).ask()
      expect(await closestIn(await none.ask())).toBeUndefined()
    })
  })

  it('has no sentences of an answer in its refusal, also for operators', async () => {
    const { ask } = aGate({ finds: [WEAK], dependencies: { authenticate: asOperator } })
    const body = await bodyOf(await ask())
    expect(body).toHaveProperty('detail')
    expect(JSON.stringify(body)).not.toContain('unsupported')
  })

  it('is stored for half a minute when the documents have no version', async () => {
    const { ask, journal, clock } = aGate({ finds: [], corpusVersion: () => 0 })
    await ask()
    clock.atMs += 29_000
    expect((await ask()).headers.get('cache-status')).toBe('rag-gate; hit')
    clock.atMs += 1000
    expect((await ask()).headers.get('cache-status')).toBe('rag-gate; fwd=stale')
    expect(journal.retrievals).toHaveLength(2)
  })

  it('is stored for a day, or until the documents change, when they have a version', async () => {
    let version = 1
    const { ask, journal, clock } = aGate({ finds: [], corpusVersion: () => version })
    await ask()
    clock.atMs += 86_399_000
    expect((await ask()).headers.get('cache-status')).toBe('rag-gate; hit')
    version = 2
    expect((await ask()).headers.get('cache-status')).not.toBe('rag-gate; hit')
    expect(journal.retrievals).toHaveLength(2)
  })

  it('is stored without the headers that other middleware set for one caller', async () => {
    const { gate, journal } = aGate({ finds: [] })
    const app = new Hono<RagGateEnv>()
    app.use(async (c, next) => {
      c.header('set-cookie', 'session=secret')
      c.header('x-request-id', 'first')
      await next()
    })
    app.post('/ask', gate)
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ question: QUESTION }),
    }
    await app.request('/ask', init)
    expect(journal.stored.map(({ headers }) => headers)).toEqual([[['content-type', 'application/json']]])
  })

  it('reaches the handler in observe mode, is marked and recorded, and never stored', async () => {
    const { ask, journal } = aGate({ finds: [WEAK], mode: 'observe' })
    const response = await ask()
    expect(await bodyOf(response)).toMatchObject({ answer: 'Turn the red key.', verdict: 'refuse' })
    expect(response.headers.get('rag-gate')).toMatch(/^refuse;.*;mode=observe$/)
    expect(journal.events).toMatchObject([{ mode: 'observe', decision: { verdict: 'refuse' } }])
    expect(journal.stored).toEqual([])
  })
})
