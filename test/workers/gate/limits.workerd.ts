/** Limits of the ready Worker: each with its status, its headers, its code, and its row in the statistics. */
import { env } from 'cloudflare:workers'
import { beforeAll, expect, test } from 'vitest'
import { createD1TokenBudget } from '../../../packages/console/src/limits/token-budget.ts'
import { createD1Counting } from '../../../packages/console/src/d1/counting.ts'
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

test('requests of a caller are limited by the binding of the platform', async () => {
  const limited = workerOver({ ...isolateBindings, REQUEST_LIMIT: env.TEST_REQUEST_LIMIT })
  const from = { 'cf-connecting-ip': '203.0.113.1' }
  const ask = (headers: Record<string, string> = from) => limited.post('/ask', { question: STRONG }, headers)
  const statuses: number[] = []
  for (let at = 0; at < 5; at++) statuses.push((await ask()).status)
  expect(statuses).toEqual([200, 200, 200, 429, 429])
  const refused = await ask()
  expect([refused.headers.get('retry-after'), refused.headers.get('ratelimit')]).toEqual(['60', '"requests";r=0;t=60'])
  expect(await refused.json()).toMatchObject({ error: { code: 'rate_limited', request_id: expect.any(String) } })
  const chat = { model: 'search', messages: [{ role: 'user', content: STRONG }] }
  const openai = await limited.post('/v1/chat/completions', chat, from)
  expect([openai.status, await openai.json()]).toMatchObject([
    429,
    { error: { code: 'rate_limited', type: 'invalid_request_error', param: null } },
  ])
  expect((await limited.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'ping' }, from)).status).toBe(429)
  expect((await limited.post('/v1/tools/search', { query: STRONG }, from)).status).toBe(429)
  expect((await ask({ 'cf-connecting-ip': '203.0.113.2' })).status).toBe(200)
})

test('without the binding a number counts, in the isolate, and what was refused is in the statistics', async () => {
  const limited = workerOver({ ...isolateBindings, REQUESTS_PER_MINUTE: '1' })
  const ask = () => limited.post('/ask', { question: STRONG }, ADMIN)
  expect([(await ask()).status, (await ask()).status]).toEqual([200, 429])
  await expect
    .poll(
      async () => {
        const { faults } = await (await limited.send('/v1/stats', { headers: ADMIN })).json<{ faults: object[] }>()
        return faults
      },
      { timeout: 20_000, interval: 500 },
    )
    .toContainEqual({ route: '/ask', status: 429, code: 'rate_limited', requests: expect.any(Number) })
})

test('an address that sent ten wrong tokens is not heard for a minute, on any route', async () => {
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

const stored = async (tenant: string, id: string, atMs: number, usage: { inputTokens: number; outputTokens: number }) =>
  createD1DecisionStore({ db: env.DB }).write([
    { event: anEvent(id, { decision: aDecision({ tenant }), atMs, usage }), isolate: id, sequence: 1 },
  ])

test('a budget of tokens holds by day and by month, over what is counted and what is not yet', async () => {
  const nowMs = Date.UTC(2026, 4, 20, 12)
  const clock = { nowMs: () => nowMs }
  await stored('budget', 'budget-1', nowMs - 3 * 86_400_000, { inputTokens: 500, outputTokens: 100 })
  await createD1Counting({ db: env.DB }).count()
  await stored('budget', 'budget-2', nowMs - 3_600_000, { inputTokens: 90, outputTokens: 10 })
  await stored('other', 'budget-3', nowMs, { inputTokens: 5000, outputTokens: 0 })
  const spent = async (perDay?: number, perMonth?: number) =>
    createD1TokenBudget({ db: env.DB, clock, perDay, perMonth }).require('budget')
  await expect(spent(101, 701)).resolves.toBeUndefined()
  await expect(spent(100)).rejects.toMatchObject({ code: 'budget_spent', retryAfterSeconds: 12 * 3600 })
  await expect(spent(undefined, 700)).rejects.toMatchObject({ retryAfterSeconds: (11 * 24 + 12) * 3600 })
  await expect(createD1TokenBudget({ db: env.DB, clock, perDay: 1 }).require('nobody')).resolves.toBeUndefined()
})

test('a budget that cannot be read lets no model be asked', async () => {
  const prepare = () => ({ bind: () => ({ first: () => Promise.reject(new Error('D1 is away')) }) })
  const budget = createD1TokenBudget({ db: { prepare } as unknown as D1Database, perDay: 1 })
  await expect(budget.require('default')).rejects.toMatchObject({ code: 'store_unavailable' })
})

test('a tenant without tokens left gets 429 in place of a model call', async () => {
  await stored('default', 'spent-today', Date.now(), { inputTokens: 90, outputTokens: 10 })
  const spent = workerOver({ ...isolateBindings, ...MODEL, TOKENS_PER_DAY: '100' })
  const response = await spent.post('/ask', { question: STRONG })
  expect([response.status, await response.json()]).toMatchObject([429, { error: { code: 'budget_spent' } }])
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
})
