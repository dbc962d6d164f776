import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it } from 'vitest'
import { createD1DecisionStore } from '../../../src/adapters/d1/decision-store.ts'
import { createD1Statistics } from '../../../packages/console/src/d1/statistics.ts'
import { EVERY_TENANT } from '../../../packages/console/src/d1/statistics/wanted.ts'
import type { Decision } from '../../../src/core/policy/decision.ts'
import type { DecisionEvent } from '../../../src/ports/decision-log.ts'
import { aDecision, anEvent, seededRandom } from '../../fixtures/decision.ts'

const statistics = createD1Statistics({ db: env.DB })
const store = createD1DecisionStore({ db: env.DB })
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const START_MS = Date.UTC(2026, 4, 1, 10)

let made = 0
async function write(
  tenant: string,
  events: readonly [decision: Partial<Decision>, event: Partial<DecisionEvent>][],
): Promise<void> {
  await store.write(
    events.map(([decision, event]) => ({
      event: anEvent(`${tenant}-${++made}`, { decision: aDecision({ tenant, ...decision }), ...event }),
      isolate: tenant,
      sequence: made,
    })),
  )
}

/** Any text will do as a reason: the database does not know the codes. */
const WEAK = 'weak' as Decision['reason']

describe('summary', () => {
  it('sums a period of one tenant', async () => {
    const pass: Partial<Decision> = { verdict: 'pass', band: 'high', confidence: 0.75 }
    const refuse: Partial<Decision> = { verdict: 'refuse', band: 'very-low', confidence: 0.25, reason: WEAK }
    const usage = { inputTokens: 100, outputTokens: 20 }
    const measured = { by: 'cache', ...usage, modelCost: 0.5, retrievalCost: 0.125 } as const
    await write('summed', [
      [pass, { atMs: START_MS - 1 }],
      [pass, { atMs: START_MS, timings: { totalMs: 30 }, model: 'model-1', usage }],
      [pass, { atMs: START_MS + 5, timings: { totalMs: 10 }, cache: 'hit', saved: measured }],
      [refuse, { atMs: START_MS + HOUR_MS - 1, timings: {}, saved: { by: 'refusal' } }],
      [
        refuse,
        { atMs: START_MS + 2 * HOUR_MS, timings: {}, mode: 'observe', cache: 'bypass', model: 'model-1', usage },
      ],
      [refuse, { atMs: START_MS + 3 * HOUR_MS }],
    ])
    await write('summed-too', [[pass, { atMs: START_MS }]])

    const period = { tenant: 'summed', fromMs: START_MS + 1, toMs: START_MS + 2 * HOUR_MS + 1 }
    const summary = await statistics.summary(period)
    expect(summary).toMatchObject({
      fromMs: START_MS,
      toMs: START_MS + 3 * HOUR_MS,
      interval: 'hour',
      decisions: 4,
      byVerdict: { pass: 2, advise: 0, refuse: 2 },
      byCache: { hit: 1, miss: 2, bypass: 1, stale: 0, 'evidence-hit': 0 },
      byBand: { high: 2, medium: 0, low: 0, 'very-low': 2 },
      byReason: { passed: 2, weak: 2 },
      byMode: { enforce: 3, observe: 1 },
      byPolicy: [{ name: 'balanced@0123456789abcdef', decisions: 4, meanConfidence: 0.5 }],
      byCollection: [{ name: 'manual', decisions: 4 }],
      byTenant: [{ name: 'summed', decisions: 4 }],
      meanConfidence: 0.5,
      meanTotalMs: 20,
      modelCalls: 2,
      inputTokens: 200,
      outputTokens: 40,
      escalated: 0,
      savings: {
        callsAvoidedByCache: 1,
        callsAvoidedByRefusal: 1,
        shareAvoided: 0.5,
        measured: { calls: 1, ...usage },
        estimated: { calls: 0, inputTokens: 0, outputTokens: 0 },
        unknownCalls: 1,
        money: { calls: 1, modelCost: 0.5, retrievalCost: 0.125, net: 0.375 },
      },
      series: [
        {
          startMs: START_MS,
          decisions: 3,
          byVerdict: { pass: 2, advise: 0, refuse: 1 },
          byCache: { hit: 1, miss: 2, bypass: 0, stale: 0, 'evidence-hit': 0 },
          savings: { callsAvoidedByCache: 1, callsAvoidedByRefusal: 1, unknownCalls: 1, money: { net: 0.375 } },
        },
        {
          startMs: START_MS + 2 * HOUR_MS,
          decisions: 1,
          byVerdict: { pass: 0, advise: 0, refuse: 1 },
          byCache: { hit: 0, miss: 0, bypass: 1, stale: 0, 'evidence-hit': 0 },
          savings: { callsAvoidedByCache: 0, callsAvoidedByRefusal: 0, unknownCalls: 0, money: null },
        },
      ],
    })
    const filled = summary.confidenceHistogram.flatMap((bin, at) =>
      bin.pass + bin.advise + bin.refuse > 0 ? [[at, bin]] : [],
    )
    expect(summary.confidenceHistogram).toHaveLength(20)
    expect(filled).toEqual([
      [5, { pass: 0, advise: 0, refuse: 2 }],
      [15, { pass: 2, advise: 0, refuse: 0 }],
    ])
  })

  it('is narrowed by every part of a filter, in every figure', async () => {
    const base: Partial<Decision> = { verdict: 'refuse', band: 'low', confidence: 0.25, reason: WEAK }
    const differing: readonly [Partial<Decision>, Partial<DecisionEvent>][] = [
      [{ ...base, collection: 'wiki' }, {}],
      [{ ...base, policyId: 'other@1' }, {}],
      [{ ...base, verdict: 'advise' }, {}],
      [{ ...base, band: 'medium' }, {}],
      [{ ...base, reason: 'passed' as Decision['reason'] }, {}],
      [base, { cache: 'hit' }],
      [base, { mode: 'observe' }],
      [base, {}],
    ]
    await write(
      'filtered',
      differing.map(([decision, event]) => [decision, { atMs: START_MS, ...event }]),
    )
    const filter = {
      collection: 'manual',
      policyId: aDecision().policyId,
      verdict: 'refuse',
      band: 'low',
      reason: WEAK,
      cache: 'miss',
      mode: 'enforce',
    } as const
    const period = { tenant: 'filtered', fromMs: START_MS, toMs: START_MS + HOUR_MS }
    expect((await statistics.summary(period)).decisions).toBe(8)
    const narrowed = await statistics.summary({ ...period, filter })
    expect(narrowed.decisions).toBe(1)
    expect(narrowed.series.map(({ decisions }) => decisions)).toEqual([1])
    expect(narrowed.latency.all.counted).toBe(1)
    expect(narrowed.confidenceHistogram[5]).toEqual({ pass: 0, advise: 0, refuse: 1 })
    for (const [name, value] of Object.entries(filter)) {
      const seven = await statistics.summary({ ...period, filter: { [name]: value } })
      expect([name, seven.decisions]).toEqual([name, 7])
    }
  })

  it('returns percentiles within five per cent of the exact ones', async () => {
    const random = seededRandom(7)
    const times = Array.from({ length: 500 }, () => Math.exp(random() * 9))
    await write(
      'timed',
      times.map((totalMs) => [{}, { atMs: START_MS, timings: { totalMs } }]),
    )
    const { latency } = await statistics.summary({ tenant: 'timed', fromMs: START_MS, toMs: START_MS + HOUR_MS })
    const sorted = [...times].sort((a, b) => a - b)
    for (const [name, share] of [
      ['p50', 0.5],
      ['p90', 0.9],
      ['p95', 0.95],
      ['p99', 0.99],
    ] as const) {
      const exact = sorted[Math.ceil(share * times.length) - 1]!
      expect(Math.abs(latency.all[name]! / exact - 1), name).toBeLessThan(0.05)
    }
    expect(latency.all).toEqual(latency.uncached)
    expect(latency.cached).toEqual({ counted: 0, p50: null, p90: null, p95: null, p99: null })
  })

  it('by days equals the sum by hours', async () => {
    const random = seededRandom(3)
    await write(
      'daily',
      Array.from({ length: 300 }, () => [
        { confidence: random() },
        { atMs: START_MS + Math.floor(random() * 72) * HOUR_MS },
      ]),
    )
    const fromMs = Math.floor(START_MS / DAY_MS) * DAY_MS
    const period = { tenant: 'daily', fromMs, toMs: fromMs + 5 * DAY_MS }
    const [hours, days] = await Promise.all([
      statistics.summary(period),
      statistics.summary({ ...period, interval: 'day' }),
    ])
    expect(days.series.length).toBe(4)
    expect({
      ...days,
      series: [],
      interval: '',
      meanConfidence: 0,
      byPolicy: [],
      byCollection: [],
      byTenant: [],
    }).toEqual({ ...hours, series: [], interval: '', meanConfidence: 0, byPolicy: [], byCollection: [], byTenant: [] })
    expect(days.decisions).toBe(300)
    expect(days.meanConfidence).toBeCloseTo(hours.meanConfidence!, 12)
  })

  it('of all tenants sums them and names each', async () => {
    const atMs = START_MS + 400 * DAY_MS
    await write('each-a', [[{}, { atMs }]])
    await write('each-b', [
      [{}, { atMs }],
      [{}, { atMs }],
    ])
    const all = await statistics.summary({ tenant: EVERY_TENANT, fromMs: atMs, toMs: atMs + HOUR_MS })
    expect(all.decisions).toBe(3)
    const called = await statistics.summary({ tenant: 'all', fromMs: atMs, toMs: atMs + HOUR_MS })
    expect(called.decisions).toBe(0)
    expect(all.byTenant.map(({ name, decisions }) => [name, decisions])).toEqual([
      ['each-b', 2],
      ['each-a', 1],
    ])
  })

  it('contains the mean of what each gate measured of the answers it judged, refusals included', async () => {
    const finding = (actual?: number) => ({
      gate: 'evidence-share',
      stage: 'post-generation' as const,
      outcome: 'refuse' as const,
      code: 'x',
      message: '',
      ...(actual === undefined ? {} : { actual }),
    })
    const answerSignals = { readable: true } as Decision['answerSignals'] & {}
    const judged = (findings: Decision['findings']): [Partial<Decision>, Partial<DecisionEvent>] => [
      { findings, answerSignals },
      { atMs: START_MS },
    ]
    await write('shares', [
      judged([finding(0.9)]),
      judged([finding(0.3), { ...finding(0.99), gate: 'other' }]),
      // Without shares it was refused: it counts as 0.
      judged([finding()]),
      // Judged otherwise, or not at all.
      judged([{ ...finding(0.5), gate: 'other' }]),
      [{ findings: [finding(0.7)] }, { atMs: START_MS }],
    ])
    for (const interval of ['hour', 'day'] as const) {
      const period = { tenant: 'shares', fromMs: START_MS, toMs: START_MS + HOUR_MS, interval }
      const summary = await statistics.summary(period)
      expect(summary.answerGates).toEqual({
        'evidence-share': { counted: 3, mean: expect.closeTo(0.4, 9) as number },
        other: { counted: 2, mean: expect.closeTo(0.745, 9) as number },
      })
      // The other trigger counts each once, whichever comes first.
      expect(summary).toMatchObject({ decisions: 5, byVerdict: { pass: 5 } })
      expect(summary.confidenceHistogram[16]).toEqual({ pass: 5, advise: 0, refuse: 0 })
      expect((await statistics.summary({ ...period, filter: { verdict: 'refuse' } })).answerGates).toEqual({})
    }
  })

  it('sums more collections than fit in a row, each by itself too', async () => {
    // In one half of the collections, with names so long that few of them fill a row.
    const collections = Array.from({ length: 500 }, (_, at) => `${'x'.repeat(500)}-${at}-s`)
    for (const [at, verdict] of (['pass', 'refuse'] as const).entries()) {
      await write(
        'many-collections',
        collections.map((collection) => [{ verdict, collection }, { atMs: START_MS + at }]),
      )
      await statistics.summary({ tenant: 'many-collections', fromMs: START_MS, toMs: START_MS + HOUR_MS })
    }
    const sizes = `SELECT max(length(counts)) AS size, count(*) AS rows FROM decision_rollups WHERE tenant = 'many-collections'`
    expect(await env.DB.prepare(sizes).first()).toEqual({
      size: expect.toSatisfy((size: number) => size < 450_000),
      rows: 4,
    })
    const period = { tenant: 'many-collections', fromMs: START_MS, toMs: START_MS + HOUR_MS }
    for (const interval of ['hour', 'day'] as const) {
      const summary = await statistics.summary({ ...period, interval })
      expect(summary).toMatchObject({ decisions: 1_000, byVerdict: { pass: 500, refuse: 500 } })
      expect(summary.series).toHaveLength(1)
      expect(summary.byCollection).toHaveLength(500)
      const one = await statistics.summary({ ...period, interval, filter: { collection: collections[7]! } })
      expect(one).toMatchObject({ decisions: 2, byVerdict: { pass: 1, refuse: 1 } })
    }
  })

  it('contains zeros for a period without decisions', async () => {
    const summary = await statistics.summary({ tenant: 'nobody', fromMs: START_MS, toMs: START_MS + HOUR_MS })
    expect(summary).toMatchObject({ decisions: 0, byReason: {}, meanConfidence: null, meanTotalMs: null, series: [] })
    expect(summary.byVerdict).toEqual({ pass: 0, advise: 0, refuse: 0 })
  })

  it.each([
    [1, 1],
    [2, 1],
    [Number.NaN, 1],
    [0, Number.POSITIVE_INFINITY],
  ])('rejects a period from %d to %d', async (fromMs, toMs) => {
    await expect(statistics.summary({ tenant: 'any', fromMs, toMs })).rejects.toMatchObject({ code: 'range' })
  })
})

describe('check', () => {
  const undo: string[] = []
  afterEach(async () => {
    for (const statement of undo.splice(0)) await env.DB.prepare(statement).run()
  })

  it('accepts the migrated database', async () => {
    await expect(statistics.check()).resolves.toBeUndefined()
  })

  it('and summary report a missing table', async () => {
    await env.DB.prepare('ALTER TABLE decision_rollups RENAME TO gone').run()
    undo.push('ALTER TABLE gone RENAME TO decision_rollups')
    await expect(statistics.check()).rejects.toMatchObject({ code: 'schema_outdated' })
    const period = { tenant: 'any', fromMs: START_MS, toMs: START_MS + 1 }
    await expect(statistics.summary(period)).rejects.toMatchObject({ code: 'schema_outdated' })
  })

  it('reports a missing column', async () => {
    await env.DB.prepare('ALTER TABLE decision_rollups RENAME COLUMN counts TO gone').run()
    undo.push('ALTER TABLE decision_rollups RENAME COLUMN gone TO counts')
    await expect(statistics.check()).rejects.toMatchObject({ code: 'schema_outdated' })
  })

  it('reports the missing trigger', async () => {
    const trigger = await env.DB.prepare(
      `SELECT sql FROM sqlite_master WHERE type = 'trigger' AND name = 'decisions_are_counted'`,
    ).first<{ sql: string }>()
    await env.DB.prepare('DROP TRIGGER decisions_are_counted').run()
    undo.push(trigger!.sql)
    await expect(statistics.check()).rejects.toMatchObject({ code: 'schema_outdated' })
  })
})

describe('recording', () => {
  it('reports what isolates recorded, dropped, had rejected and lost', async () => {
    const atMs = START_MS + 500 * DAY_MS
    const numbered = (isolate: string, sequence: number) => ({
      event: anEvent(`${isolate}-${sequence}`, { atMs }),
      isolate,
      sequence,
    })
    await store.write([numbered('whole', 1), numbered('whole', 2), numbered('gappy', 2), numbered('gappy', 7)])
    await store.noteDropped!({ isolate: 'gappy', dropped: 3, atMs })
    expect(await statistics.recording(atMs, atMs + 1)).toEqual({
      isolates: 2,
      recorded: 4,
      dropped: 3,
      rejected: 0,
      missing: 2,
    })
    expect(await statistics.recording(atMs + 1, atMs + 2)).toMatchObject({ isolates: 0, recorded: 0, missing: 0 })
  })
})

it('tenants are summed in one statement, each by itself, without counting first', async () => {
  await write('together-a', [
    [{}, { atMs: START_MS }],
    [{ verdict: 'refuse' }, { atMs: START_MS + HOUR_MS }],
  ])
  await write('together-b', [[{}, { atMs: START_MS }]])
  await statistics.recording(0, 1)
  await write('together-b', [[{}, { atMs: START_MS + 1 }]])
  const period = { fromMs: START_MS, toMs: START_MS + HOUR_MS }
  const found = await statistics.summaries(['together-a', 'together-b', 'together-c'], period)
  expect([...found].map(([tenant, { decisions, complete }]) => [tenant, decisions, complete])).toEqual([
    ['together-a', 1, false],
    ['together-b', 1, false],
    ['together-c', 0, false],
  ])
})

it('tenants with decisions in whole days, or with an open alert, are listed behind a given one', async () => {
  const dayMs = Date.UTC(2027, 2, 3)
  for (const [tenant, atMs] of [
    ['active-a', dayMs],
    ['active-b', dayMs + DAY_MS - 1],
    ['active-c', dayMs - 1],
    ['active-d', dayMs + DAY_MS],
  ] as const) {
    await write(tenant, [[{}, { atMs }]])
  }
  await statistics.recording(0, 1)
  const after = (from: string, limit = -1) => statistics.tenantsAfter(from, limit, dayMs + 5, dayMs + DAY_MS)
  expect([await after('active'), await after('active', 1), await after('active-a')]).toEqual([
    ['active-a', 'active-b'],
    ['active-a'],
    ['active-b'],
  ])
  await env.DB.prepare(
    `INSERT INTO alerts (id, tenant, kind, opened_ms, value, bound, decisions, message, untold)
    VALUES ('open', 'active-d', 'refusals_high', 1, 1, 1, 1, '', 0)`,
  ).run()
  expect(await after('active')).toEqual(['active-a', 'active-b', 'active-d'])
})
