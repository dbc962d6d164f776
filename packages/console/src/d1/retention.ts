import type { D1Database } from '@cloudflare/workers-types'
import { number, object, required, requireOptions } from 'hono-rag-gate/core/lib'
import type { Clock } from 'hono-rag-gate/ports'
import { PURGES_KEPT_DAYS, rethrowStoreFault } from 'hono-rag-gate/adapters/d1'

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
   * Days after which the audit trail and closed alerts go. 1..3,650.
   *
   * @default 730
   */
  readonly auditDays?: number
}

/** What a run removed. */
export interface RetentionRun {
  /** Rows by table. */
  readonly removed: Readonly<Record<string, number>>
  /** `false` when rows are left for the next run. */
  readonly finished: boolean
}

/** Removes what is older than it may be. */
export interface Retention {
  /**
   * Removes rows in slices of 500, the oldest first, until none is left or the slices of one run are used up. It can be
   * stopped after any statement: the next run goes on from there.
   *
   * @param maxSlices most statements that remove anything. @default 20
   * @throws `schema_outdated`, `store_unavailable`
   */
  run(maxSlices?: number): Promise<RetentionRun>
}

const DAY_MS = 86_400_000
const SLICE = 500
const TOMBSTONE_DAYS = 30
const DAYS = number(1, 3_650)

/**
 * What is too old, by table: a condition on `?1`, the first moment that stays, with an index behind it. Tables whose
 * index begins with the tenant are gone through tenant by tenant.
 */
const TOO_OLD = {
  question_texts: { key: 'tenant, question_hmac', time: 'expires_ms', byTenant: false, keeps: 'expiry' },
  decisions: { key: 'id', time: 'at_ms', byTenant: true, keeps: 'decisions' },
  question_days: {
    key: 'tenant, day_ms, collection, question_hmac',
    time: 'day_ms',
    byTenant: true,
    keeps: 'decisions',
  },
  feedback: { key: 'event_id, source', time: 'at_ms', byTenant: true, keeps: 'decisions' },
  isolates: { key: 'id', time: 'last_ms', byTenant: false, keeps: 'decisions' },
  rejected_events: { key: 'isolate, sequence', time: 'at_ms', byTenant: false, keeps: 'decisions' },
  removed_decisions: { key: 'id', time: 'at_ms', byTenant: false, keeps: 'removed' },
  audit_events: { key: 'id', time: 'at_ms', byTenant: true, keeps: 'audit' },
  alerts: { key: 'id', time: 'closed_ms', byTenant: false, keeps: 'audit' },
  answer_purges: { key: 'tenant, scope', time: 'epoch', byTenant: true, keeps: 'purges' },
  // What a queue still holds of an erased principal has arrived by then.
  erasures: { key: 'tenant, principal_id', time: 'finished_ms', byTenant: false, keeps: 'tombstones' },
} as const

type OldTable = keyof typeof TOO_OLD

/**
 * Retention in D1.
 *
 * @throws `config_invalid` when a number of days is out of range
 */
export function createD1Retention(options: D1RetentionOptions): Retention {
  requireOptions(options, { db: required(object), clock: required(object), decisionDays: DAYS, auditDays: DAYS })
  const { db, clock, decisionDays = 90, auditDays = 730 } = options
  const days = {
    decisions: decisionDays,
    // A queue keeps a message for two weeks at most: what it delivers again is known until then.
    removed: decisionDays + TOMBSTONE_DAYS,
    audit: auditDays,
    expiry: 0,
    tombstones: TOMBSTONE_DAYS,
    purges: PURGES_KEPT_DAYS,
  }

  async function tenantsOf(table: OldTable): Promise<readonly string[]> {
    const { results } = await db
      .prepare(
        `WITH RECURSIVE known (tenant) AS (
          SELECT min(tenant) FROM ${table}
          UNION ALL
          SELECT (SELECT min(next.tenant) FROM ${table} AS next WHERE next.tenant > known.tenant)
          FROM known WHERE known.tenant IS NOT NULL
        )
        SELECT tenant FROM known WHERE tenant IS NOT NULL`,
      )
      .all<{ tenant: string }>()
    return results.map(({ tenant }) => tenant)
  }

  async function removeSlice(table: OldTable, before: number, tenant: string | undefined): Promise<number> {
    const { key, time } = TOO_OLD[table]
    // Numbers of purges never come again: the newest is not forgotten.
    const but = table === 'answer_purges' ? ' AND epoch < (SELECT max(epoch) FROM answer_purges)' : ''
    const where = `${time} < ?1${tenant === undefined ? '' : ' AND tenant = ?2'}${but}`
    const statement = db.prepare(
      `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${where} ORDER BY ${time} LIMIT ${SLICE})`,
    )
    const { meta } = await statement.bind(...(tenant === undefined ? [before] : [before, tenant])).run()
    return meta.changes
  }

  async function run(maxSlices: number): Promise<RetentionRun> {
    const removed: Partial<Record<OldTable, number>> = {}
    const nowMs = clock.nowMs()
    let slices = 0
    // The names are those of the object itself.
    for (const table of Object.keys(TOO_OLD) as OldTable[]) {
      const { byTenant, keeps } = TOO_OLD[table]
      const before = nowMs - days[keeps] * DAY_MS
      removed[table] = 0
      for (const tenant of byTenant ? await tenantsOf(table) : [undefined]) {
        for (let gone = SLICE; gone === SLICE;) {
          if (slices >= maxSlices) return { removed, finished: false }
          gone = await removeSlice(table, before, tenant)
          removed[table] += gone
          // A statement that finds nothing does not count: the next run would never get past the first tables.
          if (gone > 0) slices++
        }
      }
    }
    return { removed, finished: true }
  }

  return { run: (maxSlices = 20) => run(maxSlices).catch(rethrowStoreFault) }
}
