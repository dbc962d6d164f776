import type { D1Database } from '@cloudflare/workers-types'
import { eq, lt } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/d1'
import { countedDecisions, decisions, removedDecisions } from 'hono-rag-gate/d1/schema'
import { methods, number, required, requireOptions } from 'hono-rag-gate/core/lib'
import type { Clock } from 'hono-rag-gate/ports'
import { PURGES_KEPT_DAYS, rethrowStoreFault } from 'hono-rag-gate/adapters/d1'
import { createD1Counting } from './counting.ts'
import { firstOf, NOTE_HOW_MANY, removalOf, SLICE, TOO_OLD } from './raw/retention.ts'
import { placeOf } from './of-event.ts'
import type { JobRun } from './job-records.ts'
import { DAY_MS } from '../durations.ts'

export interface D1RetentionOptions {
  /** Database with the migrations of `d1/` applied. */
  readonly db: D1Database
  readonly clock: Clock
  /**
   * Days for which decisions, weak spots, feedback and isolate records are kept. 1..3,650. Counts are never removed.
   *
   * @default 90
   */
  readonly decisionDays?: number
  /**
   * Maximum number of decisions of all tenants; the oldest are removed before their days are over. 1,000 and up.
   *
   * @default 4,000,000: at about 1.7 kB each they fit into the 10 GB of a D1 database
   */
  readonly decisionsAtMost?: number | undefined
  /**
   * Days for which the audit trail and closed alerts are kept. 1..3,650.
   *
   * @default 730
   */
  readonly auditDays?: number
}

/** Where the next run continues. */
export interface RetentionCursor {
  /** Unfinished tables, in the order of their turns. */
  readonly tables: readonly string[]
  /** By table: the last tenant processed. */
  readonly tenants: Readonly<Record<string, string>>
  /** By table that is only scanned if its oldest row has expired: that row's time, in milliseconds, or earlier. */
  readonly due?: Readonly<Record<string, number>>
}

/** Result of a run. */
export interface RetentionRun extends JobRun {
  /** Number of removed rows by table. */
  readonly removed: Readonly<Record<string, number>>
  /** Where the next run continues. */
  readonly next: RetentionCursor
}

/** Removes expired rows. */
export interface Retention {
  /**
   * Removes rows in slices of 5,000, the oldest of a tenant first, until none is left or the run's statements are used
   * up. Tables take turns, and so do tenants within a table. Uncounted decisions stay. It can be interrupted after any
   * statement.
   *
   * @param maxStatements 1 and up. @default 80
   * @param from where the previous run ended. @default the first table and tenant
   * @param exportedToMs later decisions are not removed for exceeding the maximum number. @default no limit
   * @throws `schema_outdated`, `store_unavailable`
   */
  run(maxStatements?: number, from?: RetentionCursor, exportedToMs?: number): Promise<RetentionRun>
}

/** One statement per table leaves at least as many for tables with much to remove. */
const MOST_STATEMENTS = 80
const TOMBSTONE_DAYS = 30
const DECISIONS_AT_MOST = 4_000_000
/** Nothing arrives later, because Cloudflare Queues retain messages for at most this long. */
const LATEST_DAYS = 14
const DAYS = number(1, 3_650)

// The keys are those of the object itself.
const TABLES = Object.keys(TOO_OLD)
const FIRST: RetentionCursor = { tables: TABLES, tenants: {} }

/**
 * Retention in D1.
 *
 * @throws `config_invalid` when a number of days is out of range
 */
export function createD1Retention(options: D1RetentionOptions): Retention {
  requireOptions(options, {
    db: required(methods('prepare')),
    clock: required(methods('nowMs')),
    decisionDays: DAYS,
    decisionsAtMost: number(1_000),
    auditDays: DAYS,
  })
  const { db, clock, decisionDays = 90, decisionsAtMost = DECISIONS_AT_MOST, auditDays = 730 } = options
  const counting = createD1Counting({ db })
  const queries = drizzle(db)
  const days = {
    decisions: decisionDays,
    audit: auditDays,
    expiry: 0,
    tombstones: TOMBSTONE_DAYS,
    purges: PURGES_KEPT_DAYS,
  }

  /**
   * The time from which decisions are kept. It is stored before anything is removed: from then on older decisions are
   * neither stored nor counted, because they may have been before.
   */
  async function decisionsFrom(nowMs: number, exportedToMs: number): Promise<number> {
    const beforeMs = nowMs - decisionDays * DAY_MS
    const [counted] = await queries
      .select({ decisions: countedDecisions.decisions, removed: removedDecisions.decisions })
      .from(countedDecisions)
      .innerJoin(removedDecisions, eq(countedDecisions.counts, 'sums'))
    const kept = (counted?.decisions ?? 0) - (counted?.removed ?? 0)
    // Limited to what one run can remove.
    const tooMany = Math.min(kept - decisionsAtMost, SLICE * MOST_STATEMENTS)
    if (tooMany > 0) await counting.count('weak_spots')
    const { atMs, place } = decisions
    const [first] =
      tooMany <= 0 ? [] : await queries.select({ atMs }).from(decisions).orderBy(place).limit(1).offset(tooMany)
    const fromMs = Math.max(beforeMs, Math.min(first?.atMs ?? 0, exportedToMs))
    await queries.update(removedDecisions).set({ beforeMs: fromMs }).where(lt(removedDecisions.beforeMs, fromMs))
    return fromMs
  }

  /** Returns the tenants of the removed rows, because `meta.changes` would also count rows written by triggers. */
  async function removeSlice(table: string, before: number, after: string): Promise<string[]> {
    const removal = db.prepare(removalOf(table)).bind(before, after)
    const noted = table === 'decisions' ? [db.prepare(NOTE_HOW_MANY)] : []
    const [gone] = await db.batch<{ tenant: string }>([removal, ...noted])
    return gone?.results.map(({ tenant }) => tenant) ?? []
  }

  async function run(maxStatements: number, from: RetentionCursor, exportedToMs: number): Promise<RetentionRun> {
    const nowMs = clock.nowMs()
    // Uncounted decisions are kept, and are counted within a week at the latest.
    await counting.countMany(nowMs)
    const decisionsFromMs = await decisionsFrom(nowMs, exportedToMs)
    const removed: Record<string, number> = {}
    const tenants: Record<string, string> = { ...from.tenants }
    const due: Record<string, number> = { ...from.due }
    // The cursor of an older version may name a table that no longer exists.
    const waiting = from.tables.filter((table) => table in TOO_OLD)
    for (let statements = 0; statements < maxStatements; statements++) {
      const table = waiting.shift()
      if (table === undefined) break
      const after = tenants[table] ?? ''
      const [, , keeps, index] = TOO_OLD[table]!
      const fromMs = nowMs - days[keeps] * DAY_MS
      const before = table === 'decisions' ? placeOf(decisionsFromMs) : index ? fromMs - (fromMs % DAY_MS) : fromMs
      if ((due[table] ?? 0) >= before) continue
      const gone = await removeSlice(table, before, after)
      removed[table] = (removed[table] ?? 0) + gone.length
      const isFull = gone.length === SLICE
      // The last tenant of a full slice has had its turn; the rest of its rows follow after the other tenants' turns.
      tenants[table] = isFull ? gone.sort().at(-1)! : ''
      if (isFull || after) waiting.push(table)
      else if (index) {
        const firstMs = await db.prepare(firstOf(table)).first<number>('ms')
        due[table] = Math.min(firstMs ?? nowMs, nowMs - LATEST_DAYS * DAY_MS)
      }
    }
    const finished = waiting.length === 0
    return { removed, finished, next: { tables: finished ? TABLES : waiting, tenants, due } }
  }

  return {
    run: (maxStatements = MOST_STATEMENTS, from = FIRST, exportedToMs = Infinity) =>
      run(maxStatements, from, exportedToMs).catch(rethrowStoreFault),
  }
}
