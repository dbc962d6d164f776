import type { D1Database } from '@cloudflare/workers-types'
import { and, desc, eq, gt, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/d1'
import { decisions } from 'hono-rag-gate/d1/schema'
import { PLACES_OF_A_MS } from 'hono-rag-gate/d1/figures'
import type { Tenant } from 'hono-rag-gate/core/lib'
import { rethrowStoreFault } from 'hono-rag-gate/adapters/d1'
import { LISTED, type ListedDecision } from './recorded-decisions.ts'
import { between, ofEvent, ofTenant } from './of-event.ts'
import { withTexts } from './question-texts.ts'
import { matches } from './statistics/filter.ts'
import type { DecisionFilter } from './statistics/wanted.ts'

export interface D1ArrivalsOptions {
  /** Database with the migrations of `d1/` applied. */
  readonly db: D1Database
}

/** Filter of the decisions to follow. */
export interface ArrivalsQuery {
  readonly tenant: Tenant
  /** @default every decision */
  readonly filter?: DecisionFilter
}

/** A position in the stream of decisions. Not for clients: it depends on the traffic of all tenants. */
export interface Followed {
  /** The latest place. */
  readonly place: number
  /** Places of known decisions in the half minute before it. */
  readonly known: ReadonlySet<number>
}

/** New decisions, and the position after them. */
export interface Arrived {
  readonly decisions: readonly ListedDecision[]
  readonly upTo: Followed
}

/** Follows decisions as they arrive, without gaps or duplicates, if they are recorded within half a minute. */
export interface Arrivals {
  /**
   * The starting position: the latest decision; with an id half a minute before that event of the tenant, without itself,
   * or the latest if there is none.
   *
   * @throws `schema_outdated`, `store_unavailable`
   */
  start(query: ArrivalsQuery, id?: string): Promise<Followed>
  /**
   * New decisions since a position, among at most 1,000 later decisions of all tenants; the next call continues there.
   *
   * @throws `schema_outdated`, `store_unavailable`
   */
  since(query: ArrivalsQuery, after: Followed): Promise<Arrived>
}

const MOST_SCANNED = 1_000
/** How late a decision may arrive: buffers and queues hold decisions for some seconds. */
const LATE_MS = 30_000
const PLACE = decisions.place

/** Follows decisions in D1; each call reads the rows of the last half minute. D1's errors are converted. */
export function createD1Arrivals({ db }: D1ArrivalsOptions): Arrivals {
  const queries = drizzle(db)

  /** Condition for the decisions of a query in the half minute before a place. */
  const late = ({ tenant, filter = {} }: ArrivalsQuery, place: number) =>
    and(ofTenant(tenant), between(startOf(place), place + 1), matches(decisions, filter))

  return {
    async start(query, id) {
      const { tenant } = query
      const places = queries.select({ place: PLACE }).from(decisions)
      const [seen] = id === undefined ? [] : await places.where(ofEvent(tenant, id)).limit(1).catch(rethrowStoreFault)
      // Those before it may have arrived after it.
      if (seen !== undefined) return { ...seen, known: new Set([seen.place]) }
      const latest = queries.select({ place: PLACE }).from(decisions).orderBy(desc(PLACE)).limit(1)
      const [{ place } = { place: 0 }] = await latest.catch(rethrowStoreFault)
      const before = await queries
        .select({ place: PLACE })
        .from(decisions)
        .where(late(query, place))
        .catch(rethrowStoreFault)
      return { place, known: new Set(before.map((decision) => decision.place)) }
    },

    async since(query, { place, known }) {
      const { tenant, filter = {} } = query
      const scanned = queries
        .select({ ...LISTED, tenant: decisions.tenant, place: PLACE })
        .from(decisions)
        .where(gt(PLACE, place))
        .orderBy(PLACE)
        .limit(MOST_SCANNED)
        .as('scanned')
      const [before, later, [end]] = await queries
        .batch([
          queries
            .select({ ...LISTED, place: PLACE })
            .from(decisions)
            .where(
              and(
                late(query, place),
                sql`${PLACE} NOT IN (SELECT value FROM json_each(${JSON.stringify([...known])}))`,
              ),
            )
            .orderBy(PLACE)
            .limit(MOST_SCANNED),
          queries
            .select()
            .from(scanned)
            .where(and(eq(scanned.tenant, tenant), matches(scanned, filter))),
          queries.select({ place: sql<number | null>`max(${scanned.place})` }).from(scanned),
        ])
        .catch(rethrowStoreFault)
      const found = [...before, ...later.map(({ tenant: _tenant, ...decision }) => decision)]
      const upTo = end?.place ?? place
      const places = [...known, ...found.map((decision) => decision.place)]
      const listed = found.map(({ place: _place, ...decision }) => decision)
      return {
        decisions: await withTexts(db, tenant, listed),
        upTo: { place: upTo, known: new Set(places.filter((each) => each >= startOf(upTo))) },
      }
    },
  }
}

/** The first place of the half minute before a place. */
function startOf(place: number): number {
  return place - LATE_MS * PLACES_OF_A_MS
}
