/** Limits of the ready Worker: each with its status, its headers, its code, and its row in the statistics. */
import { env } from 'cloudflare:workers'
import { beforeAll, expect, test, vi } from 'vitest'
import { createD1DecisionStore } from '../../../src/adapters/d1/decision-store.ts'
import { HANDBOOK, STRONG } from '../../fixtures/corpus.ts'
import { aDecision, anEvent } from '../../fixtures/decision.ts'
import { quietErrors } from '../../fixtures/quiet-console.ts'
import { ADMIN, isolateBindings, post, workerOver } from '../../worker-requests.ts'

quietErrors()

const MODEL = { LLM_BASE_URL: 'http://127.0.0.1:9/v1', LLM_API_KEY: 'key', LLM_MODEL: 'm' }

beforeAll(async () => {
  await post('/v1/documents', { documents: HANDBOOK }, ADMIN)
})

/** The platform counts by the minutes of the clock: what is asked across the end of one is asked again, by others. */
async function inOneMinute(work: (attempt: number) => Promise<void>): Promise<void> {
  const minute = (): number => Math.floor(Date.now() / 60_000)
  for (let attempt = 20; ; attempt++) {
    const began = minute()
    try {
      return await work(attempt)
    } catch (thrown) {
      if (minute() === began) throw thrown
    }
  }
}

test("requests of a caller are limited by the platform's rate limiting binding", () =>
  inOneMinute(async (attempt) => {
    const limited = workerOver({ ...isolateBindings, REQUEST_LIMIT: env.TEST_REQUEST_LIMIT })
    const from = { 'cf-connecting-ip': `203.0.113.${attempt}` }
    const ask = (headers: Record<string, string> = from) => limited.post('/ask', { question: STRONG }, headers)
    const statuses: number[] = []
    for (let at = 0; at < 5; at++) statuses.push((await ask()).status)
    expect(statuses).toEqual([200, 200, 200, 429, 429])
    const refused = await ask()
    expect([refused.headers.get('retry-after'), refused.headers.get('ratelimit')]).toEqual([
      '60',
      '"requests";r=0;t=60',
    ])
    expect(await refused.json()).toMatchObject({ error: { code: 'rate_limited', request_id: expect.any(String) } })
    const chat = { model: 'search', messages: [{ role: 'user', content: STRONG }] }
    const openai = await limited.post('/v1/chat/completions', chat, from)
    expect([openai.status, await openai.json()]).toMatchObject([
      429,
      { error: { code: 'rate_limited', type: 'invalid_request_error', param: null } },
    ])
    expect((await limited.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'ping' }, from)).status).toBe(429)
    expect((await limited.post('/v1/tools/search', { query: STRONG }, from)).status).toBe(429)
    expect((await ask({ 'cf-connecting-ip': '203.0.114.2' })).status).toBe(200)
  }))

test('requests of all callers of a tenant are limited together by another binding', () =>
  inOneMinute(async (attempt) => {
    const limited = workerOver({ ...isolateBindings, TENANT_LIMIT: env.TEST_REQUEST_LIMIT })
    const key = async (name: string, tenant: string) => {
      const response = await post('/v1/keys', { name, scopes: ['ask'], tenant }, ADMIN)
      return { authorization: `Bearer ${(await response.json<{ token: string }>()).token}` }
    }
    const [one, two, other] = [
      await key('one', `shared-${attempt}`),
      await key('two', `shared-${attempt}`),
      await key('one', 'apart'),
    ]
    const ask = async (headers: Record<string, string>) =>
      (await limited.post('/ask', { question: STRONG }, headers)).status
    const statuses: number[] = []
    for (const headers of [one, two, one, two, one]) statuses.push(await ask(headers))
    expect(statuses.map((status) => status === 429)).toEqual([false, false, false, true, true])
    expect(await ask(other)).not.toBe(429)
  }))

test('without the binding, requests are limited by a number per isolate', async () => {
  const limited = workerOver({ ...isolateBindings, REQUESTS_PER_MINUTE: '1' })
  const ask = () => limited.post('/ask', { question: STRONG }, ADMIN)
  expect([(await ask()).status, (await ask()).status]).toEqual([200, 429])
})

test('an address that sent ten wrong tokens gets 429 for a minute, on any route', async () => {
  const guessed = workerOver({ ...isolateBindings })
  const from = (token: string) => ({ authorization: `Bearer ${token}`, 'cf-connecting-ip': '203.0.113.3' })
  for (let at = 0; at < 10; at++) {
    expect((await guessed.send('/v1/keys', { headers: from(`wrong-${at}`) })).status).toBe(401)
  }
  const right = from(env.ADMIN_TOKEN)
  for (const path of ['/v1/keys', '/v1/stats', '/v1/models']) {
    const response = await guessed.send(path, { headers: right })
    expect([path, response.status, Number(response.headers.get('retry-after')) > 0]).toEqual([path, 429, true])
  }
  expect((await guessed.post('/ask', { question: STRONG }, right)).status).toBe(429)
  expect((await guessed.post('/ask', { question: STRONG }, { 'cf-connecting-ip': '203.0.113.3' })).status).toBe(200)
  expect((await guessed.send('/v1/keys', { headers: { ...right, 'cf-connecting-ip': '203.0.113.4' } })).status).toBe(
    200,
  )
})

test('a tenant without tokens left gets 429 in place of a model call', async () => {
  const usage = { inputTokens: 90, outputTokens: 10 }
  const event = anEvent('spent-today', { decision: aDecision({ tenant: 'default' }), atMs: Date.now(), usage })
  await createD1DecisionStore({ db: env.DB }).write([{ event, isolate: 'spent-today', sequence: 1 }])
  const spent = workerOver({ ...isolateBindings, ...MODEL, TOKENS_PER_DAY: '100' })
  const response = await spent.post('/ask', { question: STRONG })
  expect([response.status, await response.json()]).toMatchObject([429, { error: { code: 'budget_spent' } }])
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
})

const aKey = async (...scopes: string[]): Promise<Record<string, string>> => {
  const made = await post('/v1/keys', { name: 'limits', scopes }, ADMIN)
  return { authorization: `Bearer ${(await made.json<{ token: string }>()).token}` }
}
const aText = (id: string, text = 'Four words of text.') => ({ id, text })

/** Puts documents in, and tells what came of it: an error with its wait, or its absence. */
const putter =
  (limited: ReturnType<typeof workerOver>) =>
  async (headers: Record<string, string>, ...documents: object[]): Promise<unknown> => {
    const response = await limited.post('/v1/documents', { collection: 'limited', documents }, headers)
    const seconds = Number(response.headers.get('retry-after'))
    return [response.status, seconds > 0 && seconds <= 86_400, (await response.json<{ error?: object }>()).error]
  }
const DONE = [200, false, undefined]
const SPENT = [429, true, expect.objectContaining({ code: 'budget_spent' })]

test('a key may ingest a number of documents a day, and a call beyond it ingests nothing', async () => {
  const put = putter(workerOver({ ...isolateBindings, DOCUMENTS_PER_DAY: '3' }))
  const [one, other] = [await aKey('ingest'), await aKey('ingest')]
  expect(await put(one, aText('a'), aText('b'))).toEqual(DONE)
  expect(await put(one, aText('c'), aText('d'))).toEqual(SPENT)
  expect(await put(one, aText('c'))).toEqual(DONE)
  expect(await put(one, aText('d'))).toEqual(SPENT)
  expect(await put(other, aText('e'))).toEqual(DONE)
  for (const at of [1, 2]) expect(await put(ADMIN, aText(`f${at}`), aText('g'))).toEqual(DONE)
})

test('a key may cause a limited amount of parsing work a day, also with documents that cannot be read', async () => {
  const work = (budget: number) => putter(workerOver({ ...isolateBindings, INGESTION_STEPS_PER_DAY: String(budget) }))
  const long = 'Nine words stand in each sentence of this text. '.repeat(300)
  const [one, other] = [await aKey('ingest'), await aKey('ingest')]
  // Some 14,400 characters, 64 a step: 225, and a few for its Markdown.
  expect(await work(400)(one, aText('long', long))).toEqual(DONE)
  expect(await work(400)(one, aText('long', `${long}!`))).toEqual(DONE)
  expect(await work(400)(one, aText('short'))).toEqual(SPENT)
  expect(await work(900)(one, aText('short'))).toEqual(DONE)
  const tooDeep = { ...aText('deep', '> '.repeat(100)), format: 'markdown' }
  expect(await work(1_000_000)(other, tooDeep)).toEqual([400, false, expect.objectContaining({ code: 'too_deep' })])
  expect(await work(1_000_000)(other, aText('short'))).toEqual(SPENT)
  expect(await work(1_000_000)(ADMIN, aText('short'))).toEqual(DONE)
})

/** A model that says a word and no more, until it is left. */
function aSilentModel(): void {
  const word = 'data: {"choices":[{"index":0,"delta":{"content":"Thirty-"},"finish_reason":null}]}\n\n'
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (_, init) => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        const say = setInterval(() => controller.enqueue(new TextEncoder().encode(word)), 100)
        init?.signal?.addEventListener('abort', () => {
          clearInterval(say)
          controller.error(new Error('left'))
        })
      },
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  })
}

test('a stream ends after its time limit, and no other model call starts meanwhile', async () => {
  aSilentModel()
  const settings = { ...MODEL, MODEL_CALLS_AT_ONCE: '1', STREAM_SECONDS: '4', STALE_IF_ERROR_SECONDS: '0' }
  const limited = workerOver({ ...isolateBindings, ...settings })
  const ask = (question: string) => limited.post('/ask', { question }, { ...ADMIN, accept: 'text/event-stream' })
  const first = await ask(STRONG)
  const second = await ask(`${STRONG} !`)
  expect([second.status, second.headers.get('retry-after'), await second.json()]).toMatchObject([
    503,
    '1',
    { error: { code: 'overloaded' } },
  ])
  const begun = Date.now()
  const text = await first.text()
  expect([first.status, text.includes('Thirty-'), text.includes('llm_timeout')]).toEqual([200, true, true])
  expect(Date.now() - begun).toBeLessThan(20_000)
  // Its place is free again.
  const third = await ask(`${STRONG} !!`)
  expect(third.status).toBe(200)
  // Its decision is recorded at its end, and not among those of the next file.
  await third.body?.cancel()
  vi.restoreAllMocks()
})

test('requests rejected by any limit are in the statistics', async () => {
  const refused = [
    ['/ask', 429, 'rate_limited'],
    ['/v1/chat', 429, 'rate_limited'],
    ['/mcp', 429, 'rate_limited'],
    ['/v1/keys', 429, 'rate_limited'],
    ['/ask', 429, 'budget_spent'],
    ['/v1/documents', 429, 'budget_spent'],
    ['/ask', 503, 'overloaded'],
    ['/ask', 504, 'llm_timeout'],
  ] as const
  const rows = refused.map(([route, status, code]) => ({ route, status, code, requests: expect.any(Number) }))
  await expect
    .poll(
      async () => {
        const { faults } = await (
          await workerOver(isolateBindings).send('/v1/stats', { headers: ADMIN })
        ).json<{
          faults: object[]
        }>()
        return faults
      },
      { timeout: 20_000, interval: 500 },
    )
    .toEqual(expect.arrayContaining(rows))
})
