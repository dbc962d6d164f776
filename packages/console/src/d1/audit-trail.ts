import type { D1Database } from '@cloudflare/workers-types'
import { and, desc, eq, gte, lt } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/d1'
import { auditEvents } from 'hono-rag-gate/d1/schema'
import type { Json, Tenant } from 'hono-rag-gate/core/lib'
import { rethrowStoreFault } from 'hono-rag-gate/adapters/d1'

export interface D1AuditTrailOptions {
  /** Database with the migrations of `d1/` applied. */
  readonly db: D1Database
}

/** An entry of the trail. */
export interface AuditEntry {
  readonly id: string
  readonly atMs: number
  readonly type: string
  /** Event with which a gate reported it; `null` for actions of operators. */
  readonly decisionId: string | null
  readonly by: string | null
  readonly payload: Json
}

/** Filter of the entries. */
export interface AuditQuery {
  readonly tenant: Tenant
  readonly fromMs: number
  readonly toMs: number
  readonly type?: string
  /** 1..1000 */
  readonly limit: number
}

/** Reports of gates, and changes by operators. */
export interface AuditTrail {
  /** Latest first. @throws `schema_outdated`, `store_unavailable` */
  list(query: AuditQuery): Promise<readonly AuditEntry[]>
}

/** The audit trail in D1. Errors of D1 itself become `schema_outdated` or `store_unavailable`. */
export function createD1AuditTrail({ db }: D1AuditTrailOptions): AuditTrail {
  const queries = drizzle(db)
  return {
    async list({ tenant, fromMs, toMs, type, limit }) {
      return queries
        .select({
          id: auditEvents.id,
          atMs: auditEvents.atMs,
          type: auditEvents.type,
          decisionId: auditEvents.decisionId,
          by: auditEvents.by,
          payload: auditEvents.payload,
        })
        .from(auditEvents)
        .where(
          and(
            eq(auditEvents.tenant, tenant),
            gte(auditEvents.atMs, fromMs),
            lt(auditEvents.atMs, toMs),
            type === undefined ? undefined : eq(auditEvents.type, type),
          ),
        )
        .orderBy(desc(auditEvents.atMs), desc(auditEvents.id))
        .limit(limit)
        .catch(rethrowStoreFault)
    },
  }
}
