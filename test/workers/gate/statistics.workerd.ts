/** The statistics over HTTP: what they answer, to whom, and what they refuse. */
import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Decision } from '../../../src/core/policy/decision.ts'
import { createD1DecisionStore } from '../../../src/adapters/d1/decision-store.ts'
import { compositionFor } from '../../../workers/gate/compose.ts'
import { HANDBOOK, OFF_TOPIC, STRONG } from '../../fixtures/corpus.ts'
import { aDecision, anEvent } from '../../fixtures/decision.ts'
import { answerSignalsOf } from '../../fixtures/answer.ts'
import { ADMIN, isolateBindings, post, send } from '../../worker-requests.ts'

const get = (path: string) => send(path, { headers: ADMIN })

async function read<Body>(path: string): Promise<Body> {
  const response = await get(path)
  expect(response.status, path).toBe(200)
  return response.json<Body>()
}

interface Listed {
  id: string
  decision_id: string
  verdict: string
  reason: string
  cache: string
  at: string
}

beforeAll(async () => {
  await post('/v1/documents', { documents: HANDBOOK }, ADMIN)
  for (const question of [STRONG, STRONG, OFF_TOPIC, 'Who invented the steam engine?']) await post('/ask', { question })
  await compositionFor(isolateBindings).log.flush()
})

describe('GET /v1/stats', () => {
  test('reports the outcomes of the questions, equal to those computed with SQL', async () => {
    const stats = await read<{
      version: number
      decisions: number
      by_verdict: Record<string, number>
      by_policy: { name: string; decisions: number }[]
      confidence_histogram: Record<string, number>[]
      latency: { all: { counted: number } }
      savings: { calls_avoided_by_cache: number; calls_avoided_by_refusal: number }
      series: { start: string; decisions: number }[]
      recording: { missing: number }
    }>('/v1/stats')
    const { results } = await env.DB.prepare(
      "SELECT verdict, count(*) AS n FROM decisions WHERE tenant = 'default' GROUP BY verdict",
    ).all<{
      verdict: string
      n: number
    }>()
    const counted = Object.fromEntries(results.map(({ verdict, n }) => [verdict, n]))
    expect(stats.version).toBe(1)
    expect(stats.decisions).toBe(4)
    expect(stats.by_verdict).toMatchObject(counted)
    expect(counted['refuse']).toBe(2)
    expect(stats.by_policy).toMatchObject([{ name: expect.stringMatching(/^balanced@/), decisions: 4 }])
    expect(stats.confidence_histogram.flatMap((bin) => Object.values(bin)).reduce((a, b) => a + b)).toBe(4)
    expect(stats.latency.all.counted).toBe(4)
    expect(stats.savings).toMatchObject({ calls_avoided_by_cache: 1, calls_avoided_by_refusal: 2 })
    expect(stats.series).toMatchObject([{ start: expect.stringMatching(/T\d\d:00:00.000Z$/), decisions: 4 }])
    expect(stats.recording.missing).toBe(0)
  })

  test('can be narrowed by a filter and by days', async () => {
    expect(await read('/v1/stats?verdict=refuse&interval=day')).toMatchObject({
      decisions: 2,
      interval: 'day',
      by_verdict: { pass: 0, refuse: 2 },
    })
    expect(await read('/v1/stats?collection=nowhere')).toMatchObject({ decisions: 0, series: [] })
  })

  test('reports decisions, rejections and isolates for the same whole hours or days', async () => {
    const [midnight, noon] = [Date.UTC(2025, 4, 3), Date.UTC(2025, 4, 3, 12)]
    const writes = [
      `INSERT INTO request_faults VALUES (${midnight}, '/ask', 422, 'question_required', 'isolate', 3)`,
      `INSERT INTO isolates VALUES ('of-midnight', ${midnight}, ${midnight + 1}, 5, 5, 0, 0)`,
    ]
    for (const sql of writes) await env.DB.prepare(sql).run()
    const by = (interval: string) => read(`/v1/stats?interval=${interval}&from=${noon}&to=${noon + 1}`)
    expect(await by('day')).toMatchObject({
      from: '2025-05-03T00:00:00.000Z',
      to: '2025-05-04T00:00:00.000Z',
      faults: [{ code: 'question_required', requests: 3 }],
      recording: { recorded: 5 },
    })
    expect(await by('hour')).toMatchObject({ faults: [], recording: { recorded: 0 } })
  })

  test('have reason codes and names of gates as they are in decisions', async () => {
    const finding = {
      gate: 'ownJudge',
      stage: 'post-generation',
      outcome: 'refuse',
      code: 'Own.Code',
      actual: 0.5,
    } as const
    const decision = aDecision({
      tenant: 'own-gates',
      reason: 'Own.Code' as Decision['reason'],
      findings: [{ ...finding, message: 'Refused' }],
      answerSignals: answerSignalsOf({}),
    })
    const event = anEvent('own-gate', { decision })
    await createD1DecisionStore({ db: env.DB }).write([{ event, isolate: 'own-gates', sequence: 1 }])
    expect(
      await read(`/v1/stats?tenant=own-gates&from=${event.atMs}&to=${event.atMs + 1}&reason=Own.Code`),
    ).toMatchObject({ by_reason: { 'Own.Code': 1 }, answer_gates: { ownJudge: { counted: 1, mean: 0.5 } } })
  })

  test('as CSV contains the series', async () => {
    const response = await get('/v1/stats?format=csv')
    expect(response.headers.get('content-type')).toContain('text/csv')
    expect(response.headers.get('content-disposition')).toContain('attachment')
    const [head, first] = (await response.text()).split('\r\n')
    expect(head).toMatch(/^start,decisions,mean_confidence,.*,pass,advise,refuse,hit,/)
    expect(first).toMatch(/^\d{4}-\d\d-\d\dT\d\d:00:00.000Z,4,/)
  })

  test("of all tenants is available only to the deployment's own tenant", async () => {
    expect(await read('/v1/stats?tenant=*')).toMatchObject({ decisions: 4, by_tenant: [{ name: 'default' }] })
    const made = await post('/v1/keys', { tenant: 'acme', name: 'boss', scopes: ['admin'] }, ADMIN)
    const { token } = await made.json<{ token: string }>()
    const asAcme = (path: string) => send(path, { headers: { authorization: `Bearer ${token}` } })
    expect(await (await asAcme('/v1/stats')).json()).toMatchObject({ decisions: 0 })
    for (const path of ['/v1/stats?tenant=*', '/v1/stats?tenant=default', '/v1/decisions?tenant=default']) {
      expect((await asAcme(path)).status, path).toBe(403)
    }
    const [listed] = (await read<{ decisions: Listed[] }>('/v1/decisions')).decisions
    expect((await asAcme(`/v1/decisions/${listed!.id}`)).status).toBe(404)
  })
})

describe('GET /v1/decisions', () => {
  test('lists the latest first, page by page, each in full', async () => {
    const first = await read<{ decisions: Listed[]; next_cursor: string }>('/v1/decisions?limit=3')
    expect(first.decisions).toHaveLength(3)
    const rest = await read<{ decisions: Listed[]; next_cursor: null }>(
      `/v1/decisions?limit=3&cursor=${encodeURIComponent(first.next_cursor)}`,
    )
    expect(rest.decisions).toHaveLength(1)
    expect(rest.next_cursor).toBeNull()
    const all = [...first.decisions, ...rest.decisions]
    expect(new Set(all.map(({ id }) => id)).size).toBe(4)
    expect(all.map(({ at }) => at)).toEqual(
      all
        .map(({ at }) => at)
        .sort()
        .reverse(),
    )
    expect(all.map(({ cache }) => cache).sort()).toEqual(['hit', 'miss', 'miss', 'miss'])

    const refused = all.find(({ verdict }) => verdict === 'refuse')!
    const whole = await read<Record<string, unknown>>(`/v1/decisions/${refused.id}`)
    expect(whole).toMatchObject({
      id: refused.id,
      verdict: 'refuse',
      findings: [{ gate: 'confidence-range', outcome: 'refuse', threshold: 0.55 }],
      policy: {
        name: 'balanced',
        gates: ['readable-question', 'question-length', 'lone-term', 'run-together', 'confidence-range'].map(
          (gate) => ({ gate }),
        ),
      },
      rejection: { reason_code: refused.reason, evidence_analyzed: expect.any(Number), deficit: expect.any(Number) },
      labels: [],
      question_text: null,
    })
    expect(whole['signals']).toHaveProperty('chunkCount')
  })

  test('can be filtered', async () => {
    const { decisions } = await read<{ decisions: Listed[] }>('/v1/decisions?verdict=refuse')
    expect(decisions.map(({ verdict }) => verdict)).toEqual(['refuse', 'refuse'])
    expect(await read('/v1/decisions?reason=none')).toMatchObject({ decisions: [], next_cursor: null })
    for (const cache of ['hit', 'evidence-hit', 'miss', 'bypass', 'stale']) {
      const { decisions: some } = await read<{ decisions: Listed[] }>(`/v1/decisions?cache=${cache}`)
      expect(some.every((each) => each.cache === cache)).toBe(true)
    }
  })

  test('as CSV escapes formulas', async () => {
    await env.DB.prepare(`UPDATE decisions SET model = '=HYPERLINK("http://x")' WHERE verdict = 'refuse'`).run()
    const text = await (await get('/v1/decisions?format=csv&limit=4')).text()
    expect(text).toContain(`"'=HYPERLINK(""http://x"")"`)
    expect(text.split('\r\n')).toHaveLength(6)
    await env.DB.prepare(`UPDATE decisions SET model = NULL`).run()
  })
})

describe('weak spots', () => {
  test('are the refused questions, without their words, and the documents', async () => {
    const { content_gaps: gaps } = await read<{ content_gaps: Record<string, unknown>[] }>('/v1/stats/content-gaps')
    expect(gaps).toHaveLength(2)
    expect(gaps[0]).toMatchObject({ refused: 1, text: null, question_hmac: expect.stringMatching(/^[0-9a-f]{32}$/) })
    const { documents } = await read<{ documents: Record<string, unknown>[] }>('/v1/stats/documents?sort=decisions')
    expect(documents.length).toBeGreaterThan(0)
    expect(documents.map((each) => Number(each['decisions'])).reduce((a, b) => a + b)).toBe(3)
    expect((await get('/v1/stats/documents?format=csv')).headers.get('content-disposition')).toContain('documents.csv')
  })
})

describe('policies', () => {
  test('that made decisions are kept, and each choice is in the audit trail', async () => {
    const chosen = await post('/v1/policy', { policy: 'balanced-strict', why: 'too many wrong answers' }, ADMIN, 'PUT')
    expect(chosen.status).toBe(200)
    await post('/v1/policy', { policy: null }, ADMIN, 'PUT')
    const policies = await read<{
      choices: { name: string; id: string }[]
      policies: { id: string; name: string; policy: { gates: unknown[] } }[]
      changes: Record<string, unknown>[]
    }>('/v1/policies')
    expect(policies.choices.map(({ name }) => name)).toContain('sufficiency')
    expect(policies.policies).toHaveLength(2)
    // As settings, whether it decided or was chosen: from them it can be made again.
    for (const { policy } of policies.policies) {
      expect(policy.gates).toEqual([
        ...['readable-question', 'question-length', 'lone-term', 'run-together'].map((gate) => ({ gate })),
        { gate: 'confidence-range', refuseBelow: expect.any(Number), adviseBelow: expect.any(Number) },
      ])
    }
    expect(policies.changes).toMatchObject([
      { policy: null, why: '' },
      { policy: 'balanced-strict', why: 'too many wrong answers', by: 'admin', collection: null },
    ])
    expect(await read('/v1/audit?type=POLICY_CHOSEN&limit=1')).toMatchObject({
      events: [{ type: 'POLICY_CHOSEN', by: 'admin', decision_id: null, payload: { policy: null } }],
    })
  })
})

test.each(['/v1/stats/x.css', '/v1/stats%2fx.css', '/v1/stats;x', '/v1/stats/..%00'])(
  'there is no route at %s',
  async (path) => {
    expect([401, 404]).toContain((await send(path)).status)
    expect((await get(path)).status).toBe(404)
  },
)
