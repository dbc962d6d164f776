import type { D1Database } from '@cloudflare/workers-types'
import { asc, eq, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/d1'
import { jobs } from 'hono-rag-gate/d1/schema'
import type { Json } from 'hono-rag-gate/core/lib'
import { rethrowStoreFault } from 'hono-rag-gate/adapters/d1'
import { HOUR_MS } from '../durations.ts'

export interface D1JobRecordsOptions {
  /** Database with the migrations of `d1/` applied. */
  readonly db: D1Database
}

/** Result of a job's run. */
export interface JobRun {
  /** `false` if work is left for the next run. */
  readonly finished: boolean
}

/**
 * Whether fewer than `most` of the 1,000 statements that D1 allows per invocation were used.
 *
 * @see https://developers.cloudflare.com/d1/platform/limits/
 */
export type HasRoom = (most: number) => boolean

/** The last run of a job. */
export interface JobRecord {
  readonly name: string
  /** Unix time in milliseconds. */
  readonly ranMs: number
  /** Start of the current series of runs that left work or failed; `null` if the last run finished. */
  readonly behindSinceMs: number | null
  /** Whether the last run threw. */
  readonly failed: boolean
}

/** Records of jobs. */
export interface JobRecords {
  /** By name. @throws `schema_outdated`, `store_unavailable` */
  list(): Promise<readonly JobRecord[]>
  /**
   * Records a run that began at `ranMs`; `failed` if it threw. A run with the same result as the last is recorded hourly.
   *
   * @throws `schema_outdated`, `store_unavailable`
   */
  note(name: string, ranMs: number, ended: JobRun | 'failed'): Promise<void>
  /** Where a job continues; `undefined` before its first run. @throws `schema_outdated`, `store_unavailable` */
  cursor<Cursor>(name: string): Promise<Cursor | undefined>
  /** Stores where a job continues. @throws `schema_outdated`, `store_unavailable` */
  keepCursor(name: string, cursor: Json): Promise<void>
}

/** Records of jobs in D1. Errors of D1 itself become `schema_outdated` or `store_unavailable`. */
export function createD1JobRecords({ db }: D1JobRecordsOptions): JobRecords {
  const queries = drizzle(db)
  return {
    async list() {
      const rows = await queries.select().from(jobs).orderBy(asc(jobs.name)).catch(rethrowStoreFault)
      return rows.flatMap(({ name, ranMs, behindSinceMs, failed }) =>
        ranMs === null ? [] : [{ name, ranMs, behindSinceMs, failed: failed === 1 }],
      )
    },

    async note(name, ranMs, ended) {
      const failed = ended === 'failed' ? 1 : 0
      const isDone = ended !== 'failed' && ended.finished
      await queries
        .insert(jobs)
        .values({ name, ranMs, failed, behindSinceMs: isDone ? null : ranMs })
        .onConflictDoUpdate({
          target: jobs.name,
          set: {
            ranMs,
            failed,
            behindSinceMs: isDone ? null : sql`coalesce(${jobs.behindSinceMs}, ${ranMs})`,
          },
          setWhere: sql`${jobs.ranMs} IS NULL OR abs(${jobs.ranMs} - ${ranMs}) >= ${HOUR_MS}
            OR ${jobs.failed} <> ${failed} OR (${jobs.behindSinceMs} IS NULL) <> ${isDone ? 1 : 0}`,
        })
        .catch(rethrowStoreFault)
    },

    async cursor<Cursor>(name: string) {
      const row = await queries
        .select({ cursor: jobs.cursor })
        .from(jobs)
        .where(eq(jobs.name, name))
        .get()
        .catch(rethrowStoreFault)
      // Written below by the job of that name.
      return (row?.cursor ?? undefined) as Cursor | undefined
    },

    async keepCursor(name, cursor) {
      await queries
        .insert(jobs)
        .values({ name, failed: 0, cursor })
        .onConflictDoUpdate({ target: jobs.name, set: { cursor } })
        .catch(rethrowStoreFault)
    },
  }
}
