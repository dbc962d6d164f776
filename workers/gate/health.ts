/** `GET /health`: whether the Worker and its tables are ready, and the states of its jobs. */
import { jobStates } from '@hono-rag-gate/console'
import type { Context } from 'hono'
import type { GateBindings } from './bindings.ts'
import { compositionFor } from './compose.ts'

/** 503 with `schema_outdated` if migrations are missing; 200 with delayed jobs, since questions are answered. */
export async function health(c: Context<{ Bindings: GateBindings }>): Promise<Response> {
  const { statistics } = compositionFor(c.env)
  await statistics.summaries.check()
  return c.json({ status: 'ok', jobs: await jobStates(statistics) }, 200, { 'cache-control': 'no-store' })
}
