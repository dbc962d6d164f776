import type { D1Database } from '@cloudflare/workers-types'
import { and, desc, eq, isNull, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/d1'
import { type AlertKind, alerts } from 'hono-rag-gate/d1/schema'
import type { AlertFinding } from '../alerts/alert-rules.ts'
import type { Tenant } from 'hono-rag-gate/core/lib'
import type { Clock } from 'hono-rag-gate/ports'
import { EVERY_TENANT } from './statistics/wanted.ts'
import { rethrowStoreFault } from 'hono-rag-gate/adapters/d1'

export interface D1AlertsOptions {
  /** Database with the migrations of `d1/` applied. */
  readonly db: D1Database
  readonly clock: Clock
}

/** An alert, open until `closedMs` is set. */
export type Alert = typeof alerts.$inferSelect

/** Alerts, each open once for a tenant and kind for as long as its figure is beyond its bound. */
export interface Alerts {
  /** Opens, renews and closes a tenant's alerts by what was found. @throws `schema_outdated`, `store_unavailable` */
  update(tenant: Tenant, found: readonly AlertFinding[]): Promise<void>
  /** What alerts are open of, by tenant, from the first of an order to the last. @throws `schema_outdated`, `store_unavailable` */
  open(first: Tenant, last: Tenant): Promise<ReadonlyMap<Tenant, ReadonlySet<AlertKind>>>
  /** Open ones first, then the latest; of every tenant the open ones alone. @throws `schema_outdated`, `store_unavailable` */
  list(tenant: Tenant | typeof EVERY_TENANT, limit: number): Promise<readonly Alert[]>
  /** Alerts whose opening or closing was not told. @throws `schema_outdated`, `store_unavailable` */
  untold(): Promise<readonly Alert[]>
  /** Notes that an alert was told of as it stands. @throws `schema_outdated`, `store_unavailable` */
  told(alert: Alert): Promise<void>
}

const MOST_TOLD_AT_ONCE = 20

/** Alerts in D1. Errors of D1 itself become `schema_outdated` or `store_unavailable`. */
export function createD1Alerts({ db, clock }: D1AlertsOptions): Alerts {
  const queries = drizzle(db)

  return {
    async update(tenant, found) {
      const nowMs = clock.nowMs()
      const open = db.prepare(
        `INSERT INTO alerts (id, tenant, kind, opened_ms, closed_ms, value, bound, decisions, message, untold)
        VALUES (?1, ?2, ?3, ?4, NULL, ?5, ?6, ?7, ?8, 1)
        ON CONFLICT (tenant, kind) WHERE closed_ms IS NULL DO UPDATE SET
          value = excluded.value, bound = excluded.bound, decisions = excluded.decisions
        WHERE decisions <> excluded.decisions OR value <> excluded.value OR bound <> excluded.bound`,
      )
      await db
        .batch([
          ...found.map(({ kind, value, bound, decisions, message }) =>
            open.bind(crypto.randomUUID(), tenant, kind, nowMs, value, bound, decisions, message),
          ),
          db
            .prepare(
              `UPDATE alerts SET closed_ms = ?2, untold = 1
              WHERE tenant = ?1 AND closed_ms IS NULL AND kind NOT IN (SELECT value FROM json_each(?3))`,
            )
            .bind(tenant, nowMs, JSON.stringify(found.map(({ kind }) => kind))),
        ])
        .catch(rethrowStoreFault)
    },

    async open(first, last) {
      const rows = await queries
        .select({ tenant: alerts.tenant, kind: alerts.kind })
        .from(alerts)
        .where(and(sql`${alerts.tenant} BETWEEN ${first} AND ${last}`, isNull(alerts.closedMs)))
        .catch(rethrowStoreFault)
      const kinds = new Map<Tenant, Set<AlertKind>>()
      for (const { tenant, kind } of rows) kinds.set(tenant, (kinds.get(tenant) ?? new Set()).add(kind))
      return kinds
    },

    async list(tenant, limit) {
      return queries
        .select()
        .from(alerts)
        .where(tenant === EVERY_TENANT ? isNull(alerts.closedMs) : eq(alerts.tenant, tenant))
        .orderBy(desc(isNull(alerts.closedMs)), desc(alerts.openedMs))
        .limit(limit)
        .catch(rethrowStoreFault)
    },

    async untold() {
      return queries
        .select()
        .from(alerts)
        .where(eq(alerts.untold, 1))
        .orderBy(alerts.openedMs)
        .limit(MOST_TOLD_AT_ONCE)
        .catch(rethrowStoreFault)
    },

    async told({ id, closedMs }) {
      // It may have closed since.
      await db
        .prepare('UPDATE alerts SET untold = 0 WHERE id = ?1 AND closed_ms IS ?2')
        .bind(id, closedMs)
        .run()
        .catch(rethrowStoreFault)
    },
  }
}
