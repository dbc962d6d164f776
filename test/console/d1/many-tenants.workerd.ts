/** The jobs of a console with very many tenants: what one run asks of D1, and that each tenant has its turn. */
import { env } from 'cloudflare:workers'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { createD1Counting } from '../../../packages/console/src/d1/counting.ts'
import { consoleJobs, runJobs } from '../../../packages/console/src/jobs/jobs.ts'
import { watchAlerts, watchTenants } from '../../../packages/console/src/jobs/watch-alerts.ts'
import type { ConsoleOptions } from '../../../packages/console/src/options.ts'
import { openConsole } from '../../../packages/console/src/parts.ts'
import { createD1DecisionStore } from '../../../src/adapters/d1/decision-store.ts'
import { metered } from '../../fixtures/metered-database.ts'
import { recordTraffic, TRAFFIC_START_MS } from '../../fixtures/recorded-traffic.ts'

const HOUR_MS = 3_600_000
const NOW_MS = Date.UTC(2026, 5, 10, 12, 30)
/** D1's limit for one invocation. */
const MOST_STATEMENTS = 1_000

function options(db: ConsoleOptions['db'], nowMs = NOW_MS): ConsoleOptions {
  return { db, authenticate: () => null, clock: { nowMs: () => nowMs }, exports: { bucket: env.TEST_EXPORTS } }
}

const cell = (verdict: string, decisions: number) => ({
  [`["${verdict}","low","miss","enforce","no_evidence","served","manual","balanced@1"]`]: { n: decisions },
})

/** Tenants with sixty decisions of the last hour. */
async function count(tenants: number, counts: object): Promise<void> {
  await env.DB.prepare(
    `INSERT INTO decision_rollups (tenant, span_ms, start_ms, part, counts)
    WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ?1)
    SELECT printf('tenant-%05d', n), span.value, ?2 - ?2 % span.value, 0, ?3
    FROM numbers, json_each('[3600000, 86400000]') AS span`,
  )
    .bind(tenants, NOW_MS - HOUR_MS, JSON.stringify(counts))
    .run()
}

const countRefusals = (tenants: number): Promise<void> => count(tenants, cell('refuse', 60))

afterEach(async () => {
  await env.DB.batch(
    [
      ...['decision_rollups', 'isolates', 'alerts', 'jobs', 'decisions', 'late_decisions'].map(
        (table) => `DELETE FROM ${table}`,
      ),
      'UPDATE removed_decisions SET before_ms = 0',
      'UPDATE counted_decisions SET place = 0',
    ].map((sql) => env.DB.prepare(sql)),
  )
})

// Thousands of rows may outlast the reset before the next file.
afterAll(() => env.DB.batch([env.DB.prepare('DELETE FROM decisions')]))

describe('the jobs of a console', () => {
  // Otherwise `jobs.workerd.ts` looks at them through the cron triggers.
  it.runIf(env.TEST_DEEP)('fit one invocation with 10,000 tenants, all with too many refusals', async () => {
    await countRefusals(10_000)
    const meter = metered(env.DB)
    await runJobs(consoleJobs(options(meter.db)), options(meter.db))
    expect(meter.queries()).toBeLessThan(MOST_STATEMENTS)
  })

  it('alert the operator to lost decisions until a day has passed', async () => {
    await recordTraffic(env.DB, 'operator', 10)
    const startMs = TRAFFIC_START_MS + HOUR_MS
    await createD1DecisionStore({ db: env.DB }).noteDropped!({ isolate: 'gone', dropped: 7, atMs: startMs })
    const at = (nowMs: number): ConsoleOptions => ({
      ...options(env.DB, nowMs),
      alerts: { operatorTenant: 'operator' },
    })
    const open = async () =>
      (await env.DB.prepare('SELECT tenant, kind, value FROM alerts WHERE closed_ms IS NULL').all()).results
    const now = at(startMs + HOUR_MS)
    await runJobs({ alerts: consoleJobs(now).alerts! }, now)
    expect(await open()).toEqual([{ tenant: 'operator', kind: 'decisions_lost', value: 7 }])
    const later = at(startMs + 48 * HOUR_MS)
    await runJobs({ alerts: consoleJobs(later).alerts! }, later)
    expect(await open()).toEqual([])
  })

  it('evaluate a thousand tenants in one run, and the others in the next', async () => {
    await count(1_050, { ...cell('pass', 54), ...cell('refuse', 6) })
    const meter = metered(env.DB)
    const looked: number[] = []
    for (let runs = 0; runs < 2; runs++) {
      const now = options(meter.db)
      const parts = openConsole(now)
      const figures = vi.spyOn(parts.summaries, 'summaries')
      await runJobs({ alerts: () => watchAlerts(parts) }, now)
      looked.push(new Set(figures.mock.calls.flatMap(([tenants]) => tenants)).size)
    }
    expect(looked).toEqual([1_000, 50])
    expect(meter.queries()).toBeLessThan(150)
  })

  it.runIf(env.TEST_DEEP)('evaluate every tenant in turn', async () => {
    await countRefusals(500)
    const alerted = async () =>
      (await env.DB.prepare('SELECT count(DISTINCT tenant) AS n FROM alerts').first<{ n: number }>())?.n
    const seen: unknown[] = []
    for (let runs = 0; runs < 2; runs++) {
      const now = options(env.DB)
      await runJobs({ alerts: consoleJobs(now).alerts! }, now)
      seen.push(await alerted())
    }
    expect(seen[0]).toBeGreaterThanOrEqual(270)
    expect(seen).toEqual([seen[0], 500])
    // A day and a half later nothing was asked since: each alert is closed in the same turns.
    const later = options(env.DB, NOW_MS + 36 * HOUR_MS)
    for (let runs = 0; runs < 3; runs++) await runJobs({ alerts: consoleJobs(later).alerts! }, later)
    const open = await env.DB.prepare('SELECT count(*) AS n FROM alerts WHERE closed_ms IS NULL').first<{ n: number }>()
    expect(open?.n).toBe(0)
  })
})

describe('alerts', () => {
  const idle = `INSERT INTO decision_rollups
    WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < 9999)
    SELECT 'idle-' || n, 86400000, 0, 0, '{}' FROM numbers`
  const alerted = async () =>
    (await env.DB.prepare('SELECT DISTINCT tenant FROM alerts ORDER BY tenant').all()).results.map(
      (row) => row['tenant'],
    )

  it('of active tenants are found in the next run, after 10,000 idle ones', async () => {
    await env.DB.prepare(idle).run()
    await countRefusals(3)
    const now = options(env.DB)
    await runJobs({ alerts: consoleJobs(now).alerts! }, now)
    expect(await alerted()).toEqual(['tenant-00000', 'tenant-00001', 'tenant-00002'])
  })

  it('of other tenants are found when the figures of one cannot be read, which fails the job', async () => {
    await countRefusals(70)
    await env.DB.prepare(`UPDATE decision_rollups SET counts = '{' WHERE tenant = 'tenant-00007'`).run()
    const meter = metered(env.DB)
    const parts = openConsole(options(meter.db))
    await expect(watchAlerts(parts)).rejects.toMatchObject({ code: 'store_unavailable' })
    const names = await alerted()
    expect(names).toHaveLength(69)
    expect(names).not.toContain('tenant-00007')
    expect(meter.queries()).toBeLessThan(70 * 3 + 60)
  })

  it('that could not be stored are found in the next run, even if nothing was counted since', async () => {
    await countRefusals(2)
    const now = options(env.DB)
    const parts = openConsole(now)
    vi.spyOn(parts.alerts, 'update').mockRejectedValueOnce(new Error('D1 is away'))
    await expect(watchAlerts(parts)).rejects.toThrow('D1 is away')
    expect(await alerted()).toEqual(['tenant-00001'])
    await env.DB.prepare('DELETE FROM alerts').run()
    await watchAlerts(parts)
    expect(await alerted()).toEqual(['tenant-00000', 'tenant-00001'])
    // A round without failures is over until more is counted.
    await env.DB.prepare('DELETE FROM alerts').run()
    await watchAlerts(parts)
    expect(await alerted()).toEqual([])
  })

  it('are not evaluated tenant by tenant when the database does not answer', async () => {
    await countRefusals(70)
    const parts = openConsole(options(env.DB))
    const failing = async (): Promise<never> => {
      throw new Error('D1 is gone')
    }
    const summaries = vi.spyOn(parts.summaries, 'summaries').mockImplementation(failing)
    const summedUp = parts.counting.summedUp.bind(parts.counting)
    vi.spyOn(parts.counting, 'summedUp').mockImplementation(failing).mockImplementationOnce(summedUp)
    await expect(watchAlerts(parts)).rejects.toThrow('D1 is gone')
    // One statement of each 25.
    expect(summaries).toHaveBeenCalledTimes(3)
  })

  it('of many tenants become one message per 25 tenants when a queue is given', async () => {
    await countRefusals(120)
    const sent: (readonly string[])[] = []
    const spread = async (tenants: readonly string[], turn: number) => {
      expect(turn).toBe(sent.length)
      sent.push(tenants)
    }
    const now = { ...options(env.DB), alerts: { spread } }
    for (let runs = 0; runs < 2; runs++) await runJobs({ alerts: consoleJobs(now).alerts! }, now)
    // Nothing was counted in between, and nothing is open.
    expect(sent.map((tenants) => tenants.length)).toEqual([25, 25, 25, 25, 20])
    expect(await alerted()).toEqual([])
    for (const tenants of sent) await watchTenants(openConsole(now), tenants)
    expect(await alerted()).toHaveLength(120)
  })
})

describe('the cost of statistics', () => {
  it('is at most 3,000 rows for an overview of mixed traffic with the week before', async () => {
    const collections = Array.from({ length: 11 }, (_, at) => `collection-${at}`)
    await recordTraffic(env.DB, 'mixed', 3_000, { days: 14, collections })
    const meter = metered(env.DB)
    const { summaries, alerts, policies } = openConsole(options(meter.db))
    const weekMs = 168 * HOUR_MS
    for (const fromMs of [TRAFFIC_START_MS, TRAFFIC_START_MS + weekMs]) {
      const summary = await summaries.summary({ tenant: 'mixed', fromMs, toMs: fromMs + weekMs })
      expect(summary.byCollection).toHaveLength(11)
    }
    await alerts.list('mixed', 100)
    await policies.known('mixed')
    expect(meter.rowsRead()).toBeLessThanOrEqual(3_000)
  })

  it.each([
    ['default', 1],
    ['written', 2],
  ])(
    'for the tenant %s is %d rows written per decision, and at most one more once it is counted',
    async (tenant, rows) => {
      const meter = metered(env.DB)
      const count = 100
      for (let number = 0; number < count; number++) {
        await recordTraffic(meter.db, tenant, number + 1, { from: number, spacingMs: 60_000, counted: false })
      }
      expect(meter.rowsWritten()).toBe(rows * count)
      meter.reset()
      await openConsole(options(meter.db)).counting.count()
      expect(meter.rowsWritten() / count).toBeLessThanOrEqual(1)
      meter.reset()
      await openConsole(options(meter.db)).counting.count()
      expect(meter.rowsWritten()).toBe(0)
      expect(meter.rowsRead()).toBeLessThanOrEqual(12)
    },
  )

  it('is one row for each isolate of the period, not of all days, for lost decisions', async () => {
    await env.DB.prepare(
      `INSERT INTO isolates (id, first_ms, last_ms, highest_sequence, recorded, dropped, rejected)
      WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < 4999)
      SELECT 'isolate-' || n, n * 3600000, n * 3600000, 10, 10, 0, 0 FROM numbers`,
    ).run()
    const meter = metered(env.DB)
    const { summaries } = openConsole(options(meter.db))
    const recording = await summaries.recording(4_976 * HOUR_MS, 5_000 * HOUR_MS)
    expect(recording).toMatchObject({ isolates: 24, recorded: 240, missing: 0 })
    expect(meter.rowsRead()).toBeLessThanOrEqual(100)
  })
})

describe('a backlog of uncounted decisions', () => {
  it('is counted in parts, and a summary reports when it is incomplete', async () => {
    // A slice and more; in deep runs more than a summary counts at once.
    const [count, part] = env.TEST_DEEP ? [20_500, 20_000] : [5_500, 5_000]
    await recordTraffic(env.DB, 'waiting', count, { counted: false })
    const { summaries, counting } = openConsole(options(env.DB))
    const period = { tenant: 'waiting', fromMs: TRAFFIC_START_MS, toMs: TRAFFIC_START_MS + 24 * HOUR_MS }
    if (env.TEST_DEEP) expect(await summaries.summary(period)).toMatchObject({ complete: false, decisions: part })
    else expect(await counting.count('sums', 1)).toBe(false)
    expect(await summaries.summary({ ...period, uncounted: 'leave' })).toMatchObject({
      complete: false,
      decisions: part,
    })
    expect(await summaries.summary(period)).toMatchObject({ complete: true, decisions: count })
  })

  it('is counted four parts of each kind at a time, however many there are', async () => {
    const batch = vi.fn<() => Promise<unknown>>(async () => [{ results: [] }, { results: [{}] }])
    const counting = createD1Counting({ db: { prepare: () => ({}), batch } as unknown as D1Database })
    expect([await counting.count(), batch.mock.calls.length]).toEqual([false, 8])
    expect([await counting.count('sums'), batch.mock.calls.length]).toEqual([false, 12])
  })
})
