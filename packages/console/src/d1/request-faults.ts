import type { D1Database } from '@cloudflare/workers-types'
import { and, desc, gte, lt, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/d1'
import { requestFaults } from 'hono-rag-gate/d1/schema'
import { rethrowStoreFault } from 'hono-rag-gate/adapters/d1'
import { HOUR_MS } from '../durations.ts'

export interface D1RequestFaultsOptions {
  /** Database with the migrations of `d1/` applied. */
  readonly db: D1Database
}

/** Failed requests with the same route, status and code. */
export interface RequestFault {
  /** A route of the API, or `other`. */
  readonly route: string
  /** 400 and up. */
  readonly status: number
  /** Error code; empty if the response has none. */
  readonly code: string
  readonly requests: number
}

/** Failed requests of one isolate in one UTC hour, counted from the isolate's start. */
export interface CountedFault extends RequestFault {
  /** Start of the hour, Unix time in milliseconds. */
  readonly hourMs: number
}

/** Failed and rejected requests of all tenants; unauthenticated ones have no tenant. */
export interface RequestFaults {
  /**
   * Stores an isolate's counts. Idempotent.
   *
   * @throws `schema_outdated`, `store_unavailable`
   */
  note(isolate: string, faults: readonly CountedFault[]): Promise<void>
  /** Counts by whole UTC hours, the 100 most frequent first. @throws `schema_outdated`, `store_unavailable` */
  list(fromMs: number, toMs: number): Promise<readonly RequestFault[]>
}

const MOST_LISTED = 100
/** Rows of six values each; a D1 statement may bind a hundred. */
const ROWS_OF_A_STATEMENT = 16

/** Request faults in D1. Errors of D1 itself become `schema_outdated` or `store_unavailable`. */
export function createD1RequestFaults({ db }: D1RequestFaultsOptions): RequestFaults {
  const queries = drizzle(db)
  const f = requestFaults
  return {
    async note(isolate, faults) {
      for (let from = 0; from < faults.length; from += ROWS_OF_A_STATEMENT) {
        const some = faults.slice(from, from + ROWS_OF_A_STATEMENT)
        await queries
          .insert(f)
          .values(some.map((fault) => ({ ...fault, isolate })))
          .onConflictDoUpdate({
            target: [f.hourMs, f.route, f.status, f.code, f.isolate],
            set: { requests: sql`max(${f.requests}, excluded.requests)` },
          })
          .catch(rethrowStoreFault)
      }
    },

    async list(fromMs, toMs) {
      const requests = sql<number>`sum(${f.requests})`.mapWith(Number)
      return queries
        .select({ route: f.route, status: f.status, code: f.code, requests })
        .from(f)
        .where(and(gte(f.hourMs, Math.floor(fromMs / HOUR_MS) * HOUR_MS), lt(f.hourMs, toMs)))
        .groupBy(f.route, f.status, f.code)
        .orderBy(desc(requests), f.route, f.status, f.code)
        .limit(MOST_LISTED)
        .catch(rethrowStoreFault)
    },
  }
}
