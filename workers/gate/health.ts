/** `GET /health`: whether the Worker and its tables are ready, and what its jobs do. */
import type { Context } from 'hono'
import type { GateBindings } from './bindings.ts'
import { compositionFor } from './compose.ts'

/** The cron trigger fires every quarter of an hour; one time more may be missed. */
const EXPECTED_WITHIN_MS = 30 * 60_000

/** 503 with `schema_outdated` when the migrations were not applied. Jobs that are behind leave it at 200: questions are answered. */
export async function health(c: Context<{ Bindings: GateBindings }>): Promise<Response> {
  const { summaries, jobRecords, clock } = compositionFor(c.env).statistics
  await summaries.check()
  const nowMs = clock.nowMs()
  const jobs = (await jobRecords.list()).map(({ name, ranMs, behindSinceMs, failed }) => ({
    name,
    ran_at: new Date(ranMs).toISOString(),
    failed,
    behind_seconds: Math.max(0, Math.round((nowMs - (behindSinceMs ?? ranMs + EXPECTED_WITHIN_MS)) / 1000)),
  }))
  return c.json({ status: 'ok', jobs }, 200, { 'cache-control': 'no-store' })
}
