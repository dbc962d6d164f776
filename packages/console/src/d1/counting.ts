import type { D1Database } from '@cloudflare/workers-types'
import { PLACES_OF_A_MS } from 'hono-rag-gate/d1/figures'
import type { countedDecisions } from 'hono-rag-gate/d1/schema'
import { rethrowStoreFault } from 'hono-rag-gate/adapters/d1'

export interface D1CountingOptions {
  /** Database with the migrations of `d1/` applied. */
  readonly db: D1Database
}

/** What is counted at a time. */
export type Counts = (typeof countedDecisions.$inferSelect)['counts']

/** Counts decisions that were stored. */
export interface Counting {
  /**
   * Counts what was stored since the last time, in slices of 5,000 for the sums and 20,000 for weak spots, each of which is
   * counted exactly once. Where nothing was, it reads a few rows and writes none.
   *
   * @param counts @default everything
   * @param maxSlices of each, 1 and up. @default 4
   * @returns whether all is counted
   * @throws `schema_outdated`, `store_unavailable`
   */
  count(counts?: Counts | 'all', maxSlices?: number): Promise<boolean>
  /**
   * The same once it is worth it: sums from 50 decisions on, of fewer of which there is no alert, or once one has waited for
   * three hours; weak spots from 20,000 on, or after a week. What is counted of few decisions is as many rows as of many.
   *
   * @returns whether nothing worth it is left
   * @throws `schema_outdated`, `store_unavailable`
   */
  countMany(nowMs: number, maxSlices?: number): Promise<boolean>
}

const HOUR_MS = 3_600_000
/** A statement of so many takes half a second of D1. Weak spots are counted in a tenth of the time. */
const SLICE = { sums: 5_000, weak_spots: 20_000 } as const
const LONGEST_WAIT_MS = { sums: 3 * HOUR_MS, weak_spots: 7 * 24 * HOUR_MS } as const
const WORTH_IT = 50

const counted = (counts: Counts): string => `(SELECT place FROM counted_decisions WHERE counts = '${counts}')`
const isLate = (counts: Counts): string => `EXISTS (SELECT 1 FROM late_decisions WHERE counts = '${counts}')`
const isUncounted = (counts: Counts): string =>
  `(EXISTS (SELECT 1 FROM decisions WHERE place > ${counted(counts)}) OR ${isLate(counts)})`

/** When the first was that waits. */
const firstMs = (counts: Counts): string => `(SELECT min(place) / ${PLACES_OF_A_MS} FROM (
    SELECT min(place) AS place FROM decisions WHERE place > ${counted(counts)}
    UNION ALL SELECT min(place) FROM late_decisions WHERE counts = '${counts}'
  ))`

const countSql = (counts: Counts): string => `INSERT INTO uncounted_decisions (counts, until_place)
  SELECT '${counts}', coalesce(
    (SELECT place FROM decisions WHERE place > ${counted(counts)} ORDER BY place LIMIT 1 OFFSET ${SLICE[counts] - 1}),
    (SELECT max(place) FROM decisions), ${counted(counts)}
  ) WHERE ${isUncounted(counts)}`

/** Sums that wait, up to those that are worth it; weak spots of what is summed up; and when the first of each was. */
const WAITING = `SELECT
  (SELECT count(*) FROM (
    SELECT * FROM (SELECT 1 FROM decisions WHERE place > ${counted('sums')} LIMIT ${WORTH_IT})
    UNION ALL SELECT * FROM (SELECT 1 FROM late_decisions WHERE counts = 'sums' LIMIT ${WORTH_IT})
  )) AS sums,
  ${firstMs('sums')} AS sumsMs,
  (SELECT sum(iif(counts = 'sums', decisions, -decisions)) FROM counted_decisions) AS weak_spots,
  ${firstMs('weak_spots')} AS weak_spotsMs`

type Waiting = Record<Counts, number> & Record<`${Counts}Ms`, number | null>

/** Counting in D1. Errors of D1 itself become `schema_outdated` or `store_unavailable`. */
export function createD1Counting({ db }: D1CountingOptions): Counting {
  async function countOne(counts: Counts, maxSlices: number): Promise<boolean> {
    for (let slices = 0; slices < maxSlices; slices++) {
      const [, after] = await db
        .batch<{ left: number }>([db.prepare(countSql(counts)), db.prepare(`SELECT ${isUncounted(counts)} AS left`)])
        .catch(rethrowStoreFault)
      if (after?.results[0]?.left === 0) return true
    }
    return false
  }

  async function count(counts: Counts | 'all' = 'all', maxSlices = 4): Promise<boolean> {
    if (counts !== 'all') return countOne(counts, maxSlices)
    const isSummedUp = await countOne('sums', maxSlices)
    return (await countOne('weak_spots', maxSlices)) && isSummedUp
  }

  return {
    count,

    async countMany(nowMs, maxSlices) {
      const waiting = await db.prepare(WAITING).first<Waiting>().catch(rethrowStoreFault)
      if (waiting === null) return true
      const hasWaited = (counts: Counts): boolean =>
        nowMs - (waiting[`${counts}Ms`] ?? nowMs) >= LONGEST_WAIT_MS[counts]
      let isDone = true
      if (waiting.sums >= WORTH_IT || hasWaited('sums')) isDone = await count('sums', maxSlices)
      if (waiting.weak_spots >= SLICE.weak_spots || hasWaited('weak_spots')) {
        isDone = (await count('weak_spots', maxSlices)) && isDone
      }
      return isDone
    },
  }
}
