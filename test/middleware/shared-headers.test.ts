import { Hono } from 'hono'
import { afterEach, expect, test, vi } from 'vitest'
import type { RagGateEnv } from '../../src/index.ts'
import { aGate, QUESTION } from '../fixtures/gate.ts'

afterEach(() => vi.unstubAllGlobals())

/** As Hono's server for Node makes responses: the headers are those that it was given, not a copy. */
class SharingResponse extends Response {
  readonly #given: Headers | undefined

  constructor(body?: BodyInit | null, init?: ResponseInit) {
    super(body, init)
    if (!(init instanceof Response) && init?.headers instanceof Headers) this.#given = init.headers
  }

  override get headers(): Headers {
    return this.#given ?? super.headers
  }
}

test("a stored answer has the handler's headers when responses share a Headers object with outer middleware", async () => {
  vi.stubGlobal('Response', SharingResponse)
  const { gate, journal } = aGate()
  const app = new Hono<RagGateEnv>()
  app.use(async (c, next) => {
    c.header('x-request-id', '1')
    await next()
  })
  app.post('/ask', gate, (c) => c.json({ answer: 'Turn the red key.' }, 200, { etag: '"1"' }))
  const waiting: Promise<unknown>[] = []
  const context = {
    waitUntil: (work: Promise<unknown>) => void waiting.push(work),
    passThroughOnException: () => {},
    props: {},
  }
  const ask = async (): Promise<Response> => {
    const asked = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ question: QUESTION }),
    }
    const response = await app.request(
      '/ask',
      asked,
      undefined,
      context as unknown as Parameters<typeof app.request>[3],
    )
    await response.text()
    await Promise.all(waiting)
    return response
  }
  await ask()
  expect(journal.stored.map(({ headers }) => headers)).toEqual([
    [
      ['content-type', 'application/json'],
      ['etag', '"1"'],
    ],
  ])
  const stored = await ask()
  expect(stored.headers.get('cache-status')).toContain('hit')
  expect([stored.headers.get('content-type'), stored.headers.get('etag'), stored.headers.get('x-request-id')]).toEqual([
    'application/json',
    '"1"',
    '1',
  ])
})
