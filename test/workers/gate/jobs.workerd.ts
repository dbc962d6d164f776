/** The jobs of the cron trigger, where one of them fails. */
import { createScheduledController } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { watchTenants } from '@hono-rag-gate/console'
import { afterEach, expect, test, vi } from 'vitest'
import { compositionFor } from '../../../workers/gate/compose.ts'
import worker from '../../../workers/gate/index.ts'
import type { GateBindings } from '../../../workers/gate/bindings.ts'
import { policyNamed } from '../../../workers/gate/policies/policy-named.ts'
import { scaledFor } from '../../../src/core/scale/index.ts'
import { metered } from '../../fixtures/metered-database.ts'
import { recordTraffic, TRAFFIC_START_MS } from '../../fixtures/recorded-traffic.ts'
import { ADMIN, isolateBindings, workerOver } from '../../worker-requests.ts'

const OF_MANY = [
  'decision_rollups',
  'alerts',
  'collections',
  'pushed_policies',
  'erasures',
  'question_days',
  'feedback',
  'documents',
  'unpublished_chunks',
]

afterEach(async () => {
  vi.restoreAllMocks()
  vi.useRealTimers()
  for (const table of OF_MANY) await env.DB.prepare(`DELETE FROM ${table} WHERE tenant GLOB 'many-*'`).run()
  await env.DB.prepare('DELETE FROM jobs').run()
})

/** The first thing that each job asks for. */
function jobs() {
  const { idempotency, ingest, statistics } = compositionFor(isolateBindings)
  return {
    idempotency: vi.spyOn(idempotency, 'prune'),
    erasures: vi.spyOn(statistics.erasures, 'carryOn'),
    retention: vi.spyOn(statistics.retention, 'run'),
    alerts: vi.spyOn(statistics.summaries, 'tenantsAfter'),
    sweep: vi.spyOn(ingest.collections, 'abandoned'),
  }
}

test.each(['update', 'figures'] as const)(
  'the alerts of other tenants are evaluated when %s of one fails',
  async (failing) => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const { alerts, summaries } = compositionFor(isolateBindings).statistics
    vi.spyOn(summaries, 'tenantsAfter').mockResolvedValue(['acme', 'globex'])
    vi.spyOn(alerts, 'open').mockResolvedValue(
      new Map(['acme', 'globex'].map((each) => [each, new Set(['refusals_high'])])),
    )
    const looked = vi.spyOn(summaries, 'summaries')
    const update = vi.spyOn(alerts, 'update').mockResolvedValue()
    if (failing === 'update') update.mockRejectedValueOnce(new TypeError('down'))
    // Those of the deployment's own tenant are read first.
    else looked.mockRejectedValueOnce(new TypeError('down'))
    await worker.scheduled(createScheduledController(), isolateBindings)
    expect(new Set(looked.mock.calls.flatMap(([tenants]) => tenants))).toEqual(new Set(['default', 'acme', 'globex']))
    expect(update.mock.calls).toEqual([
      ['acme', []],
      ['globex', []],
    ])
    expect(logged).toHaveBeenCalledExactlyOnceWith(
      expect.stringContaining('the job alerts was not finished: TypeError'),
    )
  },
)

test('the alerts read the figures of at most 25 tenants at a time, of one period', async () => {
  const { alerts, summaries } = compositionFor(isolateBindings).statistics
  const tenants = Array.from({ length: 60 }, (_, at) => `many-${at}`)
  vi.spyOn(summaries, 'tenantsAfter').mockResolvedValue(tenants)
  vi.spyOn(alerts, 'open').mockResolvedValue(new Map([['many-0', new Set(['refusals_high'])]]))
  const read = summaries.summaries.bind(summaries)
  let now = 0
  let most = 0
  const looked = vi.spyOn(summaries, 'summaries').mockImplementation(async (some, period) => {
    most = Math.max(most, (now += some.length))
    return read(some, period).finally(() => (now -= some.length))
  })
  await worker.scheduled(createScheduledController(), isolateBindings)
  expect(new Set(looked.mock.calls.flatMap(([some]) => some))).toEqual(new Set(['default', ...tenants]))
  expect(most).toBe(25)
})

test.each(['idempotency', 'erasures', 'retention', 'alerts', 'sweep'] as const)(
  'the other jobs run when the job %s fails, and only the type of its error is logged',
  async (failing) => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const asked = jobs()
    asked[failing].mockRejectedValue(new TypeError("D1_ERROR: near 'canary of a tenant'"))
    await worker.scheduled(createScheduledController(), isolateBindings)
    for (const [name, job] of Object.entries(asked)) expect(job, name).toHaveBeenCalledOnce()
    expect(logged.mock.calls).toEqual([[expect.stringContaining(`the job ${failing} was not finished: TypeError`)]])
    expect(logged.mock.calls[0]![0]).not.toContain('canary')
  },
)

/** Tenants: fewer than in deep runs, with the same limits. */
const TENANTS = env.TEST_DEEP ? 10_000 : 500

const numbered = (count: number): string =>
  `WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ${count})`

interface Health {
  readonly jobs: readonly { readonly name: string; readonly failed: boolean; readonly behind_seconds: number }[]
}

const health = async (): Promise<Health> => (await workerOver(env).send('/health')).json()

test('/health reports when each job last ran, and how far it is behind', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  expect(await health()).toEqual({ status: 'ok', jobs: [] })
  const asked = jobs()
  const run = { removed: {}, finished: false, next: { tables: ['decisions'], tenants: {} } }
  asked.retention.mockResolvedValue(run)
  asked.alerts.mockRejectedValue(new TypeError('down'))
  const startedMs = Date.now()
  await worker.scheduled(createScheduledController(), isolateBindings)
  const { jobs: ran } = await health()
  expect(ran.map(({ name }) => name)).toEqual([
    'alerts',
    'counting',
    'erasures',
    'exports',
    'idempotency',
    'retention',
    'scales',
    'sweep',
  ])
  expect(ran.filter(({ failed }) => failed).map(({ name }) => name)).toEqual(['alerts'])
  // A later run of those that are behind does not hide since when.
  await env.DB.prepare('UPDATE jobs SET behind_since_ms = behind_since_ms - 7200000').run()
  await worker.scheduled(createScheduledController(), isolateBindings)
  const behind = (await health()).jobs.filter(({ behind_seconds: seconds }) => seconds > 0)
  expect(behind.map(({ name }) => name)).toEqual(['alerts', 'retention'])
  for (const { behind_seconds: seconds } of behind) {
    expect(seconds).toBeGreaterThanOrEqual(7_200)
    expect(seconds).toBeLessThanOrEqual(7_201 + (Date.now() - startedMs) / 1000)
  }
  // Retention goes on where it was stopped, and once it is done rests.
  expect(asked.retention.mock.lastCall).toEqual([undefined, run.next, undefined])
  asked.retention.mockResolvedValue({ ...run, finished: true })
  asked.alerts.mockRestore()
  for (let runs = 0; runs < 2; runs++) await worker.scheduled(createScheduledController(), isolateBindings)
  expect(asked.retention).toHaveBeenCalledTimes(3)
  expect((await health()).jobs.every(({ behind_seconds: seconds }) => seconds === 0)).toBe(true)
  // Nothing was run for a day.
  await env.DB.prepare('UPDATE jobs SET ran_ms = ran_ms - 86400000').run()
  expect((await health()).jobs.every(({ behind_seconds: seconds }) => seconds > 80_000)).toBe(true)
})

test('every job runs once in a quarter of an hour, and only the alerts in two triggers', async () => {
  const ranBy = async (...crons: readonly string[]): Promise<unknown[]> => {
    await env.DB.prepare('DELETE FROM jobs').run()
    for (const cron of crons) await worker.scheduled(createScheduledController({ cron }), isolateBindings)
    return (await env.DB.prepare('SELECT name FROM jobs ORDER BY name').all()).results
  }
  const turns = ['0,15,30,45 * * * *', '5,20,35,50 * * * *', '10,25,40,55 * * * *']
  const all = await ranBy('*/15 * * * *')
  expect(await ranBy(...turns)).toEqual(all)
  let ran = 0
  for (const turn of turns) ran += (await ranBy(turn)).length
  expect(ran).toBe(all.length + 1)
})

/** A cron expression of `wrangler.toml`, and what its jobs have to do: as much as one run takes, and more. */
const WORK: readonly (readonly [cron: string, sqls: readonly string[]])[] = [
  [
    '0,15,30,45 * * * *',
    [
      `INSERT INTO collections (tenant, id, corpus_version, embedding_model, dimension, policy_id, updated_at_ms)
        ${numbered(600)} SELECT printf('many-%05d', n / 2), 'c' || (n % 2), 1, 'words', 0, 'p@1', 1 FROM numbers`,
      `INSERT INTO pushed_policies (tenant, id, name, version, settings, pin, created_at_ms, created_by, why)
        ${numbered(300)} SELECT printf('many-%05d', n), 'p@1', 'p', 1, '{}', '{"collection":"c0"}', 1, '', '' FROM numbers`,
    ],
  ],
  [
    '5,20,35,50 * * * *',
    [
      `INSERT INTO erasures (tenant, principal_id, requested_ms, decided_until_place, erased)
        ${numbered(40)} SELECT printf('many-%05d', n), 'p', 1, -1, 0 FROM numbers`,
    ],
  ],
  [
    '10,25,40,55 * * * *',
    [
      `INSERT INTO question_days ${numbered(6 * TENANTS)} SELECT printf('many-%05d', n), n, 'c', 'h', 'k', 1, 0, 1, 'r' FROM numbers`,
      `INSERT INTO feedback (event_id, source, tenant, at_ms, rating, principal_id)
        ${numbered(6 * TENANTS)} SELECT 'many-' || n, 'user', printf('many-%05d', n), n, 'right', 'p' FROM numbers`,
      `INSERT INTO collections (tenant, id, corpus_version, embedding_model, dimension, updated_at_ms)
        ${numbered(200)} SELECT printf('many-%05d', n), 'swept', 1, 'words', 0, 1 FROM numbers`,
      `INSERT INTO documents (tenant, collection, id, content_hash, chunk_ids, embedding_model, dimension, updated_at_ms)
        ${numbered(200)} SELECT printf('many-%05d', n), 'swept', 'd', 'h', json_array('a' || n), 'words', 0, 1 FROM numbers`,
      `INSERT INTO unpublished_chunks
        ${numbered(2 * TENANTS)} SELECT printf('many-%05d', n % 200), 'swept', 'chunk-' || n, 1 FROM numbers`,
    ],
  ],
]

// The second asks the most, for exports and alerts, each until its own limit.
test.each(env.TEST_DEEP ? WORK : [WORK[1]!])(
  'the cron trigger %s needs under 1,000 statements of D1, however many tenants there are',
  async (cron, sqls) => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    const nowMs = Date.UTC(2026, 4, 10, 12)
    vi.useFakeTimers({ toFake: ['Date'] })
    vi.setSystemTime(nowMs)
    const cell = '["refuse","low","miss","enforce","no_evidence","served","c0","p@1"]'
    // Each tenant has days of the last week, of which nothing is left to be exported.
    const rollups = `INSERT INTO decision_rollups ${numbered(TENANTS)}
    SELECT printf('many-%05d', n), span.value, ${nowMs} - back.value * 86400000 - (${nowMs} % span.value), 0, json_object('${cell}', json_object('n', 60))
    FROM numbers, json_each('[3600000, 86400000]') AS span, json_each('[0, 1]') AS back`
    for (const sql of [rollups, ...sqls]) await env.DB.prepare(sql).run()
    const meter = metered(env.DB)
    const bindings = { ...isolateBindings, DB: meter.db, EXPORTS: env.TEST_EXPORTS }
    await worker.scheduled(createScheduledController({ cron }), bindings)
    expect(meter.queries()).toBeGreaterThan(100)
    expect(meter.queries()).toBeLessThan(1_000)
    // What is left over is done later, and does not begin again.
    const at = await env.DB.prepare(`SELECT cursor ->> '$.tenant' AS exports FROM jobs WHERE name = 'exports'`).first(
      'exports',
    )
    if (cron.startsWith('5')) expect(at).toMatch(/^many-004/)
  },
)

test('the alerts of a tenant need few statements, however many collections it has', async () => {
  const nowMs = Date.UTC(2026, 4, 10, 12, 30)
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.setSystemTime(nowMs)
  const cell = '["refuse","low","miss","enforce","no_evidence","served","c0","p@1"]'
  const sqls = [
    `INSERT INTO collections (tenant, id, corpus_version, embedding_model, dimension, updated_at_ms)
      ${numbered(1_200)} SELECT 'many-wide', 'c' || n, 1, 'words', 0, 1 FROM numbers`,
    `INSERT INTO decision_rollups SELECT 'many-wide', value, ${nowMs} - ${nowMs} % value, 0, json_object('${cell}', json_object('n', 60))
      FROM json_each('[3600000, 86400000]')`,
  ]
  for (const sql of sqls) await env.DB.prepare(sql).run()
  const meter = metered(env.DB)
  await watchTenants(compositionFor({ ...env, DB: meter.db }).statistics, ['many-wide'])
  expect(meter.queries()).toBeLessThan(20)
  const alerts = await env.DB.prepare(`SELECT kind FROM alerts WHERE tenant = 'many-wide'`).all()
  expect(alerts.results).toContainEqual({ kind: 'refusals_high' })
})

test('no route needs more than the 50 statements of the free plan, even with a backlog and a month of days', async () => {
  const period = `tenant=large&from=${TRAFFIC_START_MS}&to=${TRAFFIC_START_MS + 31 * 86_400_000}`
  await recordTraffic(env.DB, 'large', env.TEST_DEEP ? 12_000 : 5_500, { days: 20, counted: false })
  const meter = metered(env.DB)
  const { send, post } = workerOver({ ...env, DB: meter.db })
  const statements: Record<string, number> = {}
  const ask = async (name: string, sending: () => Promise<Response>): Promise<void> => {
    meter.reset()
    const { status } = await sending()
    expect([name, status < 300]).toEqual([name, true])
    statements[name] = meter.queries()
  }
  for (const path of ['stats', 'stats/content-gaps', 'stats/documents', 'decisions', 'audit', 'feedback', 'labels'])
    await ask(path, () => send(`/v1/${path}?${period}`, { headers: ADMIN }))
  for (const path of ['alerts', 'policies']) await ask(path, () => send(`/v1/${path}`, { headers: ADMIN }))
  await ask('stats of all', () => send(`/v1/stats?tenant=*`, { headers: ADMIN }))
  const documents = Array.from({ length: 100 }, (_, at) => ({
    id: `d${at}`,
    text: `Page ${at} tells of a lamp. `.repeat(400),
  }))
  await ask('documents', () => post('/v1/documents', { documents }, ADMIN))
  await ask('ask', () => post('/ask', { question: 'Which page tells of a lamp?' }))
  await ask('subjects', () => send('/v1/subjects/reader?tenant=large', { method: 'DELETE', headers: ADMIN }))
  expect(Math.max(...Object.values(statements))).toBeLessThanOrEqual(50)
})

test('with a queue, its consumer evaluates the tenants that a run sent to it, in as many invocations as needed', async () => {
  const nowMs = Date.UTC(2026, 4, 10, 12, 30)
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.setSystemTime(nowMs)
  const cell = '["refuse","low","miss","enforce","no_evidence","served","c0","p@1"]'
  await env.DB.prepare(
    `INSERT INTO decision_rollups ${numbered(200)}
    SELECT printf('many-%05d', n), span.value, ${nowMs} - (${nowMs} % span.value), 0, json_object('${cell}', json_object('n', 60))
    FROM numbers, json_each('[3600000, 86400000]') AS span`,
  ).run()
  const sent: { readonly body: unknown; readonly delaySeconds: number }[] = []
  const send = async (body: unknown, { delaySeconds = 0 }: { readonly delaySeconds?: number } = {}) =>
    void sent.push({ body, delaySeconds })
  const bindings = { ...isolateBindings, DECISIONS_QUEUE: { send } } as unknown as GateBindings
  for (const cron of ['5,20,35,50 * * * *', '0,15,30,45 * * * *'])
    await worker.scheduled(createScheduledController({ cron }), bindings)
  expect(sent.map(({ delaySeconds }) => delaySeconds)).toEqual([0, 2, 4, 6, 8, 10, 12, 14])
  const meter = metered(env.DB)
  const consumed = { ...bindings, DB: meter.db }
  let again: unknown[] = [...sent.map(({ body }) => body), null, 'no event']
  let invocations = 0
  for (; again.length > 2; invocations++) {
    const bodies = again.splice(0)
    meter.reset()
    const messages = bodies.map((body) => ({ body, ack: () => undefined, retry: () => again.push(body) }))
    await worker.queue({ queue: 'decisions', messages } as unknown as MessageBatch, consumed)
    expect(meter.queries()).toBeLessThan(1_000)
  }
  expect(again).toEqual([null, 'no event'])
  expect(invocations).toBe(2)
  const alerted = env.DB.prepare(`SELECT count(DISTINCT tenant) AS n FROM alerts WHERE tenant GLOB 'many-*'`)
  expect(await alerted.first('n')).toBe(200)
})

test('an idle day reads at most 20,000 rows, with idle tenants and a collection of 2,000 documents', async () => {
  const DAY_MS = 86_400_000
  await recordTraffic(env.DB, 'large', 2_000)
  const learnedAtMs = TRAFFIC_START_MS
  const embedding = { confidence: scaledFor(policyNamed(null)), embeddingModel: 'words' }
  const scale = JSON.stringify({
    kind: 'none',
    reason: 'too-few-windows',
    origin: 'documents',
    ...embedding,
    corpusVersion: 1,
    chunkCount: 4_000,
    windows: 0,
    learnedAtMs,
  })
  const many = numbered(TENANTS)
  const atMs = TRAFFIC_START_MS
  for (const sql of [
    `INSERT INTO decision_rollups ${many} SELECT 'many-' || n, ${DAY_MS}, ${atMs}, 0, '{}' FROM numbers`,
    `INSERT INTO question_days ${many} SELECT 'many-' || n, ${atMs}, 'manual', 'h', 'k', 1, 0, ${atMs}, 'r' FROM numbers`,
    `INSERT INTO feedback (event_id, source, tenant, at_ms, rating, principal_id)
      ${many} SELECT 'many-' || n, 'user', 'many-' || n, ${atMs}, 'right', 'p' FROM numbers`,
    `INSERT INTO audit_events (id, tenant, at_ms, type, payload)
      ${many} SELECT 'many-' || n, 'many-' || n, ${atMs}, 'T', '{}' FROM numbers`,
    `INSERT INTO answer_purges ${many} SELECT 'many-' || n, 's', ${atMs} FROM numbers`,
    `INSERT INTO alerts (id, tenant, kind, opened_ms, closed_ms, value, bound, decisions, message, untold)
      ${many} SELECT 'many-' || n, 'many-' || n, 'refusals_high', ${atMs}, ${atMs}, 1, 0, 60, '', 0 FROM numbers`,
    `INSERT INTO collections (tenant, id, corpus_version, embedding_model, dimension, scale, updated_at_ms)
      ${many} SELECT 'many-' || n, 'manual', 1, 'words', 0, '${scale}', ${atMs} FROM numbers`,
    `INSERT INTO collections (tenant, id, corpus_version, embedding_model, dimension, scale, updated_at_ms)
      VALUES ('large', 'manual', 2, 'words', 0, '${scale}', ${atMs})`,
    `INSERT INTO documents (tenant, collection, id, content_hash, chunk_ids, embedding_model, dimension, updated_at_ms)
      ${numbered(2_000)}
      SELECT 'large', 'manual', 'd' || n, 'h', json_array('a' || n, 'b' || n), 'words', 0, ${atMs} + (n = 0) FROM numbers`,
  ])
    await env.DB.prepare(sql).run()
  vi.useFakeTimers({ toFake: ['Date'] })
  const meter = metered(env.DB)
  const bindings = { ...isolateBindings, DB: meter.db }
  const run = async (day: number): Promise<void> => {
    vi.setSystemTime(TRAFFIC_START_MS + day * DAY_MS)
    await worker.scheduled(createScheduledController(), bindings)
  }
  // The first round finds out what is due when.
  await run(3)
  await run(3.8)
  meter.reset()
  // An hour, with a round of retention after midnight.
  for (let quarter = 0; quarter < 4; quarter++) {
    await run(4.02 + quarter / 96)
    // Runs are noted once an hour: that leaves none behind.
    expect((await health()).jobs.filter(({ behind_seconds: seconds }) => seconds > 0)).toEqual([])
  }
  expect(meter.rowsRead() * 24).toBeLessThanOrEqual(20_000)
  expect(meter.rowsWritten() * 24).toBeLessThanOrEqual(1_000)
  // One document of 2,000 is too little to learn again.
  const collection = await compositionFor(bindings).ingest.collections.find('large', 'manual')
  expect(collection?.scale).toMatchObject({ learnedAtMs, countedVersion: 2 })
})
