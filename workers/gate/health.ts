/** `GET /health`: whether the Worker and its tables are ready. */
import type { Context } from 'hono'
import type { GateBindings } from './bindings.ts'
import { compositionFor } from './compose.ts'

/** 503 with `schema_outdated` when the migrations were not applied. */
export async function health(c: Context<{ Bindings: GateBindings }>): Promise<Response> {
  await compositionFor(c.env).statistics.summaries.check()
  return c.json({ status: 'ok' }, 200, { 'cache-control': 'no-store' })
}
