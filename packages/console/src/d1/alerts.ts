import type { D1Database } from '@cloudflare/workers-types'
import { and, desc, eq, isNull, ne, notInArray, or, sql } from 'drizzle-orm'
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

/** Alerts; per tenant and kind at most one is open, while its figure is outside the bound. */
export interface Alerts {
  /** Opens, updates and closes a tenant's alerts by the findings. @throws `schema_outdated`, `store_unavailable` */
  update(tenant: Tenant, found: readonly AlertFinding[]): Promise<void>
  /** Kinds of open alerts by tenant. @throws `schema_outdated`, `store_unavailable` */
  open(): Promise<ReadonlyMap<Tenant, ReadonlySet<AlertKind>>>
  /** Open ones first, then the latest; of all tenants only open ones. @throws `schema_outdated`, `store_unavailable` */
  list(tenant: Tenant | typeof EVERY_TENANT, limit: number): Promise<readonly Alert[]>
  /**
   * Up to twenty alerts with unreported changes: the ten latest, and others at random.
   *
   * @throws `schema_outdated`, `store_unavailable`
   */
  untold(): Promise<readonly Alert[]>
  /** Marks the current state of an alert as reported. @throws `schema_outdated`, `store_unavailable` */
  told(alert: Alert): Promise<void>
}

const MOST_TOLD_AT_ONCE = 20

/** Alerts in D1. Errors of D1 itself become `schema_outdated` or `store_unavailable`. */
export function createD1Alerts({ db, clock }: D1AlertsOptions): Alerts {
  const queries = drizzle(db)

  return {
    async update(tenant, found) {
      const nowMs = clock.nowMs()
      const { value, bound, decisions } = alerts
      const opened = found.map((each) =>
        queries
          .insert(alerts)
          .values({ id: crypto.randomUUID(), tenant, openedMs: nowMs, untold: 1, ...each })
          .onConflictDoUpdate({
            target: [alerts.tenant, alerts.kind],
            targetWhere: isNull(alerts.closedMs),
            set: { value: each.value, bound: each.bound, decisions: each.decisions },
            // Never `undefined`, because there are conditions.
            setWhere: or(ne(decisions, each.decisions), ne(value, each.value), ne(bound, each.bound))!,
          }),
      )
      const isOver = notInArray(
        alerts.kind,
        found.map(({ kind }) => kind),
      )
      const closed = queries
        .update(alerts)
        .set({ closedMs: nowMs, untold: 1 })
        .where(and(eq(alerts.tenant, tenant), isNull(alerts.closedMs), isOver))
      await queries.batch([closed, ...opened]).catch(rethrowStoreFault)
    },

    async open() {
      const rows = await queries
        .select({ tenant: alerts.tenant, kind: alerts.kind })
        .from(alerts)
        .where(isNull(alerts.closedMs))
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
      // So that alerts that the webhook always rejects block neither new nor old ones.
      const turn = sql`iif(row_number() OVER (ORDER BY ${alerts.openedMs} DESC) <= 10,
        -${alerts.openedMs}, abs(random() % 1000000))`
      return queries
        .select()
        .from(alerts)
        .where(eq(alerts.untold, 1))
        .orderBy(turn)
        .limit(MOST_TOLD_AT_ONCE)
        .catch(rethrowStoreFault)
    },

    async told({ id, closedMs }) {
      // It may have been closed in the meantime.
      await queries
        .update(alerts)
        .set({ untold: 0 })
        .where(and(eq(alerts.id, id), sql`${alerts.closedMs} IS ${closedMs}`))
        .catch(rethrowStoreFault)
    },
  }
}
