import type { D1Database } from '@cloudflare/workers-types'
import { and, desc, eq, gt, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/d1'
import { decisions } from 'hono-rag-gate/d1/schema'
import type { Tenant } from 'hono-rag-gate/core/lib'
import { rethrowStoreFault } from 'hono-rag-gate/adapters/d1'
import { LISTED, type ListedDecision } from './recorded-decisions.ts'
import { ofEvent } from './of-event.ts'
import { withTexts } from './question-texts.ts'
import { matches } from './statistics/filter.ts'
import type { DecisionFilter } from './statistics/wanted.ts'

export interface D1ArrivalsOptions {
  /** Database with the migrations of `d1/` applied. */
  readonly db: D1Database
}

/** Which decisions are followed. */
export interface ArrivalsQuery {
  readonly tenant: Tenant
  /** @default every decision */
  readonly filter?: DecisionFilter
  /** Those that arrived after this place. */
  readonly after: number
}

/** Decisions in the order in which they arrived, and the place to go on from. */
export interface Arrived {
  readonly decisions: readonly ListedDecision[]
  readonly upTo: number
}

/** Follows decisions as they arrive: none is missed that was recorded late, and none comes twice. */
export interface Arrivals {
  /**
   * The place of the latest arrival; with an id, the place of that event of the tenant, or of the latest where there is no
   * such event. A place is for the server alone: it follows the traffic of all tenants.
   *
   * @throws `schema_outdated`, `store_unavailable`
   */
  place(tenant: Tenant, id?: string): Promise<number>
  /**
   * What arrived since, through at most 1,000 arrivals of all tenants: what is beyond comes with the next call.
   *
   * @throws `schema_outdated`, `store_unavailable`
   */
  since(query: ArrivalsQuery): Promise<Arrived>
}

const MOST_SCANNED = 1_000
/** Rises with every row that is inserted: the latest row is never among those that retention removes. */
const PLACE = decisions.place

/** Arrivals of decisions in D1: reading costs as many rows as arrived. Errors of D1 become `schema_outdated` or `store_unavailable`. */
export function createD1Arrivals({ db }: D1ArrivalsOptions): Arrivals {
  const queries = drizzle(db)
  return {
    async place(tenant, id) {
      const latest = queries.select({ place: PLACE }).from(decisions).orderBy(desc(PLACE)).limit(1)
      if (id === undefined) return (await latest.catch(rethrowStoreFault))[0]?.place ?? 0
      const own = queries.select({ place: PLACE }).from(decisions).where(ofEvent(tenant, id)).limit(1)
      const [found, last] = await queries.batch([own, latest]).catch(rethrowStoreFault)
      return found[0]?.place ?? last[0]?.place ?? 0
    },

    async since({ tenant, filter = {}, after }) {
      const scanned = queries
        .select({ ...LISTED, tenant: decisions.tenant, place: PLACE })
        .from(decisions)
        .where(gt(PLACE, after))
        .orderBy(PLACE)
        .limit(MOST_SCANNED)
        .as('scanned')
      const wanted = and(eq(scanned.tenant, tenant), matches(scanned, filter))
      const [found, [end]] = await queries
        .batch([
          queries.select().from(scanned).where(wanted),
          queries.select({ place: sql<number | null>`max(${scanned.place})` }).from(scanned),
        ])
        .catch(rethrowStoreFault)
      const listed = found.map(({ tenant: _tenant, place: _place, ...decision }) => decision)
      return {
        decisions: await withTexts(db, tenant, listed),
        upTo: end?.place ?? after,
      }
    },
  }
}
