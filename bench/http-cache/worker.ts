/** A question route that gives its origin's answers, behind a shim that lets the HTTP cache tests ask it. Served by `../http-cache-tests.ts`. */
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

/** Every question is answered with full confidence, so that only the origin's headers bound a lifetime. */
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

/** Carries what tells the tests' client whether an answer was stored past the list of headers that are. */
const CARRIED = 'content-of-the-test'

/** Headers by which the tests' server tells its client which request it answers. */
const OF_THE_SERVER = /^(?:server-|client-request|request-numbers)/

/** Headers of the mapped request that are no part of what the test asked. */
const OF_THE_SHIM = ['content-type', 'content-length', 'host']

const stores: Readonly<Record<string, AnswerCache>> = {
  memory: createMemoryAnswerCache(),
  'cache-api': createCacheApiAnswerCache({ cache: () => caches.open('http-cache-tests'), deadlineMs: 5000 }),
}

/** Whether an answer says by itself how long it stays fresh, or that it is not to be kept. */
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
    // A text that broke off ends like one that did not: the handler has to know.
    const body = await answer.arrayBuffer()
    c.var.ragGate.report({ complete: true })
    const response = new Response(body.byteLength === 0 ? null : body, answer)
    response.headers.set(
      CARRIED,
      encodeURIComponent(JSON.stringify([...answer.headers].filter(([name]) => OF_THE_SERVER.test(name)))),
    )
    // The tests hold that nothing said means nothing kept; here confidence would give it a lifetime.
    if (!saysFreshness(answer.headers)) response.headers.append('cache-control', 'no-store')
    return response
  })
}

/** An origin that hangs up: the tests want to see that it is no answer. */
app.onError((_, c) => c.body(null, 502))

/** `/<store>/<method>/…`: a GET of the tests is sent to the route by that method; everything else goes to the origin. */
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
    // The tests ask again at once: what is stored after the response must be there by then.
    await Promise.all(waited)
    return withCarried(new Response(whole.byteLength === 0 ? null : whole, response))
  },
}

/** A response with what its server told. */
function withCarried(response: Response): Response {
  const carried = response.headers.get(CARRIED)
  response.headers.delete(CARRIED)
  if (carried === null) return response
  const named = new Headers(JSON.parse(decodeURIComponent(carried)) as [string, string][])
  for (const [name, value] of named) response.headers.set(name, value)
  return response
}
