/** `GET /v1/decisions/live`: streams new decisions as JSON lines. */
import { textStream } from 'hono-rag-gate/http'
import type { ConsoleContext } from './context.ts'
import type { Arrived, Followed } from '../d1/arrivals.ts'
import { isRagGateError } from 'hono-rag-gate/errors'
import { requireAdmin } from './require-admin.ts'
import { listed } from './get-decisions.ts'
import { FILTER_NAMES, readFilter, readTenant } from './parameters.ts'
import { NO_STORE } from './wire.ts'

/** Polling interval of D1, and maximum duration of a response; clients continue with the last id. */
export const POLLING = { everyMs: 2_000, forMs: 60_000 }

/**
 * Streams a tenant's decisions from now on, or after the event `since`; those of the half minute before it again, because
 * some may have arrived since. An empty line means that there was nothing new; one with `error` that the stream ends early.
 */
export async function followDecisions(c: ConsoleContext): Promise<Response> {
  const { parts, principal } = await requireAdmin(c, ['since', ...FILTER_NAMES])
  const tenant = readTenant(c, principal)
  const filter = readFilter(c)
  await parts.flush()
  const { arrivals } = parts
  const query = { tenant, filter }
  const start = await arrivals.start(query, c.req.query('since'))
  const lines = linesOf((after) => arrivals.since(query, after), start)
  return c.body(textStream(lines), 200, { ...NO_STORE, 'content-type': 'application/x-ndjson; charset=utf-8' })
}

async function* linesOf(
  since: (after: Followed) => Promise<Arrived>,
  start: Followed,
): AsyncGenerator<string, void, void> {
  const untilMs = Date.now() + POLLING.forMs
  for (let after = start; Date.now() < untilMs;) {
    try {
      const { decisions, upTo } = await since(after)
      after = upTo
      yield decisions.length === 0 ? '\n' : decisions.map((each) => `${JSON.stringify(listed(each))}\n`).join('')
    } catch (thrown) {
      if (!isRagGateError(thrown)) throw thrown
      yield `${JSON.stringify({ error: { code: thrown.code, message: thrown.message } })}\n`
      return
    }
    await new Promise((resolve) => setTimeout(resolve, POLLING.everyMs))
  }
}
