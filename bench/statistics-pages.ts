/**
 * The cost of the statistics pages at a thousand, a hundred thousand and a million decisions in a week: rows read, as
 * counted by D1, and milliseconds; and rows read and written per recorded decision, in batches of 1,000.
 *
 *   npm run bench -- statistics-pages [-- most decisions]
 *
 * Decisions are generated in the database itself, each size in its own week and in order of time, under two collections
 * and two policies, and go through the same trigger as recorded traffic. Milliseconds are the median of 9 calls after a
 * warm-up, including the call to the local D1.
 */
import type { D1Database } from '@cloudflare/workers-types'
import { createD1RecordedDecisions } from '../packages/console/src/d1/recorded-decisions.ts'
import { createD1Statistics } from '../packages/console/src/d1/statistics.ts'
import { createD1WeakSpots } from '../packages/console/src/d1/weak-spots.ts'
import { metered } from '../test/fixtures/metered-database.ts'
import { recordTraffic, TRAFFIC_START_MS } from '../test/fixtures/recorded-traffic.ts'
import { markdownTable } from './markdown-table.ts'
import { databaseAlone, migrate } from './migrate.ts'

const MOST = Number(process.argv[2] ?? 1_000_000)
const SIZES = [1_000, 100_000, 1_000_000].filter((size) => size <= MOST)
const TURNS = 9
const WEEK_MS = 7 * 86_400_000

const miniflare = databaseAlone()
try {
  await migrate(miniflare)
  // Miniflare returns a D1 database under its own type.
  const db = (await miniflare.getD1Database('DB')) as unknown as D1Database
  for (const [at, size] of SIZES.entries()) {
    const recording = metered(db)
    const startedMs = performance.now()
    await recordTraffic(recording.db, `tenant-${size}`, size * (at + 1), { from: size * at, spacingMs: WEEK_MS / size })
    const perSecond = Math.round(size / ((performance.now() - startedMs) / 1_000))
    const [written, read] = [recording.rowsWritten() / size, recording.rowsRead() / size]
    console.log(`${size} recorded, ${perSecond} a second; rows: ${written.toFixed(2)} written, ${read.toFixed(0)} read`)
  }
  const rows: string[][] = []
  for (const [name, open] of Object.entries(pages(db))) {
    const cells = [name]
    for (const [at, size] of SIZES.entries()) cells.push(await cost(open, `tenant-${size}`, at))
    rows.push(cells)
  }
  console.log(markdownTable(['page', ...SIZES.map((size) => `${size} decisions`)], rows))
} finally {
  await miniflare.dispose()
}

/** Requests a page for a tenant and a period. */
type Page = (asked: { tenant: string; fromMs: number; toMs: number }) => Promise<unknown>
interface MeteredPage {
  readonly open: Page
  readonly meter: ReturnType<typeof metered>
}

function pages(db: D1Database): Readonly<Record<string, MeteredPage>> {
  const meter = metered(db)
  const statistics = createD1Statistics({ db: meter.db })
  const recorded = createD1RecordedDecisions({ db: meter.db })
  const spots = createD1WeakSpots({ db: meter.db })
  const trends = { limit: 20, weakBelow: 0.7, minDecisions: 1, sort: 'confidence' } as const
  const all: Readonly<Record<string, Page>> = {
    'summary by the hour': (asked) => statistics.summary(asked),
    'summary by the day': (asked) => statistics.summary({ ...asked, interval: 'day' }),
    'latest 50 decisions': (asked) => recorded.list({ ...asked, limit: 50 }),
    'latest 50 refusals': (asked) => recorded.list({ ...asked, limit: 50, filter: { verdict: 'refuse' } }),
    'decisions that there are not': (asked) => recorded.list({ ...asked, limit: 50, filter: { reason: 'none' } }),
    'one decision': async (asked) => {
      const { decisions } = await recorded.list({ ...asked, limit: 1 })
      meter.reset()
      return recorded.one(asked.tenant, decisions[0]?.id ?? '')
    },
    'content gaps': (asked) => spots.contentGaps({ ...asked, limit: 20 }),
    'document trends': (asked) => spots.documents({ ...asked, ...trends }),
  }
  return Object.fromEntries(Object.entries(all).map(([name, open]) => [name, { open, meter }]))
}

async function cost({ open, meter }: MeteredPage, tenant: string, week: number): Promise<string> {
  const fromMs = TRAFFIC_START_MS + week * WEEK_MS
  const asked = { tenant, fromMs, toMs: fromMs + WEEK_MS }
  await open(asked)
  const times: number[] = []
  for (let turn = 0; turn < TURNS; turn++) {
    meter.reset()
    const startedMs = performance.now()
    await open(asked)
    times.push(performance.now() - startedMs)
  }
  const [median = 0] = times.sort((a, b) => a - b).slice(Math.floor(TURNS / 2))
  return `${meter.rowsRead()} rows, ${median.toFixed(1)} ms`
}
