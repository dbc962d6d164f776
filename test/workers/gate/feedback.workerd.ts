/** Feedback, alerts and erasure over HTTP and by the cron trigger. */
import { createScheduledController } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { createD1DecisionStore } from '../../../src/adapters/d1/decision-store.ts'
import { namespaceOf, uuidv7 } from '../../../src/core/lib/ids.ts'
import { RagGateError } from '../../../src/errors.ts'
import { createAnswerTokens } from '../../../packages/console/src/feedback/answer-token.ts'
import type { NumberedEvent } from '../../../src/ports/decision-log.ts'
import type { GateBindings } from '../../../workers/gate/bindings.ts'
import { compositionFor } from '../../../workers/gate/compose.ts'
import worker from '../../../workers/gate/index.ts'
import { watchAlerts } from '../../../packages/console/src/jobs/watch-alerts.ts'
import { HANDBOOK, OFF_TOPIC, STRONG } from '../../fixtures/corpus.ts'
import { aDecision, anEvent } from '../../fixtures/decision.ts'
import { MODEL } from '../../fixtures/priced-model.ts'
import { ADMIN, isolateBindings, post, send, workerOver } from '../../worker-requests.ts'

async function answerId(question: string): Promise<string> {
  return (await post('/ask', { question })).headers.get('rag-gate-feedback') ?? ''
}

async function labels(): Promise<Record<string, unknown>[]> {
  const { results } = await env.DB.prepare('SELECT * FROM feedback ORDER BY at_ms').all()
  return results
}

beforeAll(async () => {
  await post('/v1/documents', { documents: HANDBOOK }, ADMIN)
})

afterEach(() => {
  vi.restoreAllMocks()
})

describe('feedback', () => {
  test('of a user counts once, with the latest rating and its decision', async () => {
    const answer = await answerId(STRONG)
    expect((await post('/v1/feedback', { answer, rating: 'wrong', comment: 'no' })).status).toBe(201)
    const again = await post('/v1/feedback', { answer, rating: 'right' })
    expect([again.status, await again.json()]).toMatchObject([201, { recorded: true }])
    expect(await labels()).toMatchObject([
      { source: 'user', rating: 'right', comment: null, verdict: 'pass', collection: 'default', tenant: 'default' },
    ])
  })

  test('is possible for cached answers and refusals, each with its own id', async () => {
    const ids = [await answerId(STRONG), await answerId(STRONG), await answerId(OFF_TOPIC)]
    expect(new Set(ids).size).toBe(3)
    for (const answer of ids) expect((await post('/v1/feedback', { answer, rating: 'right' })).status).toBe(201)
  })

  test('removes an answer from the cache when it is rated wrong, not when rated right', async () => {
    const statusOf = async (): Promise<string> =>
      (await post('/ask', { question: STRONG })).headers.get('cache-status') ?? ''
    // A caller is told of a hit on what it asked first, and of no miss.
    for (const [rating, status] of [
      ['right', /^rag-gate; hit/],
      ['wrong', /^$/],
    ] as const) {
      await statusOf()
      const answer = await answerId(STRONG)
      expect((await post('/v1/feedback', { answer, rating })).status).toBe(201)
      expect(await statusOf()).toMatch(status)
      const [id] = (await answerId(STRONG)).split('.')
      expect((await post(`/v1/decisions/${id}/label`, { rating }, ADMIN, 'PUT')).status).toBe(200)
      expect(await statusOf()).toMatch(status)
    }
  })

  test('is not offered when the caller cannot be identified, and the answer is still sent', async () => {
    vi.spyOn(compositionFor(isolateBindings).statistics, 'authenticate').mockRejectedValue(
      new Error('the database is away'),
    )
    const response = await post('/ask', { question: STRONG })
    expect([response.status, response.headers.get('rag-gate-feedback')]).toEqual([200, null])
  })

  test.each(['FEEDBACK_KEY', 'QUESTION_HMAC_KEY'] as const)(
    'with a %s that is too short is rejected by name, before a model is called',
    async (name) => {
      vi.spyOn(console, 'error').mockImplementation(() => undefined)
      const fetched = vi.spyOn(globalThis, 'fetch')
      const worker = workerOver({ ...env, ...MODEL, [name]: 'x'.repeat(31) })
      for (const response of [await worker.post('/ask', { question: STRONG }), await worker.send('/health')]) {
        expect([response.status, await response.json()]).toMatchObject([
          500,
          { error: { code: 'secret_too_short', param: name } },
        ])
      }
      expect(fetched).not.toHaveBeenCalled()
    },
  )

  test('is not offered without a key, and the caller is identified once', async () => {
    const { QUESTION_HMAC_KEY: _, ...bindings } = env
    const authenticate = vi.spyOn(compositionFor(bindings).statistics, 'authenticate')
    const response = await workerOver(bindings).post('/ask', { question: STRONG })
    expect([response.status, response.headers.get('rag-gate-feedback')]).toEqual([200, null])
    // The gate holds the function itself.
    expect(authenticate).not.toHaveBeenCalled()
  })

  test('of a reviewer replaces that of the user, and rates and suggestion follow', async () => {
    await env.DB.prepare('DELETE FROM feedback').run()
    const answer = await answerId(OFF_TOPIC)
    await post('/v1/feedback', { answer, rating: 'wrong' })
    const id = answer.split('.')[0]!
    const put = await post(`/v1/decisions/${id}/label`, { rating: 'right', comment: 'rightly refused' }, ADMIN, 'PUT')
    expect([put.status, await put.json()]).toMatchObject([200, { id, rating: 'right' }])
    const { policies, labels: latest } = await (
      await send('/v1/feedback', { headers: ADMIN })
    ).json<{ policies: Record<string, Record<string, unknown>>[]; labels: unknown[] }>()
    expect(latest).toHaveLength(2)
    expect(policies).toMatchObject([
      {
        refusals: { right: 1, wrong: 0 },
        answers: { right: 0, wrong: 0 },
        false_refusals: { rate: null, low: 0 },
        suggestion: { action: 'keep', because: 'Too few labels' },
      },
    ])
    const whole = await (await send(`/v1/decisions/${id}`, { headers: ADMIN })).json()
    expect(whole).toMatchObject({ labels: [{ rating: expect.any(String) }, { rating: expect.any(String) }] })
    const table = await (await send('/v1/feedback?format=csv', { headers: ADMIN })).text()
    expect(table).toContain('rightly refused')
    const of = async (filter: string) => (await send(`/v1/feedback?${filter}`, { headers: ADMIN })).json()
    const { policy_id: policy } = policies[0]!
    expect(await of(`collection=default&policy=${String(policy)}`)).toMatchObject({ policies, labels: latest })
    for (const other of ['collection=elsewhere', 'policy=other@1']) {
      expect(await of(other)).toMatchObject({ policies: [], labels: [] })
    }
  })

  test('is exported whole as CSV, even beyond a thousand rows', async () => {
    await env.DB.prepare(
      `INSERT INTO feedback (event_id, source, tenant, at_ms, rating, principal_id)
      SELECT 'many-' || value, 'user', 'many', ?1, 'right', '' FROM json_each(?2)`,
    )
      .bind(Date.now(), JSON.stringify(Array.from({ length: 1_100 }, (_, at) => at)))
      .run()
    const table = await (await send('/v1/feedback?format=csv&tenant=many', { headers: ADMIN })).text()
    expect(table.trimEnd().split('\r\n')).toHaveLength(1_101)
  })

  test('that arrives before its decision is counted with it', async () => {
    const id = uuidv7(Date.now(), crypto.randomUUID())
    const answer = await createAnswerTokens(env.QUESTION_HMAC_KEY!).sign('default', id)
    await post('/v1/feedback', { answer, rating: 'wrong' })
    const event = anEvent(id, { decision: aDecision({ tenant: 'default', policyId: 'late@1' }), atMs: Date.now() })
    await createD1DecisionStore({ db: env.DB }).write([{ event, isolate: 'late', sequence: 1 }])
    const { policies } = await (await send('/v1/feedback', { headers: ADMIN })).json<{ policies: unknown[] }>()
    expect(policies).toContainEqual(
      expect.objectContaining({ policy_id: 'late@1', answers: { decisions: 1, right: 0, wrong: 1 } }),
    )
  })

  test('is counted with its decision after any number of labels whose decisions were lost', async () => {
    const lost = Array.from({ length: 150 }, (_, at) => uuidv7(Date.now() - 60_000 - at, crypto.randomUUID()))
    const labels = `INSERT INTO feedback (event_id, source, tenant, at_ms, rating, principal_id)
      SELECT value, 'user', 'lossy', ?1, 'right', '' FROM json_each(?2)`
    await env.DB.prepare(labels)
      .bind(Date.now() - 50_000, JSON.stringify(lost))
      .run()
    const id = uuidv7(Date.now(), crypto.randomUUID())
    await env.DB.prepare(labels)
      .bind(Date.now(), JSON.stringify([id]))
      .run()
    const event = anEvent(id, { decision: aDecision({ tenant: 'lossy', policyId: 'lossy@1' }), atMs: Date.now() })
    await createD1DecisionStore({ db: env.DB }).write([{ event, isolate: 'lossy', sequence: 1 }])
    const { policies } = await (
      await send('/v1/feedback?tenant=lossy', { headers: ADMIN })
    ).json<{ policies: unknown[] }>()
    expect(policies).toMatchObject([{ policy_id: 'lossy@1', answers: { decisions: 1, right: 1, wrong: 0 } }])
  })

  test('is weighed by the decisions of its period by the hour, as the statistics count them', async () => {
    const at = (time: string): NumberedEvent['event'] => {
      const atMs = Date.parse(`2026-01-02T${time}:00Z`)
      return anEvent(uuidv7(atMs, crypto.randomUUID()), { decision: aDecision({ tenant: 'hourly' }), atMs })
    }
    const events = [at('03:04'), at('20:00')].map((event, n) => ({ event, isolate: 'hourly', sequence: n + 1 }))
    await createD1DecisionStore({ db: env.DB }).write(events)
    const asked = 'tenant=hourly&from=2026-01-02T12:00Z&to=2026-01-03T00:00Z'
    const of = async (path: string) => (await send(`${path}?${asked}`, { headers: ADMIN })).json()
    expect(await of('/v1/stats')).toMatchObject({ decisions: 1 })
    expect(await of('/v1/feedback')).toMatchObject({ policies: [{ answers: { decisions: 1 } }] })
  })

  const good = () => answerId(STRONG)

  test('with a comment of 10 KB is accepted', async () => {
    const answer = await good()
    expect((await post('/v1/feedback', { answer, rating: 'right', comment: 'x'.repeat(10_240) })).status).toBe(201)
  })

  test.each([
    [`'; DROP TABLE decisions;--`, `"'; DROP TABLE decisions;'--"`],
    ['=HYPERLINK("http://x")', `"'=HYPERLINK(""http://x"")"`],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@x', "'@x"],
    ['\tx', `"'\tx"`],
    ['\rx', `"'\rx"`],
  ])('with the comment %j is stored verbatim, and executed by no database or spreadsheet', async (comment, cell) => {
    const answer = await good()
    expect((await post('/v1/feedback', { answer, rating: 'wrong', comment })).status).toBe(201)
    expect((await labels()).at(-1)).toMatchObject({ comment })
    const table = await (await send('/v1/feedback?format=csv&limit=1', { headers: ADMIN })).text()
    expect(table).toContain(cell)
  })

  test('with a forged, foreign or unknown id is rejected with the same answer', async () => {
    const answer = await good()
    const made = await post('/v1/keys', { tenant: 'acme', name: 'asker', scopes: ['ask'] }, ADMIN)
    const { token } = await made.json<{ token: string }>()
    const replies = [
      await post('/v1/feedback', { answer, rating: 'right' }, { authorization: `Bearer ${token}` }),
      await post('/v1/feedback', {
        answer: `${answer.slice(0, -1)}${answer.endsWith('0') ? '1' : '0'}`,
        rating: 'right',
      }),
      await post('/v1/feedback', { answer: uuidv7(Date.now(), crypto.randomUUID()), rating: 'right' }),
      await post('/v1/feedback', { answer: 7, rating: 'right' }),
      await post('/v1/feedback', { rating: 'right' }),
    ]
    for (const reply of replies) {
      expect([reply.status, await reply.json()]).toMatchObject([404, { error: { code: 'answer_unknown' } }])
    }
  })

  test('on an answer that is no longer kept is rejected with 410', async () => {
    const old = uuidv7(Date.now() - 91 * 86_400_000, crypto.randomUUID())
    const answer = await createAnswerTokens(env.QUESTION_HMAC_KEY!).sign('default', old)
    const response = await post('/v1/feedback', { answer, rating: 'right' })
    expect([response.status, await response.json()]).toMatchObject([410, { error: { code: 'answer_expired' } }])
  })

  test('that the database does not store is not acknowledged', async () => {
    const answer = await good()
    await compositionFor(isolateBindings).log.flush()
    vi.spyOn(env.DB, 'prepare').mockImplementation(() => {
      throw new Error('D1_ERROR: D1 is down')
    })
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const response = await post('/v1/feedback', { answer, rating: 'right' })
    expect(response.status).toBeGreaterThanOrEqual(500)
  })
})

describe('labelled questions', () => {
  test("are listed once each, with the reviewer's or latest label, and counted even without a text", async () => {
    const labelled = (at: number, verdict: 'pass' | 'refuse', hmac: string | null): NumberedEvent => ({
      event: anEvent(`said-${at}`, {
        decision: aDecision({ tenant: 'said', collection: at === 5 ? 'other' : 'manual', verdict }),
        atMs: Date.now(),
        ...(hmac === null ? {} : { question: { hmac, keyId: 'k' } }),
      }),
      isolate: 'said',
      sequence: at,
    })
    await createD1DecisionStore({ db: env.DB }).write([
      labelled(1, 'refuse', 'a'),
      labelled(2, 'pass', 'a'),
      labelled(3, 'pass', 'b'),
      labelled(4, 'refuse', null),
      labelled(5, 'refuse', 'a'),
      labelled(6, 'pass', 'c'),
      labelled(7, 'refuse', null),
    ])
    await env.DB.prepare(
      `INSERT INTO question_texts (tenant, question_hmac, text, expires_ms) VALUES
        ('said', 'a', 'A?', 9e12), ('said', 'b', 'B?', 9e12), ('elsewhere', 'c', 'C?', 9e12)`,
    ).run()
    const { feedback } = compositionFor(isolateBindings).statistics
    const say = (at: number, source: 'user' | 'reviewer', rating: 'right' | 'wrong') =>
      feedback.label({ tenant: 'said', eventId: `said-${at}`, source, rating, principalId: 'p' })
    await say(1, 'reviewer', 'wrong')
    // Later, and a user's.
    await say(2, 'user', 'wrong')
    await say(3, 'user', 'right')
    await say(4, 'user', 'right')
    await say(5, 'user', 'right')
    await say(6, 'user', 'wrong')
    await say(7, 'user', 'right')
    const read = async (query = '') =>
      (await send(`/v1/labels?tenant=said${query}`, { headers: ADMIN })).json<{
        labels: { question: string }[]
        without_text: number
      }>()
    const { labels: found, without_text: lost } = await read()
    expect(found.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))).toEqual([
      { question: 'A?', answerable: false, kind: 'unanswerable, by a user', collection: 'other' },
      { question: 'A?', answerable: true, kind: 'answerable, by a reviewer', collection: 'manual' },
      { question: 'B?', answerable: true, kind: 'answerable, by a user', collection: 'manual' },
    ])
    // Two without an HMAC, and one without a text.
    expect(lost).toBe(3)
    expect((await read('&collection=other')).labels).toHaveLength(1)
  })
})

describe('erasure', () => {
  test('of a subject reports what was deleted, and nothing the second time', async () => {
    await compositionFor(isolateBindings).log.flush()
    const first = await (
      await send('/v1/subjects/anonymous', { method: 'DELETE', headers: ADMIN })
    ).json<{
      erased: Record<string, number>
    }>()
    expect(first).toMatchObject({ subject: 'anonymous', finished: true })
    expect(first.erased['decisions']).toBeGreaterThan(3)
    const second = await (await send('/v1/subjects/anonymous', { method: 'DELETE', headers: ADMIN })).json()
    expect(second).toMatchObject({ erased: { decisions: 0, feedback: 0, question_texts: 0, audit_events: 0 } })
    expect((await send('/v1/subjects/anonymous', { method: 'DELETE' })).status).toBe(401)
    expect((await send(`/v1/subjects/${'x'.repeat(501)}`, { method: 'DELETE', headers: ADMIN })).status).toBe(422)
    expect(await (await send('/v1/decisions?principal=anonymous', { headers: ADMIN })).json()).toMatchObject({
      decisions: [],
    })
  })

  test('includes decisions that are still buffered', async () => {
    expect((await post('/ask', { question: STRONG })).status).toBe(200)
    const response = await send('/v1/subjects/anonymous', { method: 'DELETE', headers: ADMIN })
    expect(await response.json()).toMatchObject({ erased: { decisions: 1 } })
  })

  test('accepts ids as long as those of OpenID Connect', async () => {
    const path = `/v1/subjects/${'x'.repeat(255)}`
    expect((await send(path, { method: 'DELETE', headers: ADMIN })).status).toBe(200)
  })

  test.each([
    [{ DECISION_RETENTION_DAYS: '20' }, 20],
    [{}, 90],
    [{ DECISION_RETENTION_DAYS: '3000' }, 300],
  ])('deletes every text: with %j none outlives its decision', async (given, days) => {
    const bindings = { ...env, STORE_QUESTIONS_DAYS: '300', ...given }
    await env.DB.prepare('DELETE FROM question_texts').run()
    await workerOver(bindings).post('/ask', { question: STRONG })
    await compositionFor(bindings).log.flush()
    const expires = `SELECT expires_ms - at_ms AS ms FROM question_texts JOIN decisions USING (question_hmac)
      ORDER BY at_ms DESC LIMIT 1`
    expect(await env.DB.prepare(expires).first('ms')).toBe(days * 86_400_000)
  })
})

describe('alerts', () => {
  const ALERT_WEBHOOK_SECRET = 'test-webhook-secret-0123456789abcdef'
  const bindings: GateBindings = { ...env, ALERT_WEBHOOK_URL: 'https://hooks.test/alerts', ALERT_WEBHOOK_SECRET }

  /** As a receiver checks it. */
  async function isSigned(headers: Headers, body: string): Promise<boolean> {
    const [id, timestamp] = [headers.get('webhook-id'), headers.get('webhook-timestamp')]
    expect(Math.abs(Date.now() / 1000 - Number(timestamp))).toBeLessThan(60)
    const encoder = new TextEncoder()
    const hmac = { name: 'HMAC', hash: 'SHA-256' }
    const secret = encoder.encode(ALERT_WEBHOOK_SECRET)
    const key = await crypto.subtle.importKey('raw', secret, hmac, false, ['verify'])
    const [version, signature = ''] = (headers.get('webhook-signature') ?? '').split(',')
    const bytes = Uint8Array.from(atob(signature), (character) => character.charCodeAt(0))
    const isRight = await crypto.subtle.verify('HMAC', key, bytes, encoder.encode(`${id}.${timestamp}.${body}`))
    return version === 'v1' && isRight
  }

  async function refuse(count: number, verdict: 'refuse' | 'pass' = 'refuse'): Promise<void> {
    const atMs = Date.now() - 1_000
    await createD1DecisionStore({ db: env.DB }).write(
      Array.from({ length: count }, (_, at) => ({
        event: anEvent(crypto.randomUUID(), { decision: aDecision({ tenant: 'watched', verdict }), atMs }),
        isolate: crypto.randomUUID(),
        sequence: at + 1,
      })),
    )
  }

  const listed = async () =>
    (await (await send('/v1/alerts?tenant=watched', { headers: ADMIN })).json<{ alerts: Record<string, unknown>[] }>())
      .alerts

  test('open once, are sent until the webhook accepts them, and close', async () => {
    const told: Record<string, unknown>[] = []
    let status = 500
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (url, init) => {
      // Only what this test is about may be fetched.
      if (url !== 'https://hooks.test/alerts') throw new Error('An unexpected address')
      const body = JSON.parse(init?.body as string) as Record<string, unknown>
      expect(await isSigned(new Headers(init?.headers), init?.body as string)).toBe(true)
      if (body['tenant'] === 'watched') told.push(body)
      return new Response(null, { status })
    })
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    await refuse(60)
    await watchAlerts(compositionFor(bindings).statistics)
    expect((await listed()).map(({ kind, closed }) => [kind, closed]).sort()).toEqual([
      ['insufficiency_high', null],
      ['refusals_high', null],
    ])
    expect(told).toHaveLength(2)
    status = 204
    await watchAlerts(compositionFor(bindings).statistics)
    expect(told).toHaveLength(4)
    expect(told.at(-1)).toMatchObject({ event: 'alert_opened', tenant: 'watched', value: expect.any(Number) })
    await watchAlerts(compositionFor(bindings).statistics)
    expect(told).toHaveLength(4)
    await refuse(600, 'pass')
    await watchAlerts(compositionFor(bindings).statistics)
    expect(told.slice(4).map(({ event }) => event)).toEqual(['alert_closed', 'alert_closed'])
    expect((await listed()).every(({ closed }) => typeof closed === 'string')).toBe(true)
  })

  test('report a nearly full index until there is room, and do not close for unknown values', async () => {
    const { ingest, log, statistics } = compositionFor(isolateBindings)
    await post('/v1/documents', { collection: 'large', documents: HANDBOOK }, ADMIN)
    await post('/ask', { question: STRONG })
    await log.flush()
    const open = async (tenant: string) => {
      const { alerts } = await (
        await send(`/v1/alerts?tenant=${tenant}`, { headers: ADMIN })
      ).json<{ alerts: { kind: string; value: number; closed: string | null }[] }>()
      return alerts.flatMap(({ kind, value, closed }) =>
        kind === 'index_nearly_full' && closed === null ? [value] : [],
      )
    }
    await watchAlerts(statistics)
    expect(await open('default')).toEqual([])
    const large = namespaceOf('default', 'large')
    const room = vi.spyOn(ingest.index, 'settle')
    room.mockImplementation(async (namespace) => ({ usedBytes: namespace === large ? 81 : 9, limitBytes: 100 }))
    await watchAlerts(statistics)
    expect([await open('default'), await open('*')]).toEqual([[0.81], [0.81]])
    room.mockRejectedValue(new RagGateError('retriever_unavailable', 'down'))
    await expect(watchAlerts(statistics)).rejects.toMatchObject({ code: 'retriever_unavailable' })
    expect(await open('default')).toEqual([0.81])
    room.mockResolvedValue(undefined)
    await watchAlerts(statistics)
    expect(await open('default')).toEqual([])
  })

  test('are evaluated by the cron trigger, with the jobs of retention and erasure', async () => {
    await env.DB.prepare(
      `INSERT INTO question_texts (tenant, question_hmac, text, expires_ms) VALUES ('cron', 'h', 't', 1)`,
    ).run()
    await worker.scheduled(createScheduledController({ cron: '*/15 * * * *' }), env)
    const left = await env.DB.prepare(`SELECT count(*) AS n FROM question_texts WHERE tenant = 'cron'`).first<{
      n: number
    }>()
    expect(left?.n).toBe(0)
  })
})
