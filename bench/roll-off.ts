/**
 * Decisions moving from the database to a bucket: a million in five days, of which a tenth may stay in the database.
 *
 *   npm run bench -- roll-off [-- decisions]
 *
 * Three tenants ask hour by hour, and the jobs run after each hour as with the cron trigger; decisions are those of
 * `balanced` over ten passages. The jobs then run until none has work left, and again 91 days later. Fails if a
 * decision is not exactly once in the bucket, if more than a tenth stays or, in the end, any, or if a count is lost.
 */
import type { D1Database, R2Bucket } from '@cloudflare/workers-types'
import { createD1Statistics } from '../packages/console/src/d1/statistics.ts'
import { consoleJobs, runJobs } from '../packages/console/src/jobs/jobs.ts'
import type { ConsoleOptions } from '../packages/console/src/options.ts'
import { metered } from '../test/fixtures/metered-database.ts'
import { recordTraffic, TRAFFIC_START_MS } from '../test/fixtures/recorded-traffic.ts'
import { databaseAlone, migrate } from './migrate.ts'
import { BALANCED_DECISION } from './recorded-decision.ts'
import { workerdCpuMs } from './workerd-cpu.ts'

const DECISIONS = Number(process.argv[2] ?? 1_000_000)
const AT_MOST = Math.max(1_000, DECISIONS / 10)
const DAY_MS = 86_400_000
const HOURS = 5 * 24
const SHARES = { large: 0.7, other: 0.2, small: 0.1 }
const EXPECTED = Object.entries(SHARES).map(([tenant, share]) => [tenant, Math.round(DECISIONS * share)] as const)

const miniflare = databaseAlone('EXPORTS')
try {
  await migrate(miniflare)
  // Miniflare returns a D1 database and an R2 bucket under its own types.
  const db = (await miniflare.getD1Database('DB')) as unknown as D1Database
  const bucket = (await miniflare.getR2Bucket('EXPORTS')) as unknown as R2Bucket
  const one = async (query: string): Promise<number> => (await db.prepare(query).first<number>('n')) ?? 0
  const meter = metered(db)
  let jobsCpuMs = 0
  const jobsAt = async (nowMs: number): Promise<void> => {
    const options: ConsoleOptions = {
      db: meter.db,
      authenticate: () => null,
      decisionsAtMost: AT_MOST,
      exports: { bucket },
      clock: { nowMs: () => nowMs },
    }
    const startedMs = workerdCpuMs()
    await runJobs(consoleJobs(options), options)
    jobsCpuMs += workerdCpuMs() - startedMs
  }
  const tell = async (when: string): Promise<void> => {
    const parts = await contentsOf(bucket)
    const size = (await db.prepare('SELECT 1').run()).meta.size_after
    console.log(
      `${when}: ${await one('SELECT count(*) AS n FROM decisions')} left in ${megabytes(size)} MB, ` +
        `${parts.lines} lines in ${parts.objects} objects and ${megabytes(parts.bytes)} MB, ` +
        `${meter.rowsRead()} rows read, ${meter.rowsWritten()} written and ${(jobsCpuMs / 1000).toFixed(0)} s of CPU time by the jobs`,
    )
  }

  let most = 0
  for (let hour = 0; hour < HOURS; hour++) {
    for (const [tenant, all] of EXPECTED) {
      await recordTraffic(db, tenant, Math.round((all * (hour + 1)) / HOURS), {
        from: Math.round((all * hour) / HOURS),
        spacingMs: (HOURS / 24) * (DAY_MS / all),
        counted: false,
        fields: BALANCED_DECISION,
      })
    }
    await jobsAt(TRAFFIC_START_MS + ((hour + 1) * DAY_MS) / 24)
    most = Math.max(most, await one('SELECT count(*) AS n FROM decisions'))
  }
  await tell('When the last was recorded')
  // The last day is exported two hours after its end; retention runs four times a day.
  for (let quarter = 1; quarter <= 8; quarter++) {
    await jobsAt(TRAFFIC_START_MS + (HOURS / 24) * DAY_MS + (quarter * DAY_MS) / 4)
  }
  await tell('Two days later')
  const kept = await one('SELECT count(*) AS n FROM decisions')
  for (let quarter = 0; quarter < 4; quarter++) {
    await jobsAt(TRAFFIC_START_MS + (HOURS / 24 + 91) * DAY_MS + (quarter * DAY_MS) / 4)
  }
  await tell('91 days later')
  const left = await one('SELECT count(*) AS n FROM decisions')
  const { lines, ids } = await contentsOf(bucket)
  const period = { fromMs: TRAFFIC_START_MS, toMs: TRAFFIC_START_MS + (HOURS / 24) * DAY_MS }
  let counted = 0
  for (const [tenant] of EXPECTED) {
    counted += (await createD1Statistics({ db }).summary({ tenant, ...period, interval: 'day' })).decisions
  }
  console.log(`${most} at most at once; ${ids} ids in the bucket, ${counted} decisions still counted`)
  if (lines !== DECISIONS || ids !== DECISIONS || counted !== DECISIONS || kept > AT_MOST || left > 0)
    process.exitCode = 1
} finally {
  await miniflare.dispose()
}

async function contentsOf(
  bucket: R2Bucket,
): Promise<{ readonly objects: number; readonly bytes: number; readonly lines: number; readonly ids: number }> {
  const ids = new Set<string>()
  let [objects, bytes, lines] = [0, 0, 0]
  for (let cursor: string | undefined, more = true; more;) {
    const page = await bucket.list(cursor === undefined ? {} : { cursor })
    for (const { key, size } of page.objects) {
      objects++
      bytes += size
      const [, tenant] = key.split('/')
      for (const line of (await (await bucket.get(key))!.text()).trimEnd().split('\n')) {
        lines++
        ids.add(`${tenant} ${(JSON.parse(line) as { id: string }).id}`)
      }
    }
    more = page.truncated
    cursor = page.truncated ? page.cursor : undefined
  }
  return { objects, bytes, lines, ids: ids.size }
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1)
}
