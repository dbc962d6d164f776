import type { D1Database } from '@cloudflare/workers-types'
import { number, object, required, requireOptions } from 'hono-rag-gate/core/lib'
import type { Clock } from 'hono-rag-gate/ports'
import { PURGES_KEPT_DAYS, rethrowStoreFault } from 'hono-rag-gate/adapters/d1'
import { createD1Counting } from './counting.ts'
import { placeOf } from './of-event.ts'
import type { JobRun } from './job-records.ts'

export interface D1RetentionOptions {
  /** Database with the migrations of `d1/` applied. */
  readonly db: D1Database
  readonly clock: Clock
  /**
   * Days after which single decisions, weak questions, feedback and the records of isolates go. 1..3,650. Counts stay.
   *
   * @default 90
   */
  readonly decisionDays?: number
  /**
   * Most decisions that are kept, of all tenants together; of more the oldest go before their days are over. 1,000 and up.
   *
   * @default 4,000,000: with some 1.7 kB each they fit the 10 GB of a D1 database
   */
  readonly decisionsAtMost?: number
  /**
   * Days after which the audit trail and closed alerts go. 1..3,650.
   *
   * @default 730
   */
  readonly auditDays?: number
}

/** Where a run goes on. */
export interface RetentionCursor {
  /** Tables that are not done, in the order of their turns. */
  readonly tables: readonly string[]
  /** By table: the tenant whose rows went last. */
  readonly tenants: Readonly<Record<string, string>>
}

/** What a run removed. */
export interface RetentionRun extends JobRun {
  /** Rows by table. */
  readonly removed: Readonly<Record<string, number>>
  /** Where the next run goes on. */
  readonly next: RetentionCursor
}

/** Removes what is older than it may be. */
export interface Retention {
  /**
   * Removes rows in slices of 5,000, the oldest of a tenant first, until none is left or the statements of one run are used
   * up. Tables take turns, and tenants of a table too. What is not counted yet stays; it can be stopped after any statement.
   *
   * @param maxStatements 1 and up. @default 80
   * @param from where the run before ended. @default the first table and tenant
   * @param exportedToMs decisions from this moment on are not removed for their number. @default all may be
   * @throws `schema_outdated`, `store_unavailable`
   */
  run(maxStatements?: number, from?: RetentionCursor, exportedToMs?: number): Promise<RetentionRun>
}

const DAY_MS = 86_400_000
const SLICE = 5_000
/** With one statement for each table, as many again and more are left to those that have much to remove. */
const MOST_STATEMENTS = 80
const TOMBSTONE_DAYS = 30
const DECISIONS_AT_MOST = 4_000_000
const DAYS = number(1, 3_650)

/**
 * What is too old, by table: a condition on `?1`, the first moment that stays. Tables whose index begins with the tenant are
 * gone through tenant by tenant.
 */
const TOO_OLD = {
  question_texts: { key: 'tenant, question_hmac', time: 'expires_ms', byTenant: false, keeps: 'expiry' },
  decisions: { key: 'place', time: 'place', byTenant: false, keeps: 'decisions' },
  question_days: {
    key: 'tenant, day_ms, collection, question_hmac',
    time: 'day_ms',
    byTenant: true,
    keeps: 'decisions',
  },
  feedback: { key: 'event_id, source', time: 'at_ms', byTenant: true, keeps: 'decisions' },
  isolates: { key: 'id', time: 'last_ms', byTenant: false, keeps: 'decisions' },
  rejected_events: { key: 'isolate, sequence', time: 'at_ms', byTenant: false, keeps: 'decisions' },
  request_faults: {
    key: 'hour_ms, route, status, code, isolate',
    time: 'hour_ms',
    byTenant: false,
    keeps: 'decisions',
  },
  audit_events: { key: 'id', time: 'at_ms', byTenant: true, keeps: 'audit' },
  alerts: { key: 'id', time: 'closed_ms', byTenant: false, keeps: 'audit' },
  answer_purges: { key: 'tenant, scope', time: 'epoch', byTenant: false, keeps: 'purges' },
  // What a queue still holds of an erased principal has arrived by then.
  erasures: { key: 'tenant, principal_id', time: 'finished_ms', byTenant: false, keeps: 'tombstones' },
} as const

type OldTable = keyof typeof TOO_OLD

// The names are those of the object itself.
const TABLES = Object.keys(TOO_OLD) as OldTable[]
const FIRST: RetentionCursor = { tables: TABLES, tenants: {} }

/**
 * Retention in D1.
 *
 * @throws `config_invalid` when a number of days is out of range
 */
export function createD1Retention(options: D1RetentionOptions): Retention {
  requireOptions(options, {
    db: required(object),
    clock: required(object),
    decisionDays: DAYS,
    decisionsAtMost: number(1_000),
    auditDays: DAYS,
  })
  const { db, clock, decisionDays = 90, decisionsAtMost = DECISIONS_AT_MOST, auditDays = 730 } = options
  const counting = createD1Counting({ db })
  const days = {
    decisions: decisionDays,
    audit: auditDays,
    expiry: 0,
    tombstones: TOMBSTONE_DAYS,
    purges: PURGES_KEPT_DAYS,
  }

  /**
   * The first moment of which decisions stay. It is noted before any is removed: from then on what is older is neither stored
   * nor counted, as it could have been before.
   */
  async function decisionsFrom(nowMs: number, exportedToMs: number): Promise<number> {
    const beforeMs = nowMs - decisionDays * DAY_MS
    const kept = (await db.prepare(KEPT).first<number>('kept')) ?? 0
    // No further than one run comes.
    const tooMany = Math.min(kept - decisionsAtMost, SLICE * MOST_STATEMENTS)
    if (tooMany > 0) await counting.count('weak_spots')
    const first = tooMany <= 0 ? 0 : await db.prepare(FIRST_KEPT).bind(tooMany).first<number>('at_ms')
    const fromMs = Math.max(beforeMs, Math.min(first ?? 0, exportedToMs))
    await db.prepare(NOTE_REMOVED).bind(fromMs).run()
    return fromMs
  }

  /** Tenants of the rows that went: `meta.changes` would count what triggers write as well. */
  async function removeSlice(table: OldTable, before: number, after: string): Promise<readonly string[]> {
    const statement = db.prepare(TOO_OLD[table].byTenant ? removalByTenant(table) : removal(table))
    const bound = statement.bind(...(TOO_OLD[table].byTenant ? [before, after] : [before]))
    const noted = table === 'decisions' ? [db.prepare(NOTE_HOW_MANY)] : []
    const [gone] = await db.batch<{ tenant: string }>([bound, ...noted])
    return gone?.results.map(({ tenant }) => tenant) ?? []
  }

  async function run(maxStatements: number, from: RetentionCursor, exportedToMs: number): Promise<RetentionRun> {
    const nowMs = clock.nowMs()
    // What is not counted stays, and waits for a week at most.
    await counting.countMany(nowMs)
    const decisionsFromMs = await decisionsFrom(nowMs, exportedToMs)
    const removed = Object.fromEntries(TABLES.map((table) => [table, 0]))
    const tenants: Record<string, string> = { ...from.tenants }
    // A cursor of an older version may name a table that is gone.
    const waiting = from.tables.filter((table): table is OldTable => Object.hasOwn(TOO_OLD, table))
    for (let statements = 0; statements < maxStatements; statements++) {
      const table = waiting.shift()
      if (table === undefined) break
      const after = tenants[table] ?? ''
      const fromMs = nowMs - days[TOO_OLD[table].keeps] * DAY_MS
      const before = table === 'decisions' ? placeOf(decisionsFromMs) : fromMs
      const gone = await removeSlice(table, before, after)
      removed[table]! += gone.length
      delete tenants[table]
      // The last of a slice has had its turn; what is left of it goes once those after it had theirs.
      if (gone.length === SLICE && TOO_OLD[table].byTenant) tenants[table] = lastOf(gone)
      if (gone.length === SLICE || after !== '') waiting.push(table)
    }
    const finished = waiting.length === 0
    return { removed, finished, next: finished ? FIRST : { tables: waiting, tenants } }
  }

  return {
    run: (maxStatements = MOST_STATEMENTS, from = FIRST, exportedToMs = Number.MAX_SAFE_INTEGER) =>
      run(maxStatements, from, exportedToMs).catch(rethrowStoreFault),
  }
}

/** How many decisions there are of those counted. */
const KEPT = `SELECT counted.decisions - removed.decisions AS kept
  FROM counted_decisions AS counted, removed_decisions AS removed WHERE counted.counts = 'sums'`
/** When the first decision was that stays where `?1` go. */
const FIRST_KEPT = `SELECT at_ms FROM decisions ORDER BY place LIMIT 1 OFFSET CAST(?1 AS INTEGER)`

const NOTE_REMOVED = `UPDATE removed_decisions SET before_ms = ?1 WHERE before_ms < ?1`
const NOTE_HOW_MANY = `UPDATE removed_decisions SET decisions = decisions + changes()`

const BUT: Partial<Record<OldTable, string>> = {
  // Numbers of purges never come again: the newest is not forgotten.
  answer_purges: ' AND epoch < (SELECT max(epoch) FROM answer_purges)',
  // What is not counted stays until it is.
  decisions:
    ' AND place <= (SELECT min(place) FROM counted_decisions) AND place NOT IN (SELECT place FROM late_decisions)',
}

function removal(table: OldTable): string {
  const { key, time } = TOO_OLD[table]
  const but = BUT[table] ?? ''
  return `DELETE FROM ${table} WHERE (${key}) IN (
    SELECT ${key} FROM ${table} WHERE ${time} < ?1${but} ORDER BY ${time} LIMIT ${SLICE}
  ) RETURNING '' AS tenant`
}

/** Jumps from tenant to tenant, beginning after `?2`: one that has nothing to remove costs two rows read. */
function removalByTenant(table: OldTable): string {
  const { key, time } = TOO_OLD[table]
  const ofOld = key.replaceAll(/\w+/g, 'old.$&')
  return `WITH RECURSIVE known (tenant) AS (
    SELECT min(tenant) FROM ${table} WHERE tenant > ?2
    UNION ALL
    SELECT (SELECT min(next.tenant) FROM ${table} AS next WHERE next.tenant > known.tenant)
    FROM known WHERE known.tenant IS NOT NULL
  )
  DELETE FROM ${table} WHERE (${key}) IN (
    SELECT ${ofOld} FROM known CROSS JOIN ${table} AS old ON old.tenant = known.tenant AND old.${time} < ?1
    WHERE known.tenant IS NOT NULL LIMIT ${SLICE}
  ) RETURNING tenant`
}

function lastOf(tenants: readonly string[]): string {
  return tenants.reduce((last, tenant) => (tenant > last ? tenant : last), '')
}
