/** What the pages of the statistics cost, by D1's own count of rows read: it must not grow with the traffic. */
import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { createD1Counting } from '../../../packages/console/src/d1/counting.ts'
import { createD1RecordedDecisions } from '../../../packages/console/src/d1/recorded-decisions.ts'
import { createD1Statistics } from '../../../packages/console/src/d1/statistics.ts'
import { createD1WeakSpots } from '../../../packages/console/src/d1/weak-spots.ts'
import { uuidv7 } from '../../../src/core/lib/ids.ts'
import { metered } from '../../fixtures/metered-database.ts'
import { recordTraffic, TRAFFIC_START_MS } from '../../fixtures/recorded-traffic.ts'

const meter = metered(env.DB)
const statistics = createD1Statistics({ db: meter.db })
const recorded = createD1RecordedDecisions({ db: meter.db })
const spots = createD1WeakSpots({ db: meter.db })
const DAY_MS = 86_400_000
/** More than the rows that a page looks at. */
const FEW = 2_500
const MANY = env.TEST_DEEP ? 25_000 : 7_500

beforeAll(async () => {
  await recordTraffic(env.DB, 'few', FEW)
  await recordTraffic(env.DB, 'many', MANY)
}, 120_000)

const period = { fromMs: TRAFFIC_START_MS, toMs: TRAFFIC_START_MS + DAY_MS }

const PAGES: Readonly<Record<string, (tenant: string) => Promise<unknown>>> = {
  'the summary by the hour': (tenant) => statistics.summary({ tenant, ...period }),
  'the summary by the day': (tenant) => statistics.summary({ tenant, ...period, interval: 'day' }),
  'the summary of one verdict': (tenant) => statistics.summary({ tenant, ...period, filter: { verdict: 'refuse' } }),
  'the latest decisions': (tenant) => recorded.list({ tenant, ...period, limit: 50 }),
  'the latest refusals': (tenant) => recorded.list({ tenant, ...period, limit: 50, filter: { verdict: 'refuse' } }),
  'decisions that there are not': (tenant) =>
    recorded.list({ tenant, ...period, limit: 50, filter: { reason: 'none' } }),
  'a decision': async (tenant) => expect(await recorded.one(tenant, await lastOf(tenant))).toBeDefined(),
  'a decision that there is not': async (tenant) => expect(await recorded.one(tenant, LATER)).toBeUndefined(),
  'content gaps': (tenant) => spots.contentGaps({ tenant, ...period, limit: 20 }),
  'document trends': (tenant) =>
    spots.documents({ tenant, ...period, limit: 20, weakBelow: 0.7, minDecisions: 1, sort: 'confidence' }),
}

/** A UUIDv7 of an hour after all of them. */
const LATER = uuidv7(TRAFFIC_START_MS + DAY_MS + 3_600_000, '00000000-0000-4000-8000-000000000000')

async function lastOf(tenant: string): Promise<string> {
  const last = env.DB.prepare('SELECT id FROM decisions WHERE tenant = ?1 ORDER BY at_ms DESC, id DESC').bind(tenant)
  return (await last.first<string>('id')) ?? ''
}

async function rowsRead(page: (tenant: string) => Promise<unknown>, tenant: string): Promise<number> {
  meter.reset()
  await page(tenant)
  return meter.rowsRead()
}

describe('several times as many decisions', () => {
  it.each(Object.entries(PAGES))('cost no more rows for %s', async (_, page) => {
    const few = await rowsRead(page, 'few')
    const many = await rowsRead(page, 'many')
    // Where the range of an index ends among others, a row more is looked at.
    expect(many).toBeLessThanOrEqual(few + 8)
    expect(few).toBeLessThan(5_000)
  })

  it('exist in the tables', async () => {
    expect((await statistics.summary({ tenant: 'few', ...period })).decisions).toBe(FEW)
    expect((await statistics.summary({ tenant: 'many', ...period })).decisions).toBe(MANY)
  })
})

describe('refused questions of a day', () => {
  const AT_MS = TRAFFIC_START_MS + 100 * DAY_MS
  const query = { fromMs: AT_MS, toMs: AT_MS + DAY_MS, limit: 3 }

  /** Refused once, but for the last of each collection by its key. */
  async function refuseQuestions(tenant: string, count: number): Promise<void> {
    await env.DB.prepare(
      `INSERT INTO question_days
      WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?2)
      SELECT ?1, ?3, iif(n % 10 = 0, 'wiki', 'manual'), printf('%08d', n), 'k1', iif(n >= ?2 - 1, n % 10 + 2, 1), 0, ?3, 'x'
      FROM numbers`,
    )
      .bind(tenant, count, AT_MS)
      .run()
  }

  it('cost no more rows for the most refused ones, however many were refused', async () => {
    await refuseQuestions('few-gaps', 1_000)
    await refuseQuestions('many-gaps', 10_000)
    const few = await rowsRead((tenant) => spots.contentGaps({ tenant, ...query }), 'few-gaps')
    const many = await rowsRead((tenant) => spots.contentGaps({ tenant, ...query }), 'many-gaps')
    expect(many).toBeLessThanOrEqual(few + 8)
    expect(few).toBeLessThan(1_000)
  })

  it('are those refused several times, then others, of any collection', async () => {
    const gaps = async (collection?: string) =>
      (await spots.contentGaps({ tenant: 'many-gaps', ...query, ...(collection && { collection }) })).map(
        ({ questionHmac, refused }) => [Number(questionHmac), refused],
      )
    expect(await gaps()).toMatchObject([
      [9_999, 11],
      [10_000, 2],
      [expect.any(Number), 1],
    ])
    expect(await gaps('wiki')).toMatchObject([
      [10_000, 2],
      [expect.any(Number), 1],
      [expect.any(Number), 1],
    ])
    expect(await gaps('none')).toEqual([])
  })
})

describe('late decisions, after later ones were counted', () => {
  const COUNT = 5_500
  const spacingMs = 100
  const FIRST = (2 * DAY_MS) / spacingMs

  /** Rows that it takes to count them, a decision. */
  async function rowsToCount(tenant: string, from: number): Promise<number> {
    await recordTraffic(env.DB, tenant, from + COUNT, { from, spacingMs, counted: false })
    meter.reset()
    await createD1Counting({ db: meter.db }).count()
    return meter.rowsRead() / COUNT
  }

  it('are counted once, with at most nine more rows each', async () => {
    const onTime = await rowsToCount('on-time', FIRST)
    const late = await rowsToCount('late', FIRST - COUNT)
    expect(late).toBeGreaterThan(onTime)
    expect(late).toBeLessThan(onTime + 9.5)
    const days = { fromMs: TRAFFIC_START_MS, toMs: TRAFFIC_START_MS + 3 * DAY_MS }
    for (const tenant of ['on-time', 'late']) {
      expect(await statistics.summary({ tenant, ...days, interval: 'day' })).toMatchObject({
        decisions: COUNT,
        byVerdict: { refuse: COUNT / 5 },
      })
    }
    const gaps = await env.DB.prepare('SELECT tenant, sum(refused) AS n FROM question_days GROUP BY tenant').all()
    expect(gaps.results).toContainEqual({ tenant: 'late', n: COUNT / 5 })
    expect(await env.DB.prepare('SELECT count(*) AS n FROM late_decisions').first()).toEqual({ n: 0 })
    expect(await env.DB.prepare('SELECT DISTINCT decisions FROM counted_decisions').all()).toMatchObject({
      results: [{ decisions: FEW + MANY + 2 * COUNT }],
    })
  }, 60_000)
})
