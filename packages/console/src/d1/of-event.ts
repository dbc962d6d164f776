import { and, between, eq, type SQL } from 'drizzle-orm'
import { type Tenant, timeOfId } from 'hono-rag-gate/core/lib'
import { decisions } from 'hono-rag-gate/d1/schema'

/** A question is judged, and its decision recorded, within so long of the time in its id. */
const LONGEST_MS = 15 * 60_000

/** When the event of an id can have been recorded, milliseconds since 1970: any time for an id that is no UUIDv7. */
export function recordedWithin(id: string): readonly [fromMs: number, toMs: number] {
  const fromMs = timeOfId(id)
  return fromMs === undefined ? [0, Number.MAX_SAFE_INTEGER] : [fromMs, fromMs + LONGEST_MS]
}

/** The decision of an event. Its index begins with tenant and time: with `limit(1)` it is found among those of the same moment. */
export function ofEvent(tenant: Tenant, id: string): SQL | undefined {
  return and(eq(decisions.tenant, tenant), between(decisions.atMs, ...recordedWithin(id)), eq(decisions.id, id))
}
