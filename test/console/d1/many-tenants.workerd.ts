/** The jobs of a console with very many tenants: what one run asks of D1, and that each tenant has its turn. */
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it } from 'vitest'
import { consoleJobs, runJobs } from '../../../packages/console/src/jobs/jobs.ts'
import type { ConsoleOptions } from '../../../packages/console/src/options.ts'
import { metered } from '../../fixtures/metered-database.ts'

const HOUR_MS = 3_600_000
const NOW_MS = Date.UTC(2026, 5, 10, 12, 30)
/** D1's limit for one invocation. */
const MOST_STATEMENTS = 1_000

function options(db: ConsoleOptions['db'], nowMs = NOW_MS): ConsoleOptions {
  return { db, authenticate: () => null, clock: { nowMs: () => nowMs }, exports: { bucket: env.TEST_EXPORTS } }
}

const REFUSALS = JSON.stringify({ '["refuse","low","miss","enforce","no_evidence"]': { decisions: 60 } })

async function countRefusals(tenants: number): Promise<void> {
  await env.DB.prepare(
    `INSERT INTO decision_rollups (tenant, span_ms, start_ms, collection, policy_id, counts)
    WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ?1)
    SELECT printf('tenant-%05d', n), span.value, ?2 - ?2 % span.value, 'manual', 'balanced@1', ?3
    FROM numbers, json_each('[3600000, 86400000]') AS span`,
  )
    .bind(tenants, NOW_MS - HOUR_MS, REFUSALS)
    .run()
}

afterEach(async () => {
  await env.DB.batch(['decision_rollups', 'alerts', 'jobs'].map((table) => env.DB.prepare(`DELETE FROM ${table}`)))
})

describe('the jobs of a console', () => {
  it('fit one invocation with 10,000 tenants, all of which are refused too much', async () => {
    await countRefusals(10_000)
    const meter = metered(env.DB)
    await runJobs(consoleJobs(options(meter.db)), options(meter.db))
    expect(meter.queries()).toBeLessThan(MOST_STATEMENTS)
  })

  it('look at every tenant in turn', async () => {
    await countRefusals(250)
    const alerted = async () =>
      (await env.DB.prepare('SELECT count(DISTINCT tenant) AS n FROM alerts').first<{ n: number }>())?.n
    const seen: unknown[] = []
    for (let runs = 0; runs < 3; runs++) {
      await runJobs({ alerts: consoleJobs(options(env.DB)).alerts! }, options(env.DB))
      seen.push(await alerted())
    }
    expect(seen).toEqual([100, 200, 250])
    // A day and a half later nothing was asked since: each alert is closed in the same turns.
    const later = options(env.DB, NOW_MS + 36 * HOUR_MS)
    for (let runs = 0; runs < 3; runs++) await runJobs({ alerts: consoleJobs(later).alerts! }, later)
    const open = await env.DB.prepare('SELECT count(*) AS n FROM alerts WHERE closed_ms IS NULL').first<{ n: number }>()
    expect(open?.n).toBe(0)
  })
})
