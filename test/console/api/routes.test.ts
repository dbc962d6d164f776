/** What the routes ask of the stores, and for whom. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { POLLING } from '../../../packages/console/src/api/follow-decisions.ts'
import { tenantFor } from '../../../packages/console/src/api/tenant-for.ts'
import { console as createConsole } from '../../../packages/console/src/console.ts'
import { EVERY_TENANT } from '../../../packages/console/src/d1/statistics/wanted.ts'
import { uuidv7 } from '../../../src/core/lib/ids.ts'
import { RagGateError } from '../../../src/errors.ts'
import { minTopCosine } from '../../../src/core/gates/min-top-cosine.ts'
import { definePolicy } from '../../../src/core/policy/policy.ts'
import { aDecision } from '../../fixtures/decision.ts'
import { signalsOf } from '../../fixtures/evidence.ts'
import { balanced } from '../../../src/presets/balanced/balanced.ts'
import { type ConsoleParts, openConsole } from '../../../packages/console/src/parts.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const NOW_MS = Date.UTC(2026, 5, 10, 12, 34, 56)
/** End of a period that ends now: the current hour is in it. */
const TO_MS = NOW_MS + HOUR_MS

const PRINCIPALS: Readonly<Record<string, string>> = { operator: 'main', owner: 'acme' }
const WITH_COSINE = definePolicy({ ...balanced(), gates: [...balanced().gates, minTopCosine({ refuseBelow: 0.5 })] })
const calls: (readonly [name: string, ...args: unknown[]])[] = []
const options = {
  // No store is asked: each is replaced below.
  db: { prepare: () => undefined, batch: () => undefined } as never,
  clock: { nowMs: () => NOW_MS },
  log: { flush: async () => void calls.push(['flush']) },
  authenticate: async (request: Request) => {
    const id = request.headers.get('authorization')?.slice('Bearer '.length) ?? ''
    const tenant = PRINCIPALS[id]
    return tenant === undefined ? null : { tenant, id, scopes: ['admin'] as const }
  },
  isOperator: ({ id }: { readonly id: string }) => id === 'operator',
  policyOf: async (tenant: string, asked: string) =>
    ({ [`of ${tenant}`]: balanced(), balanced: balanced(), cosine: WITH_COSINE })[asked],
  policyNames: ['balanced', 'gone'],
  decisionDays: 30,
  answerTokens: {
    sign: async () => '',
    read: async (tenant: string, token: string) =>
      token.startsWith(tenant) ? token.slice(tenant.length + 1) : undefined,
  },
  purges: {
    purge: async (which: readonly object[]) => {
      calls.push(['purges.purge', which])
      return {} as never
    },
  },
}
const parts = openConsole(options)
const app = createConsole(options)

/** Lets a method of a store answer. */
function answer<Store extends keyof ConsoleParts & string>(store: Store, method: string, value: unknown): void {
  const target = parts[store] as unknown as Record<string, () => Promise<unknown>>
  vi.spyOn(target, method).mockImplementation(async (...args: unknown[]) => {
    calls.push([`${store}.${method}`, ...args])
    return value
  })
}

beforeEach(() => {
  calls.length = 0
  answer('summaries', 'summary', { fromMs: 1, toMs: 2, series: [], byPolicy: [] })
  answer('summaries', 'recording', { isolates: 3 })
  answer('requestFaults', 'list', [{ route: 'ask' }])
  answer('weakSpots', 'contentGaps', [])
  answer('weakSpots', 'documents', [])
  answer('recorded', 'list', { decisions: [] })
  answer('recorded', 'sample', [])
  answer('recorded', 'one', undefined)
  answer('audit', 'list', [{ atMs: 0, type: 'X', payload: { aName: 1 } }])
  answer('alerts', 'list', [])
  answer('jobRecords', 'list', [])
  answer('feedback', 'latest', [])
  answer('feedback', 'counts', [])
  answer('feedback', 'questions', [])
  answer('policies', 'known', [])
  answer('policies', 'choices', [])
})

async function ask(path: string, id = 'owner', init: RequestInit = {}) {
  const response = await app.request(path, {
    ...init,
    headers: { authorization: `Bearer ${id}`, 'content-type': 'application/json' },
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json') === true
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
}

/** Status, code and parameter of an error. */
async function errorOf(path: string, id?: string): Promise<unknown[]> {
  const { status, body } = await ask(path, id)
  return [status, body.error?.code, body.error?.param]
}

const back = (ms: number) => ({ fromMs: TO_MS - ms, toMs: TO_MS })

describe('each list', () => {
  it.each([
    ['/stats', 'summaries.summary', { ...back(DAY_MS), interval: 'hour', filter: {} }],
    ['/stats/content-gaps', 'weakSpots.contentGaps', { ...back(7 * DAY_MS), limit: 20 }],
    [
      '/stats/documents',
      'weakSpots.documents',
      { ...back(28 * DAY_MS), limit: 20, sort: 'confidence', weakBelow: 0.7, minDecisions: 1 },
    ],
    ['/decisions', 'recorded.list', { ...back(7 * DAY_MS), filter: {}, limit: 50, after: undefined }],
    ['/audit', 'audit.list', { ...back(31 * DAY_MS), limit: 100 }],
    ['/feedback', 'feedback.latest', back(31 * DAY_MS)],
    ['/labels', 'feedback.questions', back(90 * DAY_MS)],
  ])('%s is of the own tenant and the latest period, and after what is buffered', async (path, store, query) => {
    expect((await ask(path)).status).toBe(200)
    expect(calls.slice(0, 2).map(([name]) => name)).toEqual(['flush', store])
    expect(calls[1]?.[1]).toEqual({ tenant: 'acme', ...query })
    calls.length = 0
    expect((await ask(`${path}?tenant=globex`, 'operator')).status).toBe(200)
    expect(calls[1]?.[1]).toMatchObject({ tenant: 'globex' })
    calls.length = 0
    expect(await errorOf(`${path}?tenant=globex`)).toEqual([403, 'tenant_mismatch', 'tenant'])
    expect(await errorOf(`${path}?tenant=${'x'.repeat(65)}`, 'operator')).toEqual([422, 'tenant_id', 'tenant'])
    expect(calls).toEqual([])
  })

  it.each([
    ['/stats', 366],
    ['/stats/content-gaps', 31],
    ['/stats/documents', 366],
    ['/decisions', 366],
    ['/audit', 3 * 366],
    ['/feedback', 366],
    ['/labels', 366],
  ])('%s may be of %i days', async (path, days) => {
    const from = TO_MS - days * DAY_MS
    expect((await ask(`${path}?from=${from}&to=${TO_MS}`)).status).toBe(200)
    expect(calls[1]?.[1]).toMatchObject({ fromMs: from, toMs: TO_MS })
    const { status, body } = await ask(`${path}?from=${from - 1}&to=${TO_MS}`)
    expect([status, body.error]).toMatchObject([
      422,
      { code: 'range_too_large', param: 'from', message: expect.stringContaining(`at most ${days} days`) },
    ])
  })

  it.each([
    [
      '/stats/content-gaps',
      'content-gaps',
      /^question_hmac,hmac_key_id,text,collection,refused,advised,last,last_reason$/,
    ],
    [
      '/stats/documents',
      'documents',
      /^document_id,collection,decisions,refused,advised,mean_confidence,change,consistently_weak,weeks$/,
    ],
    ['/decisions', 'decisions', /^id,decision_id,at,collection,.*,principal_id$/],
    ['/stats', 'decisions-over-time', /^start,decisions,mean_confidence,.*,money_retrieval_cost,money_net$/],
    ['/feedback', 'labels', /^event_id,at,source,rating,comment,verdict,policy_id,collection$/],
  ])('%s can be a table', async (path, name, head) => {
    const { headers, body } = await ask(`${path}?format=csv`)
    expect(headers.get('content-disposition')).toBe(`attachment; filename="${name}.csv"`)
    expect(headers.get('x-next-cursor')).toBeNull()
    const [first, ...rest] = (body as string).split('\r\n')
    expect([first, rest]).toEqual([expect.stringMatching(head), ['']])
  })

  it('of weak spots is in the form of the API', async () => {
    answer('weakSpots', 'contentGaps', [{ questionHmac: 'q', lastMs: 0 }])
    answer('weakSpots', 'documents', [{ documentId: 'd', weeks: [{ weekMs: 0, meanConfidence: 1 }] }])
    const start = '1970-01-01T00:00:00.000Z'
    expect((await ask('/stats/content-gaps')).body).toEqual({
      version: 1,
      content_gaps: [{ question_hmac: 'q', last: start }],
    })
    expect((await ask('/stats/documents')).body).toEqual({
      version: 1,
      documents: [{ document_id: 'd', weeks: [{ week: start, mean_confidence: 1 }] }],
    })
  })

  it('of weak spots and labels is whole as a table: one more row tells that there are too many', async () => {
    for (const path of ['/stats/content-gaps', '/stats/documents']) {
      await ask(`${path}?format=csv`)
      await ask(`${path}?format=csv&limit=7`)
    }
    expect(calls.filter(([name]) => name !== 'flush').map(([, query]) => query)).toMatchObject(
      [10_001, 7, 10_001, 7].map((limit) => ({ limit })),
    )
    calls.length = 0
    for (const query of ['', '?format=csv', '?format=csv&limit=7']) await ask(`/feedback${query}`)
    const asked = calls.filter(([name]) => name === 'feedback.latest')
    expect(asked.map(([, , limit]) => limit)).toEqual([50, 10_001, 7])
  })
})

describe('money', () => {
  const savings = {
    callsAvoidedByRefusal: 3,
    callsAvoidedByCache: 2,
    unknownCalls: 1,
    measured: { calls: 4, inputTokens: 5, outputTokens: 6 },
    estimated: { calls: 7, inputTokens: 8, outputTokens: 9 },
    money: { calls: 10, modelCost: 0.5, retrievalCost: 0.125, net: 0.375 },
  }
  const verdicts = { byVerdict: { pass: 1, advise: 2, refuse: 3 }, byCache: { hit: 4, miss: 5 } }
  const point = { startMs: 0, decisions: 6, ...verdicts }

  it('is in columns of the series, and empty where no call has a price', async () => {
    const series = [
      { ...point, savings },
      { ...point, savings: { ...savings, money: null } },
    ]
    answer('summaries', 'summary', { fromMs: 1, toMs: 2, series })
    const [head, ...rows] = ((await ask('/stats?format=csv')).body as string).trimEnd().split('\r\n')
    const tables = rows.map((row) => {
      const cells = row.split(',')
      return Object.fromEntries(head!.split(',').map((name, at) => [name, cells[at]]))
    })
    const calls = { calls_avoided_by_refusal: '3', calls_avoided_by_cache: '2', unknown_calls: '1' }
    const measured = { measured_calls: '4', measured_input_tokens: '5', measured_output_tokens: '6' }
    const estimated = { estimated_calls: '7', estimated_input_tokens: '8', estimated_output_tokens: '9' }
    const both = { start: '1970-01-01T00:00:00.000Z', decisions: '6', pass: '1', advise: '2', refuse: '3', hit: '4' }
    const money = { money_calls: '10', money_model_cost: '0.5', money_retrieval_cost: '0.125', money_net: '0.375' }
    const none = Object.fromEntries(Object.keys(money).map((name) => [name, '']))
    expect(tables).toMatchObject(
      [money, none].map((each) => ({ ...both, ...calls, ...measured, ...estimated, ...each })),
    )
  })

  it('is told with its currency and prices, which are nothing without a currency', async () => {
    expect((await ask('/stats')).body).toMatchObject({ prices: null, currency: null })
    const given = {
      ...options,
      prices: { currency: 'EUR', inputPerMillionTokens: 2, outputPerMillionTokens: 4, perRetrieval: 1 },
    }
    vi.spyOn(openConsole(given).summaries, 'summary').mockResolvedValue({ fromMs: 1, toMs: 2 } as never)
    const response = await createConsole(given).request('/stats', { headers: { authorization: 'Bearer owner' } })
    expect(await response.json()).toMatchObject({
      prices: { input_per_million_tokens: 2, per_retrieval: 1 },
      currency: 'EUR',
    })
  })
})

describe('a request', () => {
  it('may name its own tenant, and no parameter that there is not', async () => {
    expect((await ask('/decisions?tenant=acme&limit=1')).status).toBe(200)
    expect(calls[1]?.[1]).toMatchObject({ tenant: 'acme', limit: 1 })
    calls.length = 0
    for (const path of ['/decisions', '/policies', '/subjects/x']) {
      const init = path === '/subjects/x' ? { method: 'DELETE' } : {}
      expect((await ask(`${path}?nonsense=1`, 'owner', init)).body.error.code).toBe('unknown_field')
    }
    expect(calls).toEqual([])
  })

  it.each([7, null, ['acme']])('of an operator names no tenant by %j', (asked) => {
    const principal = { tenant: 'main', id: 'operator', scopes: [] }
    expect(() => tenantFor(principal, asked, () => true)).toThrow(expect.objectContaining({ code: 'tenant_id' }))
  })

  it('lists decisions and alerts in the form of the API', async () => {
    answer('recorded', 'list', { decisions: [0, 1].map((escalate) => ({ id: 'a', atMs: 0, escalate })) })
    answer('alerts', 'list', [{ id: 'b', openedMs: 0, untold: 'opened' }])
    answer('jobRecords', 'list', [{ name: 'counting', ranMs: NOW_MS, behindSinceMs: null, failed: false }])
    const start = '1970-01-01T00:00:00.000Z'
    expect((await ask('/decisions')).body.decisions).toEqual([
      { id: 'a', at: start, escalate: false },
      { id: 'a', at: start, escalate: true },
    ])
    expect((await ask('/alerts')).body).toMatchObject({
      alerts: [{ id: 'b', opened: start }],
      jobs: [{ name: 'counting' }],
    })
    expect((await ask('/alerts')).body.alerts[0]).not.toHaveProperty('untold')
  })
})

describe('a period', () => {
  it('may be given in milliseconds or as ISO 8601, and begins a day before its end', async () => {
    await ask('/stats?from=2026-06-01&to=2026-06-01T01:00Z')
    await ask(`/stats?to=${TO_MS}`)
    await ask('/stats?to=1970-01-01T00:00:00.005Z')
    const day = Date.UTC(2026, 5, 1)
    expect(calls.filter(([name]) => name === 'summaries.summary').map(([, query]) => query)).toMatchObject([
      { fromMs: day, toMs: day + HOUR_MS },
      { fromMs: TO_MS - DAY_MS, toMs: TO_MS },
      { fromMs: 0, toMs: 5 },
    ])
  })

  it.each([
    ['from=1800000000005&to=1800000000005', 'from'],
    ['from=1800000000006&to=1800000000005', 'from'],
    ['from=x', 'from'],
    // A time in seconds, a date without hyphens and a year would be times of 1970.
    ['to=1800000000', 'to'],
    ['from=20260101', 'from'],
    ['from=2026', 'from'],
    ['from=99999999999', 'from'],
    ['to=1969-12-31', 'to'],
    ['to=123456789012345', 'to'],
  ])('%s is none', async (query, param) => {
    expect(await errorOf(`/stats?${query}`)).toEqual([422, 'range', param])
  })

  it('may begin with 1970', async () => {
    expect((await ask('/stats?from=1970-01-01&to=1970-01-02')).status).toBe(200)
    expect((await ask('/stats?from=0&to=100000000000')).body.error?.code).toBe('range_too_large')
    expect((await ask('/stats?from=0&to=1970-01-02')).status).toBe(200)
  })

  it('is shown by the hour up to eight days, and on request up to 31', async () => {
    const asked = async (ms: number, interval = '') => {
      calls.length = 0
      const path = `/stats?from=${TO_MS - ms}&to=${TO_MS}${interval && `&interval=${interval}`}`
      const { body } = await ask(path)
      return body.error?.code ?? (calls[1]?.[1] as { readonly interval: string } | undefined)?.interval
    }
    expect(await asked(8 * DAY_MS)).toBe('hour')
    expect(await asked(8 * DAY_MS + 1)).toBe('day')
    expect(await asked(HOUR_MS, 'day')).toBe('day')
    expect(await asked(31 * DAY_MS, 'hour')).toBe('hour')
    expect(await asked(31 * DAY_MS + 1, 'hour')).toBe('range_too_large')
    expect(await errorOf(`/stats?from=${TO_MS - 32 * DAY_MS}&to=${TO_MS}&interval=hour`)).toEqual([
      422,
      'range_too_large',
      'interval',
    ])
    for (const [name, value] of Object.entries({ interval: 'week', format: 'xml' })) {
      expect(await errorOf(`/stats?${name}=${value}`)).toEqual([422, name, name])
    }
    expect(await errorOf('/stats/documents?sort=name')).toEqual([422, 'sort', 'sort'])
    expect(await asked(40 * DAY_MS, 'day')).toBe('day')
  })
})

describe('a filter', () => {
  it('has all its members', async () => {
    const filter = { collection: 'wiki', policy: 'p@1', verdict: 'refuse', band: 'very-low', cache: 'cached' }
    const query = new URLSearchParams({ ...filter, reason: 'weak', mode: 'observe', outcome: 'failed' })
    await ask(`/decisions?${query.toString()}`)
    const { policy, ...others } = filter
    expect(calls[1]?.[1]).toMatchObject({
      filter: { ...others, policyId: policy, reason: 'weak', mode: 'observe', outcome: 'failed' },
    })
    calls.length = 0
    await ask('/stats/content-gaps?collection=wiki')
    await ask('/feedback?collection=wiki&policy=p')
    await ask('/labels?collection=wiki')
    await ask('/stats/documents?collection=wiki&sort=change&weak_below=0.25&min_decisions=3&limit=1000')
    expect(calls.filter(([name]) => name !== 'flush').map(([, query]) => query)).toMatchObject([
      { collection: 'wiki' },
      { collection: 'wiki', policyId: 'p' },
      { collection: 'wiki', policyId: 'p' },
      { filter: { collection: 'wiki', policyId: 'p' } },
      { collection: 'wiki' },
      { collection: 'wiki', sort: 'change', weakBelow: 0.25, minDecisions: 3, limit: 1_000 },
    ])
  })

  it('narrows a list to a person, a question, a document, a saving or a range of confidence', async () => {
    const query = 'principal=ann&question=q&document=d&led_by=l&saved=cache&min_confidence=0.5&max_confidence=1'
    await ask(`/decisions?${query}`)
    expect(calls[1]?.[1]).toMatchObject({
      principalId: 'ann',
      questionHmac: 'q',
      documentId: 'd',
      ledBy: 'l',
      saved: 'cache',
      minConfidence: 0.5,
      maxConfidence: 1,
    })
  })

  it.each(['.5', '0.5', '0.92865112733948671'])('reads a confidence of %s', async (value) => {
    await ask(`/decisions?min_confidence=${value}`)
    expect(calls[1]?.[1]).toMatchObject({ minConfidence: Number(value) })
  })

  it.each(['', '.', '5.', '-1', '1.1', 'x', '1e-1', `0.${'1'.repeat(21)}`])(
    'has no confidence of %j',
    async (value) => {
      const error = await errorOf(`/decisions?min_confidence=${value}`)
      expect(error).toEqual([422, 'filter', 'min_confidence'])
    },
  )

  it.each([
    ['collection', ''],
    ['policy', 'x'.repeat(201)],
    ['reason', ''],
    ['verdict', 'maybe'],
    ['band', 'none'],
    ['cache', 'full'],
    ['mode', ''],
    ['outcome', 'x'],
    ['saved', 'x'],
    ['min_confidence', '1.1'],
    ['max_confidence', '-1'],
  ])('%s=%s is none', async (name, value) => {
    expect(await errorOf(`/decisions?${name}=${value}`)).toEqual([422, 'filter', name])
    expect(calls).toEqual([])
  })

  it('may have names of up to 200 characters', async () => {
    expect((await ask(`/decisions?reason=${'x'.repeat(200)}`)).status).toBe(200)
  })

  it.each(['0', '1001', '1e2', ''])('has no limit of %j', async (limit) => {
    expect(await errorOf(`/audit?limit=${limit}`)).toEqual([422, 'limit', 'limit'])
  })
})

describe('a cursor', () => {
  const NEXT = 36 ** 5
  const pathOf = (cursor: string, query = '') => `/decisions?cursor=${encodeURIComponent(cursor)}${query}`

  it('continues the list that it is of, and no other', async () => {
    answer('recorded', 'list', { decisions: [], next: NEXT })
    const { body } = await ask('/decisions?verdict=pass&principal=ann&tenant=globex', 'operator')
    const cursor = body.next_cursor as string
    expect((await ask(pathOf(cursor, '&verdict=pass&principal=ann&tenant=globex&limit=3'), 'operator')).status).toBe(
      200,
    )
    expect(calls.at(-1)?.[1]).toMatchObject({ after: NEXT, limit: 3 })
    calls.length = 0
    for (const query of [
      '&verdict=refuse&principal=ann&tenant=globex',
      '&verdict=pass&principal=bob&tenant=globex',
      '&verdict=pass&tenant=globex',
      '&verdict=pass&principal=ann',
      '&verdict=pass&principal=ann&tenant=globex&saved=cache',
    ]) {
      expect(await errorOf(pathOf(cursor, query), 'operator')).toEqual([400, 'cursor', 'cursor'])
    }
    const changed = [`-${cursor}`, `1${cursor}`, `${cursor}0`, cursor.replace('.', '0.'), cursor.toUpperCase(), '']
    for (const other of changed) {
      expect(await errorOf(pathOf(other, '&verdict=pass&principal=ann&tenant=globex'), 'operator')).toEqual([
        400,
        'cursor',
        'cursor',
      ])
    }
    expect(calls).toEqual([])
  })

  it('of a table is in a header', async () => {
    answer('recorded', 'list', { decisions: [], next: NEXT })
    const { headers } = await ask('/decisions?format=csv')
    const cursor = headers.get('x-next-cursor')!
    expect(cursor).toMatch(/^100000\.[0-9a-f]{16}$/)
    expect((await ask(pathOf(cursor))).status).toBe(200)
  })
})

describe('an operator', () => {
  it('sees all tenants, what was lost and what failed; others see neither', async () => {
    const { body } = await ask('/stats?tenant=*', 'operator')
    expect(body).toMatchObject({ recording: { isolates: 3 }, faults: [{ route: 'ask' }] })
    expect(calls).toMatchObject([
      ['flush'],
      ['summaries.summary', { tenant: EVERY_TENANT }],
      ['summaries.recording', 1, 2],
      ['requestFaults.list', 1, 2],
    ])
    calls.length = 0
    const own = await ask('/stats')
    expect([own.body.recording, own.body.faults]).toEqual([undefined, undefined])
    expect(calls.map(([name]) => name)).toEqual(['flush', 'summaries.summary'])
  })

  it('sees the open alerts of all tenants, and others their own', async () => {
    await ask('/alerts?tenant=*', 'operator')
    await ask('/alerts?limit=9')
    expect(calls.filter(([name]) => name === 'alerts.list')).toEqual([
      ['alerts.list', EVERY_TENANT, 50],
      ['alerts.list', 'acme', 9],
    ])
    expect(await errorOf('/alerts?tenant=*')).toEqual([403, 'tenant_mismatch', 'tenant'])
    expect(await errorOf('/decisions?tenant=*', 'operator')).toEqual([422, 'tenant_id', 'tenant'])
  })
})

describe('the audit trail', () => {
  it('can be of one type, with payloads as they were written', async () => {
    const { body } = await ask('/audit?type=POLICY_CHOSEN')
    expect(calls[1]?.[1]).toMatchObject({ type: 'POLICY_CHOSEN' })
    expect(body.events).toEqual([{ at: '1970-01-01T00:00:00.000Z', type: 'X', payload: { aName: 1 } }])
  })
})

describe('labels', () => {
  it('are questions of users and reviewers, without those whose text is not stored', async () => {
    const one = { question: 'q', answerable: true, source: 'user', collection: 'wiki' }
    answer('feedback', 'questions', [
      one,
      { ...one, question: null },
      { ...one, answerable: false, source: 'reviewer' },
    ])
    expect((await ask('/labels')).body).toMatchObject({
      labels: [
        { question: 'q', answerable: true, kind: 'answerable, by a user', collection: 'wiki' },
        { question: 'q', answerable: false, kind: 'unanswerable, by a reviewer', collection: 'wiki' },
      ],
      without_text: 1,
    })
  })
})

describe('a replay', () => {
  it('is of the latest thousand decisions, by a policy that exists', async () => {
    const body = JSON.stringify({ policy: 'none' })
    const unknown = await ask('/replay', 'owner', { method: 'POST', body })
    expect([unknown.status, unknown.body.error]).toMatchObject([
      422,
      { code: 'policy_unknown', param: 'policy', message: expect.stringContaining('or one of balanced, gone') },
    ])
    const ofAnother = await ask('/replay', 'owner', { method: 'POST', body: JSON.stringify({ policy: 'of globex' }) })
    expect(ofAnother.body.error.code).toBe('policy_unknown')
    expect(calls).toEqual([])
    const known = { method: 'POST', body: JSON.stringify({ policy: 'of acme' }) }
    expect((await ask('/replay?collection=wiki', 'owner', known)).body).toMatchObject({
      decisions: 0,
      judged: 0,
      would_refuse: { rate: null },
      changed: { count: 0, decisions: [] },
    })
    await ask('/replay', 'owner', known)
    const query = { tenant: 'acme', ...back(31 * DAY_MS), limit: 1_000 }
    expect(calls).toEqual([
      ['flush'],
      ['recorded.sample', { ...query, filter: { collection: 'wiki' } }],
      ['flush'],
      ['recorded.sample', query],
    ])
  })
})

describe('a replay of recorded decisions', () => {
  const recorded = { verdict: 'refuse', findings: [], policyId: 'x@1' }
  const found = { ...recorded, signals: signalsOf({ sentenceMatch: 0.9, questionLikelihood: 0.9 }) }
  const nothing = { ...recorded, signals: signalsOf({ chunkCount: 0 }) }

  async function replayed(decisions: readonly object[]) {
    answer('recorded', 'sample', decisions)
    return (await ask('/replay', 'owner', { method: 'POST', body: '{"policy":"balanced"}' })).body
  }

  it('counts verdicts before and after, and what cannot be judged again', async () => {
    const body = await replayed([
      { ...found, id: 'same', verdict: 'pass', reader: 'ok' },
      { ...found, id: 'opened', reader: 'failed' },
      { ...nothing, id: 'closed', verdict: 'advise' },
      { ...nothing, id: 'closed, too', verdict: 'pass' },
      { ...found, id: 'cut', lost: 'cut' },
      { ...found, id: 'cut, too', lost: 'cut' },
      { ...found, id: 'erased', lost: 'erased' },
    ])
    expect(body).toEqual({
      version: 1,
      policy: 'balanced',
      policy_id: balanced().id,
      decisions: 7,
      judged: 4,
      not_replayable: { count: 3, reasons: { cut: 2, erased: 1 } },
      before: { pass: 2, advise: 1, refuse: 1 },
      after: { pass: 2, advise: 0, refuse: 2 },
      would_refuse: { rate: 0.5, low: expect.closeTo(0.0676, 3), high: expect.closeTo(0.9324, 3) },
      calls_avoided: 1,
      unread: { where_reader_failed: 'not_weighed', failed: 1, spared: 0, off: 0 },
      changed: {
        count: 3,
        decisions: [
          { id: 'opened', from: 'refuse', to: 'pass', confidence: expect.any(Number) },
          { id: 'closed', from: 'advise', to: 'refuse', confidence: 0 },
          { id: 'closed, too', from: 'pass', to: 'refuse', confidence: 0 },
        ],
      },
    })
  })

  it('names the first fifty that change', async () => {
    const { changed } = await replayed(Array.from({ length: 60 }, (_, at) => ({ ...found, id: `${at}` })))
    expect([changed.count, changed.decisions.length, changed.decisions[49].id]).toEqual([60, 50, '49'])
  })
})

describe('a decision', () => {
  const finding = { gate: 'length', outcome: 'refuse', message: 'Too short', actual: 0.25, threshold: 0.5 }
  const found = {
    ...aDecision({ verdict: 'refuse', findings: [finding] as never }),
    id: 'event-1',
    decisionId: 'made-earlier',
    atMs: 0,
    policyId: 'of acme',
    policy: { id: 'of acme', topK: 3 },
    pin: null as object | null,
    escalate: 1,
    answerSignals: { someShare: 1 },
    questionText: 'Why?',
    reranker: null,
    labels: [{ source: 'user', rating: 'wrong', atMs: 1_000 }],
    audit: [{ type: 'X' }],
    auditEvents: [{ type: 'X', payload: { aName: 1 }, atMs: 2_000 }],
  }

  it('is told whole, with names of data as they are', async () => {
    answer('recorded', 'one', found)
    const { body } = await ask('/decisions/event-1')
    expect(calls).toEqual([['flush'], ['recorded.one', 'acme', 'event-1']])
    expect(body).toMatchObject({
      id: 'event-1',
      decision_id: 'made-earlier',
      at: '1970-01-01T00:00:00.000Z',
      escalate: true,
      findings: [finding],
      signals: { chunkCount: 2 },
      answer_signals: { someShare: 1 },
      policy: { topK: 3 },
      calibration: null,
      rejection: { decision_id: 'made-earlier', query: 'Why?', deficit: 0.25, evidence_analyzed: 2, escalate: true },
      labels: [{ source: 'user', rating: 'wrong', at: '1970-01-01T00:00:01.000Z' }],
      audit_events: [{ type: 'X', payload: { aName: 1 }, at: '1970-01-01T00:00:02.000Z' }],
    })
    for (const name of ['pin', 'audit']) expect(body).not.toHaveProperty(name)
  })

  it('without text is no refusal record with a question, and without a policy tells nothing', async () => {
    answer('recorded', 'one', { ...found, questionText: null, policyId: 'gone', escalate: 0, confidence: null })
    const { body } = await ask('/decisions/event-1')
    expect(body).toMatchObject({ escalate: false, told: {}, confidence: null })
    expect(body.rejection).not.toHaveProperty('query')
    expect(body.rejection).not.toHaveProperty('escalate')
    answer('recorded', 'one', { ...found, verdict: 'pass' })
    expect((await ask('/decisions/event-1')).body.rejection).toBeNull()
  })

  it('is told with what the preset of its policy makes of it', async () => {
    const summary = vi.fn<(given: { readonly decision: object }) => object>(() => ({ badge: 'weak' }))
    const policyOf = async () => ({ ...balanced(), preset: { ...balanced().preset, summary } }) as never
    const given = { ...options, policyOf }
    const one = vi.spyOn(openConsole(given).recorded, 'one')
    const told = async (record: object) => {
      one.mockResolvedValueOnce({ ...found, ...record } as never)
      const response = await createConsole(given).request('/decisions/x', {
        headers: { authorization: 'Bearer owner' },
      })
      return (await response.json()) as { readonly told: object }
    }
    expect((await told({ reranker: 'used' })).told).toEqual({ badge: 'weak' })
    await told({ confidence: null, answerSignals: null, escalate: 0 })
    const decision = { id: 'made-earlier', verdict: 'refuse', findings: [finding] }
    expect(summary.mock.calls).toMatchObject([
      [
        {
          decision: {
            ...decision,
            reranker: 'used',
            confidence: 0.8125,
            answerSignals: { someShare: 1 },
            escalate: true,
          },
        },
      ],
      [
        {
          decision: { ...decision, reranker: 'off', confidence: 0 },
          chunks: [],
          audience: 'operator',
          gates: balanced().gates,
        },
      ],
    ])
    expect(summary.mock.calls[1]![0].decision).not.toHaveProperty('answerSignals')
  })

  it('says whether documents had changed since the policy was calibrated', async () => {
    for (const [version, changed] of [
      [3, false],
      [2, true],
    ] as const) {
      answer('recorded', 'one', { ...found, pin: { collection: 'manual', corpus_version: version } })
      const { calibration } = (await ask('/decisions/event-1')).body
      expect(calibration).toMatchObject({ pin: { corpus_version: version }, documents_changed: changed })
      expect(calibration.advice === null).toBe(!changed)
    }
  })

  it('that is not there is not found', async () => {
    expect(await errorOf('/decisions/none')).toEqual([404, 'decision_not_found', undefined])
  })
})

describe('policies', () => {
  it('are those that can be chosen, those that decided, and the choices', async () => {
    answer('policies', 'known', [{ id: 'p@1', name: 'p', firstMs: 1_000, body: { id: 'p@1', topK: 3 } }])
    const choice = { by: 'ann', collection: null, policy: 'p', policyId: 'p@1', why: 'w' }
    answer('policies', 'choices', [{ ...choice, atMs: 2_000, tenant: 'acme', rollback: true }])
    const { body } = await ask('/policies')
    expect(calls).toEqual([['flush'], ['policies.known', 'acme'], ['policies.choices', 'acme']])
    expect(body).toEqual({
      version: 1,
      choices: [{ name: 'balanced', id: balanced().id }],
      policies: [{ id: 'p@1', name: 'p', first_seen: '1970-01-01T00:00:01.000Z', policy: { id: 'p@1', topK: 3 } }],
      changes: [
        { at: '1970-01-01T00:00:02.000Z', by: 'ann', collection: null, policy: 'p', policy_id: 'p@1', why: 'w' },
      ],
    })
  })
})

describe('feedback', () => {
  const eventAt = (ms: number) => uuidv7(ms, '00000000-0000-4000-8000-000000000000')
  const send = (method: string, path: string, body: object) =>
    ask(path, 'owner', { method, body: JSON.stringify(body) })
  const user = { tenant: 'acme', source: 'user', principalId: 'owner' }

  beforeEach(() => answer('feedback', 'label', undefined))

  it('of a caller is of an answer of its tenant that is still kept', async () => {
    const [kept, gone] = [eventAt(NOW_MS - 30 * DAY_MS), eventAt(NOW_MS - 30 * DAY_MS - 1)]
    const { status, body } = await send('POST', '/feedback', { answer: `acme:${kept}`, rating: 'right', comment: 'so' })
    expect([status, body]).toEqual([201, { version: 1, recorded: true }])
    expect(calls).toEqual([['flush'], ['feedback.label', { ...user, eventId: kept, rating: 'right', comment: 'so' }]])
    calls.length = 0
    for (const [of, code] of [
      [`acme:${gone}`, 'answer_expired'],
      [`globex:${kept}`, 'answer_unknown'],
      [7, 'answer_unknown'],
    ] as const) {
      expect((await send('POST', '/feedback', { answer: of, rating: 'right' })).body.error.code).toBe(code)
    }
    const stranger = await ask('/feedback', 'nobody', { method: 'POST', body: '{}' })
    expect([stranger.status, calls]).toEqual([401, []])
  })

  it('of a caller who is not known, or where answers are not signed, is not taken', async () => {
    const init = { method: 'POST', body: JSON.stringify({ answer: `acme:${eventAt(NOW_MS)}`, rating: 'right' }) }
    const stranger = await ask('/feedback', 'stranger', init)
    expect(stranger.body.error).toMatchObject({ code: 'unauthorized', message: 'A bearer token is needed' })
    const { answerTokens: _, ...unsigned } = options
    const headers = { authorization: 'Bearer owner', 'content-type': 'application/json' }
    const response = await createConsole(unsigned).request('/feedback', { ...init, headers })
    expect(await response.json()).toMatchObject({ error: { code: 'answer_unknown' } })
  })

  it('that something was wrong purges the answer by its own id', async () => {
    const sent = eventAt(NOW_MS)
    for (const [found, decisionId] of [
      [{ decisionId: 'made-earlier' }, 'made-earlier'],
      [undefined, sent],
    ] as const) {
      answer('recorded', 'one', found)
      calls.length = 0
      await send('POST', '/feedback', { answer: `acme:${sent}`, rating: 'wrong', comment: null })
      expect(calls.slice(1)).toEqual([
        ['feedback.label', { ...user, eventId: sent, rating: 'wrong' }],
        ['recorded.one', 'acme', sent],
        ['purges.purge', [{ kind: 'answer', tenant: 'acme', decisionId }]],
      ])
    }
  })

  it('of a reviewer is of a decision of its tenant', async () => {
    const label = (rating: string) => send('PUT', '/decisions/event-1/label', { rating, comment: 'read' })
    expect((await label('right')).body.error.code).toBe('decision_not_found')
    answer('recorded', 'one', { id: 'event-1', decisionId: 'event-1' })
    calls.length = 0
    expect(await label('right')).toMatchObject({
      status: 200,
      body: { id: 'event-1', rating: 'right', comment: 'read' },
    })
    expect(calls).toEqual([
      ['flush'],
      ['recorded.one', 'acme', 'event-1'],
      ['feedback.label', { ...user, source: 'reviewer', eventId: 'event-1', rating: 'right', comment: 'read' }],
    ])
  })

  it('has a rating, and a comment of at most 10 KiB', async () => {
    answer('recorded', 'one', { id: 'event-1', decisionId: 'event-1' })
    for (const [body, code] of [
      [{ rating: 'good' }, 'rating'],
      [{ rating: 'right', comment: 'é'.repeat(5_121) }, 'comment_too_long'],
      [{ rating: 'right', comment: 7 }, 'comment_too_long'],
      [{ rating: 'right', comment: '\ud800' }, 'invalid_unicode'],
      [{ rating: 'right', other: 1 }, 'unknown_field'],
      [{ rating: 'right', comment: 'é'.repeat(5_120) }, undefined],
    ] as const) {
      expect((await send('PUT', '/decisions/event-1/label', body)).body.error?.code).toBe(code)
    }
  })

  it('that cannot be stored is to be sent again', async () => {
    vi.spyOn(parts.feedback, 'label').mockRejectedValue(new RagGateError('store_unavailable', 'D1 does not answer'))
    const { status, headers } = await send('POST', '/feedback', { answer: `acme:${eventAt(NOW_MS)}`, rating: 'right' })
    expect([status, headers.get('retry-after')]).toEqual([503, '5'])
    vi.spyOn(parts.feedback, 'label').mockRejectedValue(new RagGateError('schema_outdated', 'no such table'))
    const outdated = await send('POST', '/feedback', { answer: `acme:${eventAt(NOW_MS)}`, rating: 'right' })
    expect([outdated.body.error.code, outdated.headers.get('retry-after')]).toEqual(['schema_outdated', null])
  })

  it('gives error rates for each policy, of refusals and of answers apart', async () => {
    const count = { policyId: 'p@1', verdict: 'refuse', right: 0, wrong: 0 }
    answer('feedback', 'counts', [
      { ...count, right: 30, wrong: 10 },
      { ...count, verdict: 'pass', right: 50, wrong: 5 },
      { ...count, verdict: 'advise', right: 3, wrong: 2 },
      { ...count, policyId: 'other@1', right: 900, wrong: 900 },
    ])
    answer('summaries', 'summary', {
      byPolicy: [
        { name: 'p@1', byVerdict: { pass: 100, advise: 20, refuse: 80 } },
        { name: 'of acme', byVerdict: { pass: 1, advise: 0, refuse: 1 } },
      ],
    })
    const { body } = await ask('/feedback')
    expect(body.policies).toMatchObject([
      {
        policy_id: 'p@1',
        refusals: { decisions: 80, right: 30, wrong: 10 },
        answers: { decisions: 120, right: 53, wrong: 7 },
        suggestion: null,
      },
      { policy_id: 'of acme', suggestion: { action: expect.any(String), because: expect.any(String) } },
    ])
  })
})

describe('the suggestion from labels', () => {
  const suggested = async (
    refusals: { readonly right: number; readonly wrong: number },
    answers: { readonly right: number; readonly wrong: number },
  ) => {
    const count = { policyId: 'cosine' }
    answer('feedback', 'counts', [
      { ...count, verdict: 'refuse', ...refusals },
      { ...count, verdict: 'pass', ...answers },
    ])
    answer('summaries', 'summary', {
      byPolicy: [{ name: 'cosine', byVerdict: { pass: 200, advise: 0, refuse: 200 } }],
    })
    return (await ask('/feedback')).body.policies[0].suggestion
  }
  const [many, few] = [
    { right: 20, wrong: 80 },
    { right: 19, wrong: 80 },
  ]

  it.each([
    [many, { right: 95, wrong: 5 }, 'raise', 0.05],
    [many, { right: 200, wrong: 0 }, 'lower', -0.05],
  ])('for refusals %j and answers %j is to %s', async (refusals, answers, action, by) => {
    expect(await suggested(refusals, answers)).toMatchObject({
      action,
      gate: 'min-top-cosine',
      from: 0.5,
      to: expect.closeTo(0.5 + by, 9),
      policy_id: expect.stringMatching(/^balanced@/),
    })
  })

  it.each([
    [few, { right: 200, wrong: 0 }],
    [many, { right: 99, wrong: 0 }],
    [many, { right: 94, wrong: 5 }],
    [many, { right: 0, wrong: 0 }],
  ])('for refusals %j and answers %j is to keep it', async (refusals, answers) => {
    expect(await suggested(refusals, answers)).toEqual({ action: 'keep', because: expect.any(String) })
  })
})

describe('an erasure', () => {
  const erase = (id: string, path = '') => ask(`/subjects/${id}${path}`, 'operator', { method: 'DELETE' })

  it('of more than one request erases is accepted, and goes on later', async () => {
    answer('erasures', 'erase', { finished: false, decisions: 10_000, questionTexts: 7 })
    const { status, body } = await erase('reader%2F1', '?tenant=acme')
    expect(calls).toEqual([['flush'], ['erasures.erase', 'acme', 'reader/1']])
    expect([status, body]).toMatchObject([
      202,
      { subject: 'reader/1', finished: false, erased: { decisions: 10_000, question_texts: 7 } },
    ])
    answer('erasures', 'erase', { finished: true, decisions: 0 })
    expect((await erase('x'.repeat(500))).status).toBe(200)
    expect((await erase('x'.repeat(501))).body.error).toMatchObject({ code: 'filter', param: 'id' })
  })
})

describe('an error', () => {
  const COMMENT = 'comment must be a string of at most 10240 bytes'
  const MONTHS = 'from=2026-01-01&to=2026-03-01'

  it.each([
    ['GET', '/stats?from=2026-02-01&to=2026-01-01', {}, 'from must be before to'],
    ['GET', '/stats?to=1800000000', {}, 'to must be ISO 8601 or milliseconds (not seconds) since 1970'],
    ['GET', '/stats?interval=week', {}, 'interval must be one of hour, day'],
    ['GET', `/stats?${MONTHS}&interval=hour`, {}, 'At most 31 days can be shown by the hour'],
    ['GET', '/stats?collection=', {}, 'collection must have 1 to 200 characters'],
    ['GET', '/stats/documents?sort=name', {}, 'sort must be one of confidence, decisions, change'],
    ['GET', '/stats/documents?min_decisions=1000000001', {}, 'min_decisions must be a number from 0 to 1000000000'],
    ['GET', '/decisions?saved=x', {}, 'saved must be one of refusal, cache'],
    ['GET', '/decisions?cursor=x', {}, 'The cursor does not belong to this list: begin without one'],
    ['GET', '/decisions/none', {}, 'There is no such decision'],
    ['GET', '/audit?limit=0', {}, 'limit must be a whole number from 1 to 1000'],
    ['GET', '/audit?tenant=globex', {}, 'A key reaches only its own tenant'],
    ['PUT', '/decisions/none/label', { rating: 'right' }, 'There is no such decision'],
    ['PUT', '/decisions/none/label', { rating: 1 }, 'rating must be right or wrong'],
    ['PUT', '/decisions/none/label', { answer: 1 }, 'The body may have only these members: rating, comment'],
    ['PUT', '/decisions/none/label', { rating: 'right', comment: 1 }, COMMENT],
    ['PUT', '/decisions/none/label', { rating: 'right', comment: '\ud800' }, 'comment is not well-formed Unicode'],
    ['POST', '/feedback', { policy: 1 }, 'The body may have only these members: answer, rating, comment'],
    ['POST', '/feedback', { rating: 'right' }, 'There is no such answer'],
    ['POST', '/feedback', { rating: 'right', answer: 'acme:old' }, 'The answer is too old: it is kept no more'],
    ['POST', '/replay', { rating: 1 }, 'The body may have only these members: policy'],
    ['POST', '/replay', {}, 'policy must be the id of a pushed policy or one of balanced, gone'],
    ['DELETE', `/subjects/${'x'.repeat(501)}`, {}, 'A subject has 1 to 500 characters'],
  ])('of %s %s tells what is wrong', async (method, path, sent, message) => {
    const { body } = await ask(path, 'owner', method === 'GET' ? {} : { method, body: JSON.stringify(sent) })
    expect(body.error.message).toBe(message)
  })

  it.each([
    ['/stats', 'stranger', 'A bearer token is needed'],
    ['/stats?tenant=a%20b', 'operator', 'tenant must be 1 to 64 of letters, digits, point, hyphen, underscore'],
  ])('of %s for %s tells what is wrong', async (path, id, message) => {
    expect((await ask(path, id)).body.error.message).toBe(message)
  })

  it.each([
    [{ rating: 1 }, 'rating'],
    [{ rating: 'right', comment: 1 }, 'comment'],
    [{ rating: 'right', comment: '\ud800' }, 'comment'],
    [{ rating: 'right' }, 'answer'],
  ])('of feedback %j names the member', async (sent, param) => {
    const { body } = await ask('/feedback', 'owner', { method: 'POST', body: JSON.stringify(sent) })
    expect(body.error.param).toBe(param)
  })

  it('of a replay names no policies where none is offered', async () => {
    const init = {
      method: 'POST',
      body: '{}',
      headers: { authorization: 'Bearer owner', 'content-type': 'application/json' },
    }
    const response = await createConsole({ ...options, policyNames: [] }).request('/replay', init)
    expect(await response.json()).toMatchObject({ error: { message: 'policy must be the id of a pushed policy' } })
  })
})

describe('what is new', () => {
  const decision = (id: string, escalate = 0) => ({ id, atMs: NOW_MS, escalate })
  const line = (id: string, escalate = false) => `${JSON.stringify({ id, at: '2026-06-10T12:34:56.000Z', escalate })}\n`

  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  /** The lines of a minute. */
  async function linesOf(path: string): Promise<string> {
    const response = await app.request(path, { headers: { authorization: 'Bearer owner' } })
    expect(response.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('no-store')
    const [text] = await Promise.all([response.text(), vi.advanceTimersByTimeAsync(POLLING.forMs)])
    return text
  }

  it('is asked for every two seconds for a minute, from where the last answer ended', async () => {
    answer('arrivals', 'start', 'start')
    answer('arrivals', 'since', { decisions: [], upTo: 'later' })
    expect(await linesOf('/decisions/live?since=event-1&verdict=pass')).toBe('\n'.repeat(30))
    const query = { tenant: 'acme', filter: { verdict: 'pass' } }
    expect(calls.slice(0, 4)).toEqual([
      ['flush'],
      ['arrivals.start', query, 'event-1'],
      ['arrivals.since', query, 'start'],
      ['arrivals.since', query, 'later'],
    ])
    expect(calls).toHaveLength(2 + 30)
  })

  it('is a line for each decision, and the last one tells why it ends early', async () => {
    answer('arrivals', 'start', 'start')
    answer('arrivals', 'since', {})
    vi.spyOn(parts.arrivals, 'since')
      .mockResolvedValueOnce({ decisions: [decision('a'), decision('b', 1)], upTo: 'later' } as never)
      .mockRejectedValueOnce(new RagGateError('store_unavailable', 'D1 does not answer'))
    const error = { error: { code: 'store_unavailable', message: 'D1 does not answer' } }
    expect(await linesOf('/decisions/live')).toBe(`${line('a')}${line('b', true)}${JSON.stringify(error)}\n`)
  })

  it('breaks off at a defect, which is not told', async () => {
    answer('arrivals', 'start', 'start')
    vi.spyOn(parts.arrivals, 'since').mockRejectedValueOnce(new TypeError('a defect'))
    await expect(linesOf('/decisions/live')).rejects.toThrow('a defect')
  })
})

it('a path tells its methods to others, in order', async () => {
  for (const [path, allowed] of [
    ['/feedback', 'GET, POST'],
    ['/decisions/x/label', 'PUT'],
  ]) {
    const { status, headers, body } = await ask(path!, 'owner', { method: 'PATCH' })
    expect([status, headers.get('allow'), body.error.message]).toEqual([405, allowed, `Use ${allowed} here`])
    expect(headers.get('cache-control')).toBe('no-store')
  }
})
