import type { D1Database } from '@cloudflare/workers-types'
import { rethrowStoreFault } from 'hono-rag-gate/adapters/d1'

export interface D1CountingOptions {
  /** Database with the migrations of `d1/` applied. */
  readonly db: D1Database
}

/** Counts decisions that were stored. */
export interface Counting {
  /**
   * Counts what was stored since the last time, in slices of 5,000, each of which is counted exactly once.
   * Where nothing was, it reads five rows and writes none.
   *
   * @param maxSlices 1 and up. @default 4
   * @returns whether all is counted
   * @throws `schema_outdated`, `store_unavailable`
   */
  count(maxSlices?: number): Promise<boolean>
  /**
   * The same once it is worth it: from 50 decisions on, of fewer of which there is no alert, or once one has waited for three hours. What is counted of few
   * decisions is as many rows as of many.
   *
   * @returns whether nothing worth it is left
   * @throws `schema_outdated`, `store_unavailable`
   */
  countMany(nowMs: number, maxSlices?: number): Promise<boolean>
}

/** A statement of so many takes 1.4 s of D1; of 1,000 .4 s, with twice as many rows written for each. */
const SLICE = 5_000
const LAST = `(SELECT coalesce(max(place), 0) FROM decisions)`
const COUNT = `INSERT INTO uncounted_decisions (until_place) SELECT min(place + ${SLICE}, ${LAST}) FROM counted_decisions WHERE place < ${LAST}`
const WAITING = `SELECT ${LAST} - place AS decisions, (SELECT at_ms FROM decisions WHERE decisions.place > counted_decisions.place ORDER BY decisions.place LIMIT 1) AS firstMs FROM counted_decisions`
const WORTH_IT = 50
const LONGEST_WAIT_MS = 3 * 3_600_000
const IS_DONE = `SELECT place >= ${LAST} AS done FROM counted_decisions`

/** Counting in D1. Errors of D1 itself become `schema_outdated` or `store_unavailable`. */
export function createD1Counting({ db }: D1CountingOptions): Counting {
  async function count(maxSlices = 4): Promise<boolean> {
    for (let slices = 0; slices < maxSlices; slices++) {
      const [, after] = await db
        .batch<{ done: number }>([db.prepare(COUNT), db.prepare(IS_DONE)])
        .catch(rethrowStoreFault)
      if (after?.results[0]?.done === 1) return true
    }
    return false
  }

  return {
    count,

    async countMany(nowMs, maxSlices) {
      const waiting = await db
        .prepare(WAITING)
        .first<{ decisions: number; firstMs: number | null }>()
        .catch(rethrowStoreFault)
      if (waiting === null || waiting.firstMs === null) return true
      if (waiting.decisions < WORTH_IT && nowMs - waiting.firstMs < LONGEST_WAIT_MS) return true
      return count(maxSlices)
    },
  }
}
