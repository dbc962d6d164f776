/**
 * The daily cost of recording, of the cron trigger and of an open dashboard at a thousand, a hundred thousand and a
 * million questions a day: rows as counted by D1, bytes, and dollars per month.
 *
 *   npm run bench -- statistics-cost [-- most questions a day]
 *
 * A day of mixed traffic (11 collections, two policies, five reasons) is recorded in quarters of an hour, after each of
 * which the jobs run, as with the cron trigger; the overview is requested every minute for eight hours. At a thousand
 * questions a day a week is recorded, at the end of which weak spots are counted, and figures are per day. Signals,
 * findings and ids are those of a real decision under `balanced` over ten passages. The third day after is idle: the
 * jobs run without any questions. At the end retention removes the days, as it does daily once the first is 90 days
 * old.
 *
 * Dollars are D1's prices without the paid plan's included usage: .001 per million rows read, 1 per million written,
 * .75 per GB stored and month. 90 days are stored, or 4,000,000 decisions if those are fewer.
 */
import type { D1Database } from '@cloudflare/workers-types'
import { consoleJobs, runJobs } from '../packages/console/src/jobs/jobs.ts'
import type { ConsoleOptions } from '../packages/console/src/options.ts'
import { openConsole } from '../packages/console/src/parts.ts'
import { BALANCED_DECISION } from './recorded-decision.ts'
import { metered } from '../test/fixtures/metered-database.ts'
import { recordTraffic, TRAFFIC_START_MS } from '../test/fixtures/recorded-traffic.ts'
import { markdownTable } from './markdown-table.ts'
import { databaseAlone, migrate } from './migrate.ts'

const MOST = Number(process.argv[2] ?? 1_000_000)
const SIZES = [1_000, 100_000, 1_000_000].filter((size) => size <= MOST)
const QUARTERS = 96
const DAY_MS = 86_400_000
const LOOKS = 8 * 60
const KEPT_DAYS = 90
const DECISIONS_AT_MOST = 4_000_000
const COLLECTIONS = Array.from({ length: 11 }, (_, at) => `collection-${at}`)

const rows: string[][] = []
for (const size of SIZES) rows.push(await dayOf(size))
console.log(
  markdownTable(
    [
      'questions a day',
      'rows written a decision',
      'and for its removal',
      'bytes a decision, with its counts',
      'rows read by the cron trigger',
      'and on an idle day',
      'rows read by an overview',
      'days kept',
      'dollars a month',
    ],
    rows,
  ),
)

async function dayOf(perDay: number): Promise<string[]> {
  const days = perDay <= 1_000 ? 7 : 1
  const size = perDay * days
  const miniflare = databaseAlone()
  try {
    await migrate(miniflare)
    // Miniflare returns a D1 database under its own type.
    const db = (await miniflare.getD1Database('DB')) as unknown as D1Database
    const empty = await sizeOf(db)
    const [recording, cron, looking] = [metered(db), metered(db), metered(db)]
    for (let quarter = 0; quarter < QUARTERS * days; quarter++) {
      const from = Math.round((perDay * quarter) / QUARTERS)
      const to = Math.round((perDay * (quarter + 1)) / QUARTERS)
      await recordTraffic(recording.db, 'default', to, {
        from,
        collections: COLLECTIONS,
        spacingMs: DAY_MS / perDay,
        counted: false,
        fields: BALANCED_DECISION,
      })
      const options = settings(cron.db, TRAFFIC_START_MS + ((quarter + 1) * DAY_MS) / QUARTERS)
      await runJobs(consoleJobs(options), options)
    }
    // The first request counts what the cron trigger left.
    const first = settings(cron.db, TRAFFIC_START_MS + days * DAY_MS)
    await openConsole(first).counting.count()
    const { summaries, alerts, policies } = openConsole(settings(looking.db, TRAFFIC_START_MS + days * DAY_MS))
    for (const back of [1, 2]) {
      const fromMs = TRAFFIC_START_MS + (days - back) * DAY_MS
      await summaries.summary({ tenant: 'default', fromMs, toMs: fromMs + DAY_MS })
    }
    await Promise.all([alerts.list('default', 100), policies.known('default')])
    const full = await sizeOf(db)
    const idle = metered(db)
    for (let quarter = 0; quarter < QUARTERS; quarter++) {
      const options = settings(idle.db, TRAFFIC_START_MS + (days + 2) * DAY_MS + (quarter * DAY_MS) / QUARTERS)
      await runJobs(consoleJobs(options), options)
    }
    const removing = metered(db)
    for (let finished = false; !finished;) {
      finished = (await openConsole(settings(removing.db, TRAFFIC_START_MS + (91 + days) * DAY_MS)).retention.run())
        .finished
    }
    const written = recording.rowsWritten() + cron.rowsWritten()
    const read = (recording.rowsRead() + cron.rowsRead() + removing.rowsRead()) / days + looking.rowsRead() * LOOKS
    const bytes = full - empty
    const kept = Math.min(KEPT_DAYS, DECISIONS_AT_MOST / perDay)
    const stored = ((bytes / days) * kept) / 1e9
    const dollars = (30 * (read * 0.001 + (written + removing.rowsWritten()) / days)) / 1e6 + stored * 0.75
    return [
      perDay.toLocaleString('en'),
      (written / size).toFixed(2),
      (removing.rowsWritten() / size).toFixed(2),
      (bytes / size).toFixed(0),
      Math.round(cron.rowsRead() / days).toLocaleString('en'),
      idle.rowsRead().toLocaleString('en'),
      looking.rowsRead().toLocaleString('en'),
      kept.toFixed(0),
      dollars.toFixed(2),
    ]
  } finally {
    await miniflare.dispose()
  }
}

/** Size of the database file as reported by D1, bytes. */
async function sizeOf(db: D1Database): Promise<number> {
  return (await db.prepare('SELECT 1').run()).meta.size_after
}

function settings(db: D1Database, nowMs: number): ConsoleOptions {
  return { db, authenticate: () => null, clock: { nowMs: () => nowMs } }
}
