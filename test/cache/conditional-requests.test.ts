import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { createMemoryCoalescer } from '../../src/adapters/memory-coalescer.ts'
import type { RagGateEnv } from '../../src/middleware/gate-context.ts'
import { namesTag } from '../../src/cache/entity-tag.ts'
import { aGate, type CacheFixture, QUESTION } from '../fixtures/gate.ts'

/** A route that takes questions by GET, POST and QUERY. */
function anyMethod(headers: Record<string, string> = {}, status: 200 | 404 = 200) {
  const { gate, journal } = aGate({ question: { read: () => ({ question: QUESTION, vary: [] }) } })
  const app = new Hono<RagGateEnv>()
  app.on(['GET', 'POST', 'QUERY'], '/ask', gate, (c) => {
    journal.handled.push(c.var.ragGate)
    return c.json({ answer: 'Turn it.' }, status, headers)
  })
  const ask = async (method: string, ifNoneMatch?: string): Promise<Response> => {
    const init = { method, headers: ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch } }
    const response = await app.request('/ask', init)
    await new Promise((resolve) => setTimeout(resolve, 1))
    return response
  }
  return { ask, journal }
}

describe('a stored answer', () => {
  it.each(['GET', 'QUERY'])('has an entity tag for %s, and gets 304 for a client that has it', async (method) => {
    const { ask, journal } = anyMethod()
    await ask(method)
    const whole = await ask(method)
    const tag = whole.headers.get('etag') ?? ''
    expect(tag).toMatch(/^"[0-9a-f]{32}"$/)
    for (const condition of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const response = await ask(method, condition)
      expect([response.status, await response.text(), response.headers.get('etag')]).toEqual([304, '', tag])
      expect(response.headers.get('content-type')).toBeNull()
      expect(response.headers.get('age')).toBe('0')
      expect(response.headers.get('cache-status')).toBe('rag-gate; hit')
    }
    expect((await ask(method, '"other"')).status).toBe(200)
    expect(journal.handled).toHaveLength(1)
  })

  it('is sent whole to a POST with any condition', async () => {
    const { ask } = anyMethod()
    await ask('POST')
    const response = await ask('POST', '*')
    expect([response.status, response.headers.get('etag')]).toEqual([200, null])
    expect(await response.json()).toEqual({ answer: 'Turn it.' })
  })

  it('is sent whole under any condition when its status is 404', async () => {
    const { ask } = anyMethod({ 'cache-control': 'max-age=60' }, 404)
    await ask('GET')
    const again = await ask('GET', '*')
    expect([again.status, again.headers.get('etag')]).toEqual([404, null])
    expect(again.headers.get('cache-status')).toBe('rag-gate; hit')
  })

  it("keeps its handler's entity tag", async () => {
    const { ask } = anyMethod({ etag: 'W/"v1"' })
    await ask('GET')
    expect((await ask('GET')).headers.get('etag')).toBe('W/"v1"')
    expect((await ask('GET', '"v1"')).status).toBe(304)
  })
})

describe('a HEAD', () => {
  /** A route that takes the question from the query string. */
  function byQuery(cache: CacheFixture = {}) {
    const { gate, journal } = aGate({ cache, question: { read: (c) => c.req.query('q') ?? '' } })
    const app = new Hono<RagGateEnv>()
    app.get('/ask', gate, async (c) => {
      journal.handled.push(c.var.ragGate)
      await new Promise((resolve) => setTimeout(resolve, 20))
      return c.json({ answer: 'Turn it.' })
    })
    const ask = async (method: string): Promise<Response> =>
      app.request(`/ask?q=${encodeURIComponent(QUESTION)}`, { method })
    return { ask, journal }
  }

  it('is answered from the stored answer to the GET', async () => {
    const { ask, journal } = byQuery()
    await (await ask('GET')).text()
    await new Promise((resolve) => setTimeout(resolve, 1))
    const whole = await ask('GET')
    const head = await ask('HEAD')
    expect(head.headers.get('cache-status')).toBe('rag-gate; hit')
    expect([head.headers.get('etag'), await head.text()]).toEqual([whole.headers.get('etag'), ''])
    expect(journal.handled).toHaveLength(1)
  })

  it('does not separate the GETs at the same time', async () => {
    const { ask, journal } = byQuery({ coalescer: createMemoryCoalescer() })
    await Promise.all(['HEAD', ...Array<string>(9).fill('GET')].map(ask))
    expect(journal.handled).toHaveLength(2)
  })
})

describe('namesTag', () => {
  it.each([
    ['"a"', '"a"', true],
    ['W/"a"', '"a"', true],
    ['"b", "a"', 'W/"a"', true],
    ['*', '"a"', true],
    ['a', '"a"', false],
    ['"A"', '"a"', false],
    ['"ab"', '"aW/b"', false],
    ['"aW/b"', '"ab"', false],
    [' * ', '"a"', true],
    ['', '"a"', false],
  ])('for %j and %j is %j', (field, tag, named) => {
    expect(namesTag(field, tag)).toBe(named)
  })
})
