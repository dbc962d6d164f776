/**
 * Retention of 100,000 expired decisions of three tenants, among as many unexpired ones: what one run removes and
 * leaves, with rows read and written as counted by D1, and the runtime's CPU time.
 *
 *   npm run bench -- retention [-- decisions]
 *
 * Fails if anything expired is left.
 */
import type { D1Database } from '@cloudflare/workers-types'
import { createD1Retention } from '../packages/console/src/d1/retention.ts'
import { metered } from '../test/fixtures/metered-database.ts'
import { recordTraffic, TRAFFIC_START_MS } from '../test/fixtures/recorded-traffic.ts'
import { databaseAlone, migrate } from './migrate.ts'
import { workerdCpuMs } from './workerd-cpu.ts'

const DECISIONS = Number(process.argv[2] ?? 100_000)
const DAY_MS = 86_400_000
/** Traffic of two days, of which the first has then expired. */
const NOW_MS = TRAFFIC_START_MS + 91 * DAY_MS

const miniflare = databaseAlone()
try {
  await migrate(miniflare)
  // Miniflare returns a D1 database under its own type.
  const db = (await miniflare.getD1Database('DB')) as unknown as D1Database
  for (const [tenant, share] of [
    ['large', 1.4],
    ['small', 0.2],
    ['other', 0.4],
  ] as const) {
    await recordTraffic(db, tenant, Math.round(DECISIONS * share), { days: 2 })
  }
  const overdue = async (): Promise<number> =>
    (await db
      .prepare('SELECT count(*) AS n FROM decisions WHERE at_ms < ?1')
      .bind(NOW_MS - 90 * DAY_MS)
      .first<{ n: number }>())!.n
  const before = await overdue()
  const meter = metered(db)
  const startedMs = workerdCpuMs()
  const { removed, finished } = await createD1Retention({ db: meter.db, clock: { nowMs: () => NOW_MS } }).run()
  const seconds = ((workerdCpuMs() - startedMs) / 1000).toFixed(1)
  const left = await overdue()
  console.log(
    `${before} overdue, ${removed['decisions']} removed in ${meter.queries()} statements and ${seconds} s of CPU time, ` +
      `${meter.rowsRead()} rows read, ${meter.rowsWritten()} written, ${left} left, finished: ${finished}`,
  )
  if (left > 0 || !finished) process.exitCode = 1
} finally {
  await miniflare.dispose()
}
