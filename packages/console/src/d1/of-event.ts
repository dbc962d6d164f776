import { and, eq, gte, lt, type SQL, sql } from 'drizzle-orm'
import { type Tenant, timeOfId } from 'hono-rag-gate/core/lib'
import { PLACES_OF_A_MS } from 'hono-rag-gate/d1/figures'
import { decisions } from 'hono-rag-gate/d1/schema'

/** A question is judged, and its decision recorded, within so long of the time in its id. */
const LONGEST_MS = 15 * 60_000

/** The first place of a moment. */
export function placeOf(ms: number): number {
  return Math.max(0, Math.min(ms, LATEST_MS)) * PLACES_OF_A_MS
}

/** Beyond it places are no whole numbers in JavaScript. */
const LATEST_MS = 4e12

/** In which places the event of an id can stand, the last exclusive: in any for an id that is no UUIDv7. */
export function placesOf(id: string): readonly [from: number, to: number] {
  const fromMs = timeOfId(id)
  return fromMs === undefined ? [0, Number.MAX_SAFE_INTEGER] : [placeOf(fromMs), placeOf(fromMs + LONGEST_MS)]
}

/** Of a tenant, whose decisions have an index: `default` has none, those of a period are gone through for it. */
export function ofTenant(tenant: Tenant): SQL | undefined {
  const isIndexed = tenant === 'default' ? undefined : sql`${decisions.tenant} <> 'default'`
  return and(eq(decisions.tenant, tenant), isIndexed)
}

/** From a place on, before another. */
export function between(from: number, to: number): SQL | undefined {
  return and(gte(decisions.place, from), lt(decisions.place, to))
}

/** The decision of an event: with `limit(1)` it is found among those of the same moment. */
export function ofEvent(tenant: Tenant, id: string): SQL | undefined {
  return and(ofTenant(tenant), between(...placesOf(id)), eq(decisions.id, id))
}
