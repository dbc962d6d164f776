/** The console in an app of a user's own, under a path of their own, over their own database. */
import { env } from 'cloudflare:workers'
import { Hono } from 'hono'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { console as consoleApp } from '../../packages/console/src/console.ts'
import { feedbackHeader } from '../../packages/console/src/feedback/feedback-header.ts'
import { createAnswerTokens } from '../../packages/console/src/feedback/answer-token.ts'
import { consoleJobs, runJobs } from '../../packages/console/src/jobs/jobs.ts'
import type { ConsoleOptions } from '../../packages/console/src/options.ts'
import { createDirectDecisionLog } from '../../src/adapters/direct-decision-log.ts'
import { createD1DecisionStore } from '../../src/adapters/d1/decision-store.ts'
import { createRetriever } from '../../packages/upstream/src/custom-retriever.ts'
import { minTopCosine } from '../../src/core/gates/min-top-cosine.ts'
import { definePolicy } from '../../src/core/policy/policy.ts'
import { topRelevance } from '../../packages/presets/src/two-tier/top-relevance.ts'
import { ragGate } from '../../src/middleware/rag-gate.ts'
import type { Authenticate } from '../../src/ports/authenticator.ts'

const policy = definePolicy({
  name: 'plain',
  confidence: topRelevance(),
  bands: { high: 0.8, medium: 0.6, low: 0.4 },
  gates: [minTopCosine({ refuseBelow: 0.5 })],
})

/** Who holds a token, in the words of an app that knows three. */
const authenticate: Authenticate = async (request) => {
  const [, token] = /^Bearer (\w+)$/.exec(request.headers.get('authorization') ?? '') ?? []
  if (token === 'boss') return { tenant: 'ours', id: 'boss', scopes: ['ask', 'admin'] }
  if (token === 'admin') return { tenant: 'ours', id: 'admin', scopes: ['ask', 'admin'] }
  return token === 'other' ? { tenant: 'theirs', id: 'other', scopes: ['ask', 'admin'] } : null
}

const SIGNED = createAnswerTokens('a key for feedback of 32 characters')
const settings: ConsoleOptions = {
  db: env.DB,
  authenticate,
  isOperator: ({ id }) => id === 'boss',
  policyOf: (_tenant, asked) => (['plain', policy.id].includes(asked) ? policy : undefined),
  policyNames: ['plain'],
  answerTokens: SIGNED,
  prices: { currency: 'EUR', inputPerMillionTokens: 0.15, outputPerMillionTokens: 0.6, perRetrieval: 0.00001 },
}

const app = new Hono()
app.post(
  '/ask',
  feedbackHeader(settings),
  ragGate({
    policy,
    dependencies: {
      retriever: createRetriever(() => [{ id: 'a', text: 'Returns are accepted for a fortnight.', score: 0.9 }], {
        scoreKind: 'cosine',
      }),
      authenticate,
      log: createDirectDecisionLog({ store: createD1DecisionStore({ db: env.DB }) }),
    },
  }),
  (c) => c.json({ answer: 'A fortnight.' }),
)
app.get('/ungated', feedbackHeader(settings), (c) => c.text('no answer of the gate'))
app.route('/inside/console', consoleApp(settings))
app.get('/inside/other', (c) => c.text('theirs'))
app.notFound((c) => c.text('nothing of ours', 404))
app.onError((_thrown, c) => c.text('failed', 500))

const as = (token: string, init: RequestInit = {}): RequestInit => ({
  ...init,
  headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
})
const get = (path: string, token = 'admin') => app.request(`/inside/console${path}`, as(token))

async function ask(): Promise<Response> {
  const body = JSON.stringify({ question: 'How long are returns accepted?' })
  const response = await app.request('/ask', as('admin', { method: 'POST', body }))
  expect(response.status).toBe(200)
  return response
}

afterEach(async () => {
  vi.restoreAllMocks()
  const tables = ['decisions', 'decision_rollups', 'feedback', 'isolates']
  await env.DB.batch(tables.map((table) => env.DB.prepare(`DELETE FROM ${table}`)))
})

describe('a console under a path of the app', () => {
  it("counts the decisions of the app's gate, for its tenant only", async () => {
    await ask()
    const stats = await get('/stats')
    expect([stats.status, stats.headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(await stats.json()).toMatchObject({ version: 1, decisions: 1, by_verdict: { pass: 1 }, currency: 'EUR' })
    expect(await (await get('/stats', 'other')).json()).toMatchObject({ decisions: 0 })
  })

  it('lets an operator name any tenant or sum over all, and no other caller', async () => {
    await ask()
    expect((await get('/stats?tenant=ours', 'other')).status).toBe(403)
    expect((await get('/stats?tenant=*', 'admin')).status).toBe(403)
    expect(await (await get('/stats?tenant=*', 'boss')).json()).toMatchObject({
      decisions: 1,
      recording: { recorded: 1 },
    })
  })

  it('replays under the configured policies', async () => {
    await ask()
    const replay = (asked: string) =>
      app.request('/inside/console/replay', as('admin', { method: 'POST', body: JSON.stringify({ policy: asked }) }))
    expect(await (await replay('plain')).json()).toMatchObject({ policy_id: policy.id, judged: 1 })
    const unknown = await replay('balanced')
    expect([unknown.status, await unknown.json()]).toMatchObject([
      422,
      { error: { code: 'policy_unknown', message: 'policy must be the id of a pushed policy or one of plain' } },
    ])
    expect(await (await get('/policies')).json()).toMatchObject({ choices: [{ name: 'plain', id: policy.id }] })
  })

  it('accepts feedback by the id sent with an answer', async () => {
    const answer = (await ask()).headers.get('rag-gate-feedback')
    const said = await app.request(
      '/inside/console/feedback',
      as('admin', { method: 'POST', body: JSON.stringify({ answer, rating: 'right' }) }),
    )
    expect(said.status).toBe(201)
    expect(await (await get('/feedback')).json()).toMatchObject({
      labels: [{ rating: 'right', source: 'user', policy_id: policy.id }],
      policies: [{ policy_id: policy.id, suggestion: { action: expect.any(String) } }],
    })
  })

  it('sends no id for feedback with responses that are none of the gate, or to unknown callers', async () => {
    const ungated = await app.request('/ungated', as('admin'))
    expect([ungated.status, ungated.headers.get('rag-gate-feedback')]).toEqual([200, null])
    const unknown = await app.request('/ask', as('unknown', { method: 'POST', body: '{"question":"Why?"}' }))
    expect(unknown.headers.get('rag-gate-feedback')).toBeNull()
  })

  it('answers its own errors, and leaves other errors and paths to the app', async () => {
    const noted = await get('/decisions/none')
    expect([noted.status, await noted.json()]).toMatchObject([404, { error: { code: 'decision_not_found' } }])
    const unnamed = await app.request('/inside/console/stats')
    expect([unnamed.status, unnamed.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    const posted = await app.request('/inside/console/stats', as('admin', { method: 'POST' }))
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET'])
    expect(posted.headers.get('x-content-type-options')).toBe('nosniff')
    expect(await (await get('/elsewhere')).text()).toBe('nothing of ours')
    expect(await (await app.request('/inside/other')).text()).toBe('theirs')
  })
})

describe('the settings of a console', () => {
  const wrong = (options: unknown) => () => consoleApp(options as ConsoleOptions)

  it.each([
    [{ authenticate }, 'db', 'db must be an object with prepare, batch'],
    [{ db: env.DB }, 'authenticate', 'authenticate must be a function'],
    [{ ...settings, policies: [] }, 'policies', 'There is no option policies'],
    [{ ...settings, decisionDays: 0 }, 'decisionDays', 'decisionDays must be a number from 1 to 3650'],
    [
      { ...settings, alerts: { bounds: { refusedAtMost: 5 } } },
      'alerts.bounds.refusedAtMost',
      'must be a number from 0',
    ],
    [{ ...settings, exports: { bucket: {} } }, 'exports.bucket', 'exports.bucket must be'],
  ])('are checked when it is made: %#', (options, param, message) => {
    expect(wrong(options)).toThrow(expect.objectContaining({ code: 'config_invalid', param }))
    expect(wrong(options)).toThrow(message)
  })

  it('made by a function are made once for each bindings object', async () => {
    const make = vi.fn<(env: { DB: D1Database }) => ConsoleOptions>(({ DB: db }) => ({ db, authenticate }))
    const bound = new Hono<{ Bindings: { DB: D1Database } }>().route('/', consoleApp(make))
    const bindings = { DB: env.DB }
    expect((await bound.request('/stats', as('admin'), bindings)).status).toBe(200)
    expect((await bound.request('/alerts', as('admin'), bindings)).status).toBe(200)
    expect(make).toHaveBeenCalledExactlyOnceWith(bindings)
    await bound.request('/stats', as('admin'), { DB: env.DB })
    expect(make).toHaveBeenCalledTimes(2)
  })

  it('need only a database and `authenticate`: then feedback finds no answer, and no policy is known', async () => {
    const plain = new Hono().route('/', consoleApp({ db: env.DB, authenticate }))
    const answer = (await ask()).headers.get('rag-gate-feedback')
    const said = await plain.request(
      '/feedback',
      as('admin', { method: 'POST', body: JSON.stringify({ answer, rating: 'right' }) }),
    )
    expect([said.status, await said.json()]).toMatchObject([404, { error: { code: 'answer_unknown' } }])
    expect(await (await plain.request('/policies', as('admin'))).json()).toMatchObject({ choices: [] })
    expect(await (await plain.request('/stats', as('admin'))).json()).toMatchObject({ decisions: 1, currency: null })
  })
})

describe('the jobs of a console', () => {
  it('remove what is older than configured', async () => {
    await ask()
    const later = { ...settings, decisionDays: 30, clock: { nowMs: () => Date.now() + 31 * 86_400_000 } }
    await runJobs(consoleJobs(settings), settings)
    expect(await env.DB.prepare('SELECT count(*) AS n FROM decisions').first()).toEqual({ n: 1 })
    await runJobs(consoleJobs(later), later)
    expect(await env.DB.prepare('SELECT count(*) AS n FROM decisions').first()).toEqual({ n: 0 })
  })

  it('run one after the other, also after one that fails', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const ran: string[] = []
    const jobs = {
      first: async () => ran.push('first'),
      second: async () => {
        throw new TypeError('a canary of a tenant')
      },
      third: async () => ran.push('third'),
    }
    await runJobs(jobs, settings)
    expect(ran).toEqual(['first', 'third'])
    expect(logged.mock.calls).toEqual([[expect.stringContaining('the job second was not finished: TypeError')]])
    expect(logged.mock.calls[0]![0]).not.toContain('canary')
  })
})
