/** `GET /health`: whether the Worker and its tables are ready, and what its jobs do. */
import { jobStates } from '@hono-rag-gate/console'
import type { Context } from 'hono'
import type { GateBindings } from './bindings.ts'
import { compositionFor } from './compose.ts'

/** 503 with `schema_outdated` when the migrations were not applied. Jobs that are behind leave it at 200: questions are answered. */
export async function health(c: Context<{ Bindings: GateBindings }>): Promise<Response> {
  const { statistics } = compositionFor(c.env)
  await statistics.summaries.check()
  return c.json({ status: 'ok', jobs: await jobStates(statistics) }, 200, { 'cache-control': 'no-store' })
}
