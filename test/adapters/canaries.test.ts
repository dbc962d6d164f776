/** Nothing of an upstream's error text leaves in an error or reaches the log. */
import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createRetriever } from '../../packages/upstream/src/custom-retriever.ts'
import { createHttpRetriever } from '../../packages/upstream/src/http-retriever.ts'
import { createLlmGrader } from '../../packages/models/src/llm-grader.ts'
import { createOpenAiGenerator } from '../../packages/models/src/openai-compatible.ts'
import { createOpenAiEmbedder } from '../../packages/models/src/openai-embedder.ts'
import { createUpstashChunkIndex, createUpstashRetriever } from '../../packages/upstash/src/index.ts'
import { createVectorizeChunkIndex, createVectorizeRetriever } from '../../packages/vectorize/src/index.ts'
import { createWorkersAiEmbedder } from '../../packages/models/src/workers-ai-embedder.ts'
import { createWorkersAiReranker } from '../../packages/models/src/workers-ai-reranker.ts'
import { errorForLog, isRagGateError } from '../../src/errors.ts'
import type { Fetch } from '../../packages/upstream/src/http/bounded-fetch.ts'
import { aPassage } from '../fixtures/evidence.ts'
import { faultHere } from '../fixtures/fault-here.ts'
import { type Answer, upstreamOfTests } from '../fixtures/scripted-upstream.ts'

const KEY = 'canary-key-0123456789'
const QUESTION = 'canary question of Ann?'
const PASSAGE = 'canary passage of a contract'
const TENANT = 'canary-tenant'
/** What an upstream repeats of the request that it turns down. */
const ECHO = `Invalid request:\n${KEY}\r\n${QUESTION}\n[rag-gate] ${PASSAGE}\u001b[31m ${TENANT}`

const signal = (): AbortSignal => AbortSignal.timeout(5000)
const passages = [{ ...aPassage('canary-chunk', { text: PASSAGE, title: PASSAGE }), scores: {} }]
const search = () => ({
  tenant: TENANT,
  collection: 'c',
  namespace: TENANT,
  question: QUESTION,
  topK: 3,
  signal: signal(),
})

let logged: string[]
beforeEach(() => {
  logged = []
  for (const method of ['log', 'info', 'warn', 'error', 'debug'] as const) {
    vi.spyOn(console, method).mockImplementation((...args) => void logged.push(inspect(args)))
  }
})
afterEach(() => vi.restoreAllMocks())

/** The canaries in the error that a call ends in, shown in every way there is, and in what was logged meanwhile. */
async function leaked(call: () => Promise<unknown>): Promise<string[]> {
  const outcome = await call().then(
    (value) => ({ value }),
    (thrown: unknown) => ({ thrown }),
  )
  if (!('thrown' in outcome) || !isRagGateError(outcome.thrown)) return ['no error of this package']
  const { thrown } = outcome
  const line = errorForLog(thrown, 'request-1')
  if (/[\r\n]/.test(line)) return ['more than one line']
  const shown = [
    String(thrown),
    JSON.stringify(thrown),
    thrown.stack,
    inspect(thrown, { depth: Infinity, showHidden: true, getters: true }),
    line,
    ...logged,
  ].join('\n')
  return shown.match(/canary[- ][\w-]*/g) ?? []
}

/** Bounds, so that no case waits: no second try, a small cap, a short deadline. */
const BOUNDS = { timeoutMs: 60, upstream: { retries: 0 } } as const

/** Every adapter that asks over HTTP, by what it is asked. */
const ASKED: Readonly<Record<string, (url: string, fetch?: Fetch) => Promise<unknown>>> = {
  'the generator': (url, fetch) =>
    createOpenAiGenerator({ baseUrl: url, apiKey: KEY, model: 'm', ...BOUNDS, ...(fetch && { fetch }) }).generate({
      question: QUESTION,
      chunks: passages,
      context: PASSAGE,
      signal: signal(),
    }),
  'the embedder': (url, fetch) =>
    createOpenAiEmbedder({
      baseUrl: url,
      apiKey: KEY,
      model: 'm',
      dimension: 3,
      ...BOUNDS,
      ...(fetch && { fetch }),
    }).embed({ texts: [QUESTION, PASSAGE], purpose: 'question', signal: signal() }),
  'the grader': (url, fetch) =>
    createLlmGrader({ baseUrl: url, apiKey: KEY, model: 'm', ...BOUNDS, ...(fetch && { fetch }) }).rerank({
      question: QUESTION,
      passages,
      signal: signal(),
    }),
  'the search service': (url, fetch) =>
    createHttpRetriever({
      url,
      scoreKind: 'bm25',
      headers: { authorization: KEY },
      ...BOUNDS,
      ...(fetch && { fetch }),
    }).retrieve(search()),
  'the Upstash retriever': (url, fetch) =>
    createUpstashRetriever({ url, token: KEY, ...BOUNDS, ...(fetch && { fetch }) }).retrieve(search()),
  'the Upstash chunk index': (url, fetch) =>
    createUpstashChunkIndex({ url, token: KEY, ...BOUNDS, ...(fetch && { fetch }) }).upsert(TENANT, passages),
}

const text =
  (body: string | Uint8Array, status = 200, headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response.writeHead(status, headers).end(body)
const ERROR = JSON.stringify({ error: { message: ECHO, code: KEY, param: QUESTION }, message: PASSAGE })

const ANSWERS: Readonly<Record<string, Answer>> = {
  ...Object.fromEntries(
    [400, 401, 402, 403, 404, 405, 408, 409, 413, 415, 418, 422, 429, 500, 502, 503].flatMap((status) => [
      [`${status} with JSON`, text(ERROR, status)],
      [`${status} with text`, text(ECHO, status)],
    ]),
  ),
  '422 as Upstash words it': text(
    JSON.stringify({ error: `Invalid vector dimension: ${KEY} ${QUESTION} ${PASSAGE} ${TENANT}`, status: 422 }),
    422,
  ),
  '429 with a wait that is none': text(ERROR, 429, { 'retry-after': `${KEY} ${TENANT}` }),
  'a status message': (response) => void response.writeHead(418, `Nope ${KEY} ${TENANT}`).end(ECHO),
  'a redirect': text(ECHO, 302, { location: `http://elsewhere.invalid/${KEY}?q=${TENANT}` }),
  'text with status 200': text(ECHO),
  'JSON of a string': text(JSON.stringify(ECHO)),
  'JSON of another shape': text(
    JSON.stringify({ [KEY]: QUESTION, results: ECHO, result: ECHO, data: ECHO, choices: ECHO }),
  ),
  'rows of another shape': text(
    JSON.stringify({
      results: [{ id: ECHO, namespace: KEY, text: PASSAGE }],
      result: [{ result: [{ id: ECHO, data: PASSAGE, metadata: KEY }] }, { result: ECHO }],
      data: [{ index: ECHO, embedding: [KEY] }, PASSAGE],
      choices: [{ message: { content: [ECHO], refusal: PASSAGE }, finish_reason: KEY }],
    }),
  ),
  'an error with status 200': text(ERROR),
  'JSON cut short': text(ERROR.slice(0, -9)),
  'what is not UTF-8': text(Buffer.concat([Buffer.from(ECHO), Buffer.from([0xff, 0xfe])])),
  'more than is read': text(`"${`${ECHO} `.repeat(200_000)}"`),
  'a broken body': (response) => {
    response.writeHead(200, { 'content-length': '9999' })
    response.write(ECHO)
    setTimeout(() => response.socket?.destroy(), 5)
  },
  'a broken connection': (response) => void response.socket?.destroy(),
  'what is no HTTP': (response) => void response.socket?.end(`${ECHO}\r\n\r\n`),
  'headers alone': (response) => response.writeHead(200).flushHeaders(),
  nothing: () => undefined,
}

describe.each(Object.entries(ASKED))('%s leaks no secret or text', (_, asked) => {
  const server = upstreamOfTests()

  test.each(Object.entries(ANSWERS))('when answered with %s', async (_name, answer) => {
    server().answerWith(answer)
    expect(await leaked(() => asked(server().url))).toEqual([])
  })

  test('when its address cannot be reached', async () => {
    expect(await leaked(() => asked(`http://127.0.0.1:1/${TENANT}`))).toEqual([])
  })

  test.each<[string, unknown]>([
    ['an error', new Error(ECHO)],
    [
      'an error that has another as its cause',
      new TypeError(ECHO, { cause: Object.assign(new Error(ECHO), { code: KEY }) }),
    ],
    ['an error with a name and facts', Object.assign(new Error(ECHO), { name: KEY, request: { body: ECHO } })],
    ['a string', ECHO],
    ['an object', { message: ECHO }],
  ])('when its transport throws %s', async (_name, thrown) => {
    expect(await leaked(() => asked('http://llm.invalid/v1', () => Promise.reject(thrown as Error)))).toEqual([])
  })
})

/** A binding of the platform that throws or answers so. */
const BINDINGS: Readonly<Record<string, () => Promise<unknown>>> = {
  'throws an error': () => Promise.reject(new Error(`3040: ${ECHO}`)),
  'throws an error of its own class': () =>
    Promise.reject(Object.assign(new Error(ECHO, { cause: new Error(ECHO) }), { name: KEY, detail: ECHO })),
  'throws a string': () => Promise.reject(ECHO as unknown as Error),
  'answers a string': async () => ECHO,
  'answers an object': async () => ({ [KEY]: ECHO, data: ECHO, response: [ECHO], matches: ECHO }),
  'answers rows': async () => ({
    data: [[KEY]],
    response: [{ id: KEY, score: ECHO }],
    matches: [{ id: ECHO, score: KEY, namespace: KEY, metadata: { text: PASSAGE } }],
  }),
  'answers nothing': async () => undefined,
  'never answers': () => new Promise(() => undefined),
}

describe.each(Object.entries(BINDINGS))('a binding that %s', (_, run) => {
  const embedder = { model: 'm', dimension: 2, embed: async () => [[1, 0]] }
  // The adapters call these alone, and take what comes back as unknown.
  const index = { query: run, upsert: run, getByIds: run, deleteByIds: run, describe: run } as never

  test('leaks nothing through the embedder of Workers AI', async () => {
    const over = createWorkersAiEmbedder({ ai: { run }, dimension: 3, ...BOUNDS })
    expect(await leaked(() => over.embed({ texts: [QUESTION], purpose: 'question', signal: signal() }))).toEqual([])
  })

  test('leaks nothing through the reranker of Workers AI', async () => {
    const over = createWorkersAiReranker({ ai: { run }, ...BOUNDS })
    expect(await leaked(() => over.rerank({ question: QUESTION, passages, signal: signal() }))).toEqual([])
  })

  test('leaks nothing through the retriever of Vectorize', async () => {
    const over = createVectorizeRetriever({ index, embedder, metric: 'cosine', ...BOUNDS })
    expect(await leaked(() => over.retrieve(search()))).toEqual([])
  })

  test('leaks nothing through the chunk index of Vectorize', async () => {
    const over = createVectorizeChunkIndex({ index, embedder, ...BOUNDS })
    expect(await leaked(() => over.upsert(TENANT, passages))).toEqual([])
  })
})

test("an error of the application's own search function is the cause of the reported error, and is not logged", async () => {
  const retriever = createRetriever(() => Promise.reject(faultHere(ECHO)), { scoreKind: 'bm25' })
  const thrown: unknown = await retriever.retrieve(search()).catch((error: unknown) => error)
  expect(thrown).toMatchObject({
    code: 'retriever_unavailable',
    message: 'The search failed',
    cause: { message: ECHO },
  })
  expect(errorForLog(thrown)).toMatch(/^retriever_unavailable "The search failed" < TypeError at [^\n]*fault-here\.ts/)
  expect(errorForLog(thrown)).not.toContain('canary')
  expect(logged).toEqual([])
})
