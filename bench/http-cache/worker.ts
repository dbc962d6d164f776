/** A route with its origin's responses, and a shim for the HTTP cache tests. Served by `../http-cache-tests.ts`. */
import { Hono } from 'hono'
import { createCacheApiAnswerCache } from '../../packages/cloudflare/src/cache-api-answer-cache.ts'
import { createMemoryAnswerCache } from '../../src/adapters/memory-answer-cache.ts'
import { confidenceRange } from '../../src/core/gates/confidence-range.ts'
import { logistic } from '../../src/core/policy/logistic.ts'
import { definePolicy } from '../../src/core/policy/policy.ts'
import type { RagGateEnv } from '../../src/middleware/gate-context.ts'
import { answerCache } from '../../src/cache/answer-cache.ts'
import { ragGate } from '../../src/middleware/rag-gate.ts'
import type { AnswerCache } from '../../src/ports/answer-cache.ts'

interface Bindings {
  /** Origin of the tests' own server. */
  readonly ORIGIN: string
}

/** Every question has full confidence, so that only the origin's headers limit the lifetime. */
const certain = definePolicy({
  name: 'certain',
  confidence: logistic({ intercept: 20, weights: {}, provenance: 'made up for these tests' }),
  bands: { high: 0.9, medium: 0.6, low: 0.1 },
  gates: [confidenceRange({ refuseBelow: 0.1, adviseBelow: 0.6 })],
})

const passage = {
  id: 'p',
  documentId: 'd',
  text: 'The origin knows.',
  title: '',
  section: '',
  source: '',
  metadata: {},
}

/** Carries headers for the tests' client that the cache does not store in its list of headers. */
const CARRIED = 'content-of-the-test'

/** Headers by which the tests' server tells its client which request it answers. */
const OF_THE_SERVER = /^(?:server-|client-request|request-numbers)/

/** Headers of the mapped request that are not part of the test's request. */
const OF_THE_SHIM = ['content-type', 'content-length', 'host']

const stores: Readonly<Record<string, AnswerCache>> = {
  memory: createMemoryAnswerCache(),
  'cache-api': createCacheApiAnswerCache({ cache: () => caches.open('http-cache-tests'), deadlineMs: 5000 }),
}

/** Whether a response states its freshness, or that it must not be stored. */
function saysFreshness(headers: Headers): boolean {
  const fields = ['cache-control', 'cdn-cache-control', 'cloudflare-cdn-cache-control']
  return (
    headers.has('expires') || fields.some((name) => /max-?age|no-store|no-cache|private/i.test(headers.get(name) ?? ''))
  )
}

const app = new Hono<RagGateEnv<Bindings>>()
for (const [name, store] of Object.entries(stores)) {
  const gate = ragGate<Bindings>({
    dependencies: {
      retriever: { retrieve: async () => [{ kind: 'bm25', entries: [{ passage, score: 9 }] }] },
      cache: answerCache({
        store,
        scope: 'public',
        vary: { headers: ['accept-language', 'abc', 'bar', 'baz', 'foo'] },
      }),
    },
    policy: certain,
    question: { read: (c) => `What does the origin say to ${c.req.url}?` },
  })
  app.on(['GET', 'POST', 'QUERY'], `/${name}/*`, gate, async (c) => {
    const headers = new Headers(c.req.raw.headers)
    for (const header of OF_THE_SHIM) headers.delete(header)
    const { pathname, search } = new URL(c.req.url)
    const answer = await fetch(c.env.ORIGIN + pathname.slice(name.length + 1) + search, { headers, redirect: 'manual' })
    // A truncated body ends like a complete one, so the handler must read all of it.
    const body = await answer.arrayBuffer()
    c.var.ragGate.report({ complete: true })
    const response = new Response(body.byteLength === 0 ? null : body, answer)
    response.headers.set(
      CARRIED,
      encodeURIComponent(JSON.stringify([...answer.headers].filter(([name]) => OF_THE_SERVER.test(name)))),
    )
    // The tests expect that a response without freshness is not stored; here confidence would give it a lifetime.
    if (!saysFreshness(answer.headers)) response.headers.append('cache-control', 'no-store')
    return response
  })
}

/** If the origin drops the connection, the tests expect an error. */
app.onError((_, c) => c.body(null, 502))

/** `/<store>/<method>/…`: a GET of the tests goes to the route by that method; everything else to the origin. */
export default {
  async fetch(request: Request, env: Bindings): Promise<Response> {
    const url = new URL(request.url)
    const [, store = '', method = '', ...rest] = url.pathname.split('/')
    const path = `/${rest.join('/')}${url.search}`
    if (request.method !== 'GET' || rest[0] !== 'test') return fetch(new Request(env.ORIGIN + path, request))
    const waited: Promise<unknown>[] = []
    const context = {
      waitUntil: (work: Promise<unknown>) => void waited.push(work),
      passThroughOnException: () => undefined,
    }
    const body = method === 'GET' ? {} : { body: 'GET' }
    const asked = new Request(`${url.origin}/${store}${path}`, { method, headers: request.headers, ...body })
    const response = await app.fetch(asked, env, context as unknown as ExecutionContext)
    const whole = await response.arrayBuffer()
    // The tests repeat requests at once, so storing must have finished.
    await Promise.all(waited)
    return withCarried(new Response(whole.byteLength === 0 ? null : whole, response))
  },
}

/** A response with the headers of the tests' server restored. */
function withCarried(response: Response): Response {
  const carried = response.headers.get(CARRIED)
  response.headers.delete(CARRIED)
  if (carried === null) return response
  const named = new Headers(JSON.parse(decodeURIComponent(carried)) as [string, string][])
  for (const [name, value] of named) response.headers.set(name, value)
  return response
}
