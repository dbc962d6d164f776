/**
 * What a day of recording, of the cron trigger and of an open dashboard costs at a thousand, a hundred thousand and a million
 * questions a day: rows by D1's own count, and dollars a month for them.
 *
 *   npm run bench -- statistics-cost [-- most questions a day]
 *
 * A day of mixed traffic (11 collections, two policies, five reasons) is recorded quarter of an hour by quarter, after each of
 * which the jobs run, as they do behind the cron trigger; the overview is asked for every minute of eight hours. Dollars are
 * those of D1's prices for rows, without what the paid plan includes: a million read .001, a million written 1. What is
 * stored is not among them: these decisions have no signals and findings.
 */
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import type { D1Database } from '@cloudflare/workers-types'
import { consoleJobs, runJobs } from '../packages/console/src/jobs/jobs.ts'
import type { ConsoleOptions } from '../packages/console/src/options.ts'
import { openConsole } from '../packages/console/src/parts.ts'
import { metered } from '../test/fixtures/metered-database.ts'
import { recordTraffic, TRAFFIC_START_MS } from '../test/fixtures/recorded-traffic.ts'
import { markdownTable } from './markdown-table.ts'
import { migrate } from './migrate.ts'

const MOST = Number(process.argv[2] ?? 1_000_000)
const SIZES = [1_000, 100_000, 1_000_000].filter((size) => size <= MOST)
const QUARTERS = 96
const DAY_MS = 86_400_000
const LOOKS = 8 * 60
const COLLECTIONS = Array.from({ length: 11 }, (_, at) => `collection-${at}`)

const rows: string[][] = []
for (const size of SIZES) rows.push(await dayOf(size))
console.log(
  markdownTable(
    [
      'questions a day',
      'rows written a decision',
      'rows read by a day of cron',
      'rows read by an overview',
      'dollars a month',
    ],
    rows,
  ),
)

async function dayOf(size: number): Promise<string[]> {
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: 'export default { fetch: () => new Response() }',
      compatibilityDate: '2026-11-01',
      d1Databases: ['DB'],
    }),
  )
  try {
    await migrate(miniflare)
    // What miniflare gives is a D1 database, under a type of its own.
    const db = (await miniflare.getD1Database('DB')) as unknown as D1Database
    const [recording, cron, looking] = [metered(db), metered(db), metered(db)]
    for (let quarter = 0; quarter < QUARTERS; quarter++) {
      const from = Math.round((size * quarter) / QUARTERS)
      const to = Math.round((size * (quarter + 1)) / QUARTERS)
      await recordTraffic(recording.db, 'default', to, {
        from,
        collections: COLLECTIONS,
        spacingMs: DAY_MS / size,
        counted: false,
      })
      const options = settings(cron.db, TRAFFIC_START_MS + ((quarter + 1) * DAY_MS) / QUARTERS)
      await runJobs(consoleJobs(options), options)
    }
    // The first look counts what the cron trigger left.
    const first = settings(cron.db, TRAFFIC_START_MS + DAY_MS)
    await openConsole(first).counting.count()
    const { summaries, alerts, policies } = openConsole(settings(looking.db, TRAFFIC_START_MS + DAY_MS))
    for (const back of [0, DAY_MS]) {
      const fromMs = TRAFFIC_START_MS - back
      await summaries.summary({ tenant: 'default', fromMs, toMs: fromMs + DAY_MS })
    }
    await Promise.all([alerts.list('default', 100), policies.known('default')])
    const written = recording.rowsWritten() + cron.rowsWritten()
    const read = recording.rowsRead() + cron.rowsRead() + looking.rowsRead() * LOOKS
    const dollars = (30 * (read * 0.001 + written)) / 1e6
    return [
      size.toLocaleString('en'),
      (written / size).toFixed(2),
      cron.rowsRead().toLocaleString('en'),
      looking.rowsRead().toLocaleString('en'),
      dollars.toFixed(2),
    ]
  } finally {
    await miniflare.dispose()
  }
}

function settings(db: D1Database, nowMs: number): ConsoleOptions {
  return { db, authenticate: () => null, clock: { nowMs: () => nowMs } }
}
