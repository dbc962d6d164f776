import type { D1Database } from '@cloudflare/workers-types'
import { eq } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/d1'
import { WORTH_COUNTING } from 'hono-rag-gate/d1/figures'
import { countedDecisions } from 'hono-rag-gate/d1/schema'
import { rethrowStoreFault } from 'hono-rag-gate/adapters/d1'
import { type Counts, countSql, WAITING, type Waiting } from './raw/counting.ts'
import { DAY_MS, HOUR_MS } from '../durations.ts'

export interface D1CountingOptions {
  /** Database with the migrations of `d1/` applied. */
  readonly db: D1Database
}

/** Aggregates stored decisions into rollups. */
export interface Counting {
  /**
   * Counts decisions stored since the last call, in slices of 5,000 for sums and 20,000 for weak spots; each is counted
   * exactly once. If there are none, it reads a few rows and writes nothing.
   *
   * @param counts @default everything
   * @param maxSlices per kind, 1 and up. @default 4
   * @returns whether everything is counted
   * @throws `schema_outdated`, `store_unavailable`
   */
  count(counts?: Counts | 'all', maxSlices?: number): Promise<boolean>
  /**
   * Like `count`, but only if it is worthwhile, because counting a few decisions writes as many rows as counting many:
   * sums for at least 50 decisions (fewer cannot cause an alert), or after three hours; weak spots for at least 20,000,
   * or after a week.
   *
   * @returns whether nothing worthwhile is left
   * @throws `schema_outdated`, `store_unavailable`
   */
  countMany(nowMs: number, maxSlices?: number): Promise<boolean>
  /** Whether all decisions before a moment are counted in the sums. @throws `schema_outdated`, `store_unavailable` */
  isSummedUpTo(ms: number): Promise<boolean>
  /** A number that increases as decisions are counted. @throws `schema_outdated`, `store_unavailable` */
  summedUp(): Promise<number>
}

const LONGEST_WAIT_MS = { sums: 3 * HOUR_MS, weak_spots: 7 * DAY_MS } as const

/** Counting in D1. Errors of D1 itself become `schema_outdated` or `store_unavailable`. */
export function createD1Counting({ db }: D1CountingOptions): Counting {
  async function countOne(counts: Counts, maxSlices = 4): Promise<boolean> {
    for (let slices = 0; slices < maxSlices; slices++) {
      const statements = countSql(counts).map((sql) => db.prepare(sql))
      const [, after] = await db.batch(statements).catch(rethrowStoreFault)
      if (after?.results.length === 0) return true
    }
    return false
  }

  async function count(counts: Counts | 'all' = 'all', maxSlices = 4): Promise<boolean> {
    if (counts !== 'all') return countOne(counts, maxSlices)
    const isSummedUp = await countOne('sums', maxSlices)
    return (await countOne('weak_spots', maxSlices)) && isSummedUp
  }

  const readWaiting = async (): Promise<Waiting | null> => db.prepare(WAITING).first<Waiting>().catch(rethrowStoreFault)

  return {
    count,

    isSummedUpTo: async (ms) => ((await readWaiting())?.sums_ms ?? ms) >= ms,

    async summedUp() {
      const rows = await drizzle(db)
        .select({ decisions: countedDecisions.decisions })
        .from(countedDecisions)
        .where(eq(countedDecisions.counts, 'sums'))
        .catch(rethrowStoreFault)
      return rows[0]?.decisions ?? 0
    },

    async countMany(nowMs, maxSlices) {
      const waiting = await readWaiting()
      if (waiting === null) return true
      const hasWaited = (counts: Counts): boolean =>
        nowMs - (waiting[`${counts}_ms`] ?? nowMs) >= LONGEST_WAIT_MS[counts]
      let isDone = true
      for (const counts of ['sums', 'weak_spots'] as const) {
        if (waiting[counts] >= WORTH_COUNTING[counts] || hasWaited(counts)) {
          isDone = (await countOne(counts, maxSlices)) && isDone
        }
      }
      return isDone
    },
  }
}
