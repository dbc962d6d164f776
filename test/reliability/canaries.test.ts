/**
 * Canaries (a key, the question, a passage, the tenant) through every way in which an upstream of a whole gate can fail:
 * none of them reaches a response, its headers, the log, the database or the cache. HTTP upstreams are real servers on
 * loopback; bindings throw. What each adapter throws by itself is held by `test/adapters/canaries.test.ts`.
 */
import { reranking } from '../../src/pipeline/reranking.ts'
import { questionHmac } from '../../src/pipeline/question-hmac.ts'
import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createBearerAuthenticator } from '../../packages/console/src/keys/bearer-tokens.ts'
import { DEEP } from '../deep-run.ts'
import { createD1AnswerPurges, createD1DecisionStore } from '../../src/adapters/d1.ts'
import { createD1ApiKeys } from '../../packages/console/src/index.ts'
import { createD1Collections } from '../../packages/ingest/src/d1/index.ts'
import { createDirectDecisionLog } from '../../src/adapters/direct-decision-log.ts'
import { createHttpRetriever } from '../../packages/upstream/src/http-retriever.ts'
import { createKvAnswerCache } from '../../packages/cloudflare/src/kv-answer-cache.ts'
import { createLlmGrader } from '../../packages/models/src/llm-grader.ts'
import { createOpenAiGenerator } from '../../packages/models/src/openai-compatible.ts'
import { createOpenAiEmbedder } from '../../packages/models/src/openai-embedder.ts'
import { createQueueDecisionLog } from '../../packages/cloudflare/src/queue-decision-log.ts'
import { createUpstashRetriever } from '../../packages/upstash/src/index.ts'
import { createVectorizeRetriever } from '../../packages/vectorize/src/index.ts'
import { createWorkersAiEmbedder } from '../../packages/models/src/workers-ai-embedder.ts'
import { createWorkersAiReranker } from '../../packages/models/src/workers-ai-reranker.ts'
import { aGate, rankingOf, STRONG, type GateFixture, type HandlerContext } from '../fixtures/gate.ts'
import { type Answer, upstreamOfTests } from '../fixtures/scripted-upstream.ts'

const KEY = 'canary-key-0123456789-0123456789-01'
const QUESTION = 'How does the engine start, canary-question?'
const PASSAGE = `${STRONG} canary-passage`
const TENANT = 'canary-tenant'
const ECHO = `Invalid request:\n${KEY}\r\n${QUESTION}\n[rag-gate] ${PASSAGE}\u001b[31m ${TENANT}`
const CANARY = /canary-(?:key|question|passage|tenant)/g

let logged: string[]
beforeEach(() => {
  logged = []
  for (const method of ['log', 'info', 'warn', 'error', 'debug'] as const) {
    vi.spyOn(console, method).mockImplementation((...args) => void logged.push(inspect(args)))
  }
})
afterEach(() => vi.restoreAllMocks())

/** What was written while a question was asked, by where. */
interface Kept {
  readonly database: string[]
  readonly cache: string[]
}

/** Short where nothing comes, long where something does: a busy machine is no failure. */
const SHORT_MS = 300
let timeoutMs = SHORT_MS
const bounds = () => ({ timeoutMs, upstream: { retries: 0 } }) as const

const namespace = (tenant: string): string => tenant

/** Any collection, embedded by the retriever's embedder. */
const COLLECTIONS = {
  find: async (tenant: string, id: string) => ({
    tenant,
    id,
    corpusVersion: 1,
    lexiconId: null,
    embeddingModel: '',
    dimension: 0,
    policyId: null,
    unpublishedChunkIds: [],
  }),
  lexicon: () => Promise.reject(new Error('there is none')),
}

/** Asks, with the key as credentials, and gives the canaries that came out, by where. */
async function leaks(kept: Kept, gate: GateFixture): Promise<Record<string, string[]>> {
  const { ask, journal } = aGate({
    retrieval: { timeoutMs: timeoutMs * 3 },
    finds: () => rankingOf([PASSAGE]),
    ...gate,
    cache: { scope: 'tenant', ...gate.cache },
    dependencies: {
      authenticate: createBearerAuthenticator({
        tokens: [{ token: KEY, principal: { tenant: TENANT, id: 'ann', scopes: ['ask'] } }],
        anonymous: null,
      }),
      collections: COLLECTIONS,
      questionHmac: questionHmac({ key: 'k'.repeat(32), keyId: 'one' }),
      ...gate.dependencies,
    },
  })
  const response = await ask({ question: QUESTION }, { authorization: `Bearer ${KEY}` })
  const headers = [...response.headers].map((header) => header.join(': ')).join('\n')
  const places: Readonly<Record<string, string>> = {
    body: await response.text(),
    headers: `${response.statusText}\n${headers}`,
    log: logged.join('\n'),
    // A decision names its tenant; that is what it is counted by.
    database: [...kept.database, ...journal.events.map((event) => JSON.stringify(event))]
      .join('\n')
      .replaceAll(TENANT, ''),
    // So does an answer that is stored.
    cache: [...kept.cache, ...journal.stored.map(({ body }) => JSON.stringify(body))].join('\n').replaceAll(TENANT, ''),
  }
  return Object.fromEntries(
    Object.entries(places).flatMap(([place, text]) => {
      const found = text.match(CANARY)
      return found === null ? [] : [[place, found]]
    }),
  )
}

const json =
  (body: unknown, status = 200, headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(typeof body === 'string' ? body : JSON.stringify(body))

/** How a server fails, repeating what it was sent. */
const FAILURES: Readonly<Record<string, Answer>> = {
  ...Object.fromEntries(
    [400, 401, 404, 413, 422, 429, 500, 503].flatMap((status) => [
      [`${status}, JSON`, json({ error: { message: ECHO, code: KEY }, message: PASSAGE }, status)],
      [`${status}, text`, json(ECHO, status, { 'x-echo': KEY, 'retry-after': TENANT })],
    ]),
  ),
  'a redirect': json(ECHO, 302, { location: `http://elsewhere.invalid/${KEY}` }),
  'text with status 200': json(ECHO),
  'another shape with status 200': json({ result: ECHO, results: ECHO, data: ECHO, choices: ECHO }),
  'JSON cut short': json(JSON.stringify({ result: ECHO }).slice(0, -5)),
  'a cut socket': (response) => {
    response.writeHead(200, { 'content-length': '9999' }).write(ECHO)
    setTimeout(() => response.socket?.destroy(), 5)
  },
  'a reset': (response) => void response.socket?.destroy(),
  'a hang': (response) => response.writeHead(200).flushHeaders(),
  nothing: () => undefined,
}

const HANGING: ReadonlySet<string> = new Set(['a hang', 'nothing'])

const answeredBy =
  (url: string) =>
  async (c: HandlerContext): Promise<Response> => {
    const { question, context } = c.var.ragGate
    const generator = createOpenAiGenerator({ baseUrl: url, apiKey: KEY, model: 'm', ...bounds() })
    const { text } = await generator.generate({
      question,
      chunks: context.chunks,
      context: context.text,
      signal: c.req.raw.signal,
    })
    return c.json({ answer: text })
  }

/** Gates of which one upstream is the server. */
const OVER_HTTP: Readonly<Record<string, (url: string) => GateFixture>> = {
  Upstash: (url) => ({
    dependencies: { retriever: createUpstashRetriever({ url, token: KEY, namespace, ...bounds() }) },
  }),
  'a search service': (url) => ({
    dependencies: {
      retriever: createHttpRetriever({ url, scoreKind: 'bm25', headers: { authorization: KEY }, ...bounds() }),
    },
  }),
  'an embedder': (url) => ({
    dependencies: {
      retriever: createVectorizeRetriever({
        index: { query: () => Promise.reject(new Error('not embedded')) } as never,
        metric: 'cosine',
        namespace,
        embedder: createOpenAiEmbedder({ baseUrl: url, apiKey: KEY, model: 'm', dimension: 3, ...bounds() }),
        ...bounds(),
      }),
    },
  }),
  'a grading model': (url) => ({
    dependencies: { reranker: reranking(createLlmGrader({ baseUrl: url, apiKey: KEY, model: 'm', ...bounds() })) },
  }),
  'the model': (url) => ({ handler: answeredBy(url) }),
}

describe.each(Object.entries(OVER_HTTP))('nothing leaks from %s that fails with', (_, gateOver) => {
  const server = upstreamOfTests()

  it.each(Object.entries(FAILURES))('%s', async (name, answer) => {
    timeoutMs = HANGING.has(name) ? SHORT_MS : 5000
    server().answerWith(answer)
    expect(await leaks({ database: [], cache: [] }, gateOver(server().url))).toEqual({})
    expect(server().calls()).toBeGreaterThan(0)
  })
})

/** How a binding fails. */
const THROWS: Readonly<Record<string, () => Promise<never>>> = {
  'an error': () => Promise.reject(new Error(`D1_ERROR: ${ECHO}`)),
  'an error with a cause': () =>
    Promise.reject(Object.assign(new TypeError(ECHO, { cause: new Error(ECHO) }), { code: KEY, detail: ECHO })),
  'a missing table': () => Promise.reject(new Error(`no such table: ${ECHO}`)),
  'a string': () => Promise.reject(ECHO as unknown as Error),
  nothing: () => new Promise(() => undefined),
}

/** A database each of whose statements fails; what is bound is kept. */
function failing(run: () => Promise<never>, kept: Kept): never {
  const statement: Record<string, unknown> = {}
  for (const method of ['first', 'all', 'run', 'raw']) statement[method] = run
  statement['bind'] = (...values: unknown[]) => {
    kept.database.push(JSON.stringify(values))
    return statement
  }
  return { prepare: () => statement, batch: run, exec: run } as never
}

/** Gates of which one binding fails. */
const BINDINGS: Readonly<Record<string, (run: () => Promise<never>, kept: Kept) => GateFixture>> = {
  'D1, the collections': (run, kept) => ({
    dependencies: { collections: createD1Collections({ db: failing(run, kept) }) },
  }),
  'D1, the keys of callers': (run, kept) => ({
    dependencies: {
      authenticate: createBearerAuthenticator({
        tokens: [],
        keys: createD1ApiKeys({ db: failing(run, kept) }),
        timeoutMs: SHORT_MS,
        anonymous: null,
      }),
    },
  }),
  'D1, the purges': (run, kept) => ({ cache: { purges: createD1AnswerPurges({ db: failing(run, kept) }) } }),
  'D1, the decisions': (run, kept) => ({
    dependencies: { log: createDirectDecisionLog({ store: createD1DecisionStore({ db: failing(run, kept) }) }) },
  }),
  'a queue': (run, kept) => ({
    dependencies: {
      log: createQueueDecisionLog({
        queue: { send: run },
        fallback: createD1DecisionStore({ db: failing(run, kept) }),
      }),
    },
  }),
  KV: (run, kept) => ({
    cache: {
      store: createKvAnswerCache({
        kv: {
          get: run,
          delete: run,
          put: (key: string, value: unknown) => {
            kept.cache.push(key, String(value))
            return run()
          },
        } as never,
      }),
    },
  }),
  authenticate: (run) => ({ dependencies: { authenticate: run } }),
  'a coalescer': (run) => ({ cache: { coalescer: { join: run, leaderTimeoutMs: 5000 } } }),
  'a retriever of ones own': (run) => ({ dependencies: { retriever: { retrieve: run } } }),
  'a reranker of ones own': (run) => ({
    dependencies: { reranker: reranking({ model: 'm', kind: 'grade', rerank: run }, { timeoutMs: SHORT_MS }) },
  }),
  Vectorize: (run) => ({
    dependencies: {
      retriever: createVectorizeRetriever({
        index: { query: run, getByIds: run, describe: run } as never,
        metric: 'cosine',
        namespace,
        embedder: { model: 'm', dimension: 3, embed: async () => [[1, 0, 0]] },
        ...bounds(),
      }),
    },
  }),
  'Workers AI, embedding': (run) => ({
    dependencies: {
      retriever: createVectorizeRetriever({
        index: { query: () => Promise.reject(new Error('not embedded')) } as never,
        metric: 'cosine',
        namespace,
        embedder: createWorkersAiEmbedder({ ai: { run }, model: 'm', dimension: 3, ...bounds() }),
        ...bounds(),
      }),
    },
  }),
  'Workers AI, reranking': (run) => ({
    dependencies: { reranker: reranking(createWorkersAiReranker({ ai: { run }, ...bounds() })) },
  }),
}

describe.each(Object.entries(BINDINGS))('nothing leaks from %s that throws', (name, gateOver) => {
  // What is written after the response is tried again for seconds.
  const isLater = /decisions|queue|KV/.test(name)
  const ways = Object.entries(THROWS)
    .filter(([way]) => !isLater || way === 'an error with a cause')
    // A coalescer that says nothing is waited for, for ten seconds.
    .filter(([way]) => DEEP || name !== 'a coalescer' || way !== 'nothing')
  it.each(ways)('%s', async (_, run) => {
    const kept: Kept = { database: [], cache: [] }
    expect(await leaks(kept, gateOver(run, kept))).toEqual({})
  })
})

it('a leaked canary is found wherever it is (control of the tests above)', async () => {
  const handler = (c: HandlerContext): Response => {
    console.error(ECHO)
    return c.json({ answer: PASSAGE }, 200, { 'x-echo': KEY })
  }
  const found = await leaks({ database: [QUESTION], cache: [] }, { handler })
  expect(Object.keys(found)).toEqual(['body', 'headers', 'log', 'database', 'cache'])
})
