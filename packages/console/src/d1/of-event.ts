import { and, eq, gte, lt, type SQL, sql } from 'drizzle-orm'
import { type Tenant, timeOfId } from 'hono-rag-gate/core/lib'
import { PLACES_OF_A_MS } from 'hono-rag-gate/d1/figures'
import { decisions } from 'hono-rag-gate/d1/schema'

/** Usual maximum time between the timestamp in a question's id and the record of its decision. */
const USUAL_MS = 15 * 60_000

/** As above, for answers that people complete: `gateWithoutHttp().record()` may be called at any time. */
const LONGEST_MS = 24 * 3_600_000

/** The first place of a moment. */
export function placeOf(ms: number): number {
  return Math.max(0, Math.min(ms, LATEST_MS)) * PLACES_OF_A_MS
}

/** Later places exceed JavaScript's safe integers. */
const LATEST_MS = 4e12

/** The range of places for an event's id, the end exclusive; unbounded for an id that is not a UUIDv7. */
export function placesOf(id: string, longestMs: number = USUAL_MS): readonly [from: number, to: number] {
  const fromMs = timeOfId(id)
  return fromMs === undefined ? [0, Number.MAX_SAFE_INTEGER] : [placeOf(fromMs), placeOf(fromMs + longestMs)]
}

/** Condition for a tenant's decisions, which are indexed; those of `default` are scanned by period. */
export function ofTenant(tenant: Tenant): SQL | undefined {
  const isIndexed = tenant === 'default' ? undefined : sql`${decisions.tenant} <> 'default'`
  return and(eq(decisions.tenant, tenant), isIndexed)
}

/** Condition for places in a range, the end exclusive. */
export function between(from: number, to: number): SQL | undefined {
  return and(gte(decisions.place, from), lt(decisions.place, to))
}

/** Condition for the decision of an event, to be used with `limit(1)`: only an unknown id costs a scan of the day. */
export function ofEvent(tenant: Tenant, id: string): SQL | undefined {
  return and(ofTenant(tenant), between(...placesOf(id, LONGEST_MS)), eq(decisions.id, id))
}
