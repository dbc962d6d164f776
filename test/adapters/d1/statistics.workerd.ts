import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createD1DecisionStore } from '../../../src/adapters/d1/decision-store.ts'
import { createD1Statistics } from '../../../src/adapters/d1/statistics.ts'
import type { Decision } from '../../../src/core/policy/decision.ts'
import type { DecisionEvent } from '../../../src/ports/decision-log.ts'
import { aDecision, anEvent } from '../../fixtures/decision.ts'

const statistics = createD1Statistics({ db: env.DB })
const store = createD1DecisionStore({ db: env.DB })
const HOUR_MS = 3_600_000
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

/** Rows that D1 says it read for a summary. */
async function rowsRead(tenant: string): Promise<number> {
  const batch = vi.spyOn(env.DB, 'batch')
  await statistics.summary({ tenant, fromMs: START_MS, toMs: START_MS + 2 * HOUR_MS })
  const results = await Promise.all(batch.mock.results.map(({ value }) => value as Promise<D1Result[]>))
  batch.mockRestore()
  return results.flat().reduce((sum, { meta }) => sum + meta.rows_read, 0)
}

/** Events in two hours with two verdicts. */
function eventsIn(count: number): [Partial<Decision>, Partial<DecisionEvent>][] {
  return Array.from({ length: count }, (_, at) => [
    { verdict: at % 2 === 0 ? 'pass' : 'refuse' },
    { atMs: START_MS + (at % 2) * HOUR_MS },
  ])
}

describe('summary', () => {
  it('adds up a period of one tenant', async () => {
    const pass: Partial<Decision> = { verdict: 'pass', band: 'high', confidence: 0.75 }
    const refuse: Partial<Decision> = { verdict: 'refuse', band: 'very-low', confidence: 0.25, reason: WEAK }
    const usage = { inputTokens: 100, outputTokens: 20 }
    await write('summed', [
      [pass, { atMs: START_MS - 1 }],
      [pass, { atMs: START_MS, timings: { totalMs: 30 }, model: 'model-1', usage }],
      [pass, { atMs: START_MS + 5, timings: { totalMs: 10 }, cache: 'hit' }],
      [refuse, { atMs: START_MS + HOUR_MS - 1, timings: {} }],
      [
        refuse,
        { atMs: START_MS + 2 * HOUR_MS, timings: {}, mode: 'observe', cache: 'bypass', model: 'model-1', usage },
      ],
      [refuse, { atMs: START_MS + 3 * HOUR_MS }],
    ])
    await write('summed-too', [[pass, { atMs: START_MS }]])

    const period = { tenant: 'summed', fromMs: START_MS + 1, toMs: START_MS + 2 * HOUR_MS + 1 }
    expect(await statistics.summary(period)).toEqual({
      fromMs: START_MS,
      toMs: START_MS + 3 * HOUR_MS,
      events: 4,
      byVerdict: { pass: 2, advise: 0, refuse: 2 },
      byCache: { hit: 1, miss: 2, bypass: 1, stale: 0, 'evidence-hit': 0 },
      byBand: { high: 2, medium: 0, low: 0, 'very-low': 2 },
      byReason: { passed: 2, weak: 2 },
      byMode: { enforce: 3, observe: 1 },
      meanConfidence: 0.5,
      meanTotalMs: 20,
      modelCalls: 2,
      inputTokens: 200,
      outputTokens: 40,
      hours: [
        {
          hourMs: START_MS,
          events: 3,
          byVerdict: { pass: 2, advise: 0, refuse: 1 },
          byCache: { hit: 1, miss: 2, bypass: 0, stale: 0, 'evidence-hit': 0 },
        },
        {
          hourMs: START_MS + 2 * HOUR_MS,
          events: 1,
          byVerdict: { pass: 0, advise: 0, refuse: 1 },
          byCache: { hit: 0, miss: 0, bypass: 1, stale: 0, 'evidence-hit': 0 },
        },
      ],
    })
  })

  it('is zeros for a period without decisions', async () => {
    const summary = await statistics.summary({ tenant: 'nobody', fromMs: START_MS, toMs: START_MS + HOUR_MS })
    expect(summary).toMatchObject({ events: 0, byReason: {}, meanConfidence: null, meanTotalMs: null, hours: [] })
    expect(summary.byVerdict).toEqual({ pass: 0, advise: 0, refuse: 0 })
  })

  it('reads as many rows for a thousand decisions as for ten', async () => {
    await write('few', eventsIn(10))
    await write('many', eventsIn(1_000))
    const few = await rowsRead('few')
    expect(few).toBeGreaterThan(0)
    expect(await rowsRead('many')).toBe(few)
  })

  it.each([
    [1, 1],
    [2, 1],
    [Number.NaN, 1],
    [0, Number.POSITIVE_INFINITY],
  ])('refuses a period from %d to %d', async (fromMs, toMs) => {
    await expect(statistics.summary({ tenant: 'any', fromMs, toMs })).rejects.toMatchObject({ code: 'range' })
  })
})

describe('check', () => {
  const undo: string[] = []
  afterEach(async () => {
    for (const statement of undo.splice(0)) await env.DB.prepare(statement).run()
  })

  it('is content with the migrated database', async () => {
    await expect(statistics.check()).resolves.toBeUndefined()
  })

  it('and summary say that a table is missing', async () => {
    await env.DB.prepare('ALTER TABLE decision_rollups RENAME TO gone').run()
    undo.push('ALTER TABLE gone RENAME TO decision_rollups')
    await expect(statistics.check()).rejects.toMatchObject({ code: 'schema_outdated' })
    const period = { tenant: 'any', fromMs: START_MS, toMs: START_MS + 1 }
    await expect(statistics.summary(period)).rejects.toMatchObject({ code: 'schema_outdated' })
  })

  it('says that a column is missing', async () => {
    await env.DB.prepare('ALTER TABLE decision_rollups RENAME COLUMN events TO gone').run()
    undo.push('ALTER TABLE decision_rollups RENAME COLUMN gone TO events')
    await expect(statistics.check()).rejects.toMatchObject({ code: 'schema_outdated' })
  })

  it('says that the trigger is missing', async () => {
    const trigger = await env.DB.prepare(`SELECT sql FROM sqlite_master WHERE type = 'trigger'`).first<{
      sql: string
    }>()
    await env.DB.prepare('DROP TRIGGER decisions_are_counted').run()
    undo.push(trigger!.sql)
    await expect(statistics.check()).rejects.toMatchObject({ code: 'schema_outdated' })
  })
})
