import { object, required, requireOptions } from 'hono-rag-gate/core/lib'
import type { D1Database } from '@cloudflare/workers-types'
import { and, eq, isNull, lt } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/d1'
import { idempotencyKeys } from 'hono-rag-gate/d1/schema'
import type { Clock } from 'hono-rag-gate/ports'
import type { IdempotencyStore, NamedRequest } from './idempotency.ts'
import { rethrowStoreFault } from 'hono-rag-gate/adapters/d1'

const KEPT_MS = 86_400_000
/** How long a claim holds without being renewed. */
const CLAIM_HOLDS_MS = 60_000
/** Two renewals in a row may be lost. */
const RENEW_EVERY_MS = CLAIM_HOLDS_MS / 3

/** Remembers named requests in D1. */
export function createD1IdempotencyStore(options: {
  readonly db: D1Database
  readonly clock: Clock
}): IdempotencyStore {
  requireOptions(options, { db: required(object), clock: required(object) })
  const { db, clock } = options
  const queries = drizzle(db)
  const claimed = ({ tenant, key }: NamedRequest, claim: string) =>
    and(
      eq(idempotencyKeys.tenant, tenant),
      eq(idempotencyKeys.key, key),
      eq(idempotencyKeys.claim, claim),
      isNull(idempotencyKeys.status),
    )
  return {
    async begin({ tenant, key, requestHash }) {
      const nowMs = clock.nowMs()
      const claim = crypto.randomUUID()
      const [taken, stored] = await db
        .batch<{ requestHash: string; atMs: number; status: number | null; body: string | null }>([
          db
            .prepare(
              `INSERT INTO idempotency_keys (tenant, key, request_hash, claim, at_ms) VALUES (?1, ?2, ?3, ?7, ?4)
               ON CONFLICT (tenant, key) DO UPDATE SET request_hash = ?3, claim = ?7, at_ms = ?4, status = NULL, body = NULL
               WHERE at_ms <= ?5 OR (status IS NULL AND request_hash = ?3 AND at_ms <= ?6) RETURNING key`,
            )
            .bind(tenant, key, requestHash, nowMs, nowMs - KEPT_MS, nowMs - CLAIM_HOLDS_MS, claim),
          db
            .prepare(
              `SELECT request_hash AS "requestHash", at_ms AS "atMs", status, body FROM idempotency_keys
               WHERE tenant = ?1 AND key = ?2`,
            )
            .bind(tenant, key),
        ])
        .catch(rethrowStoreFault)
      const row = stored?.results[0]
      if (taken?.results.length === 1 || row === undefined) {
        return { kind: 'new', claim, renewEveryMs: RENEW_EVERY_MS }
      }
      if (row.requestHash !== requestHash) return { kind: 'reused' }
      if (row.status !== null) return { kind: 'done', status: row.status, body: row.body ?? '' }
      return {
        kind: 'running',
        retryAfterSeconds: Math.max(1, Math.ceil((row.atMs + CLAIM_HOLDS_MS - nowMs) / 1000)),
      }
    },

    async renew(request, claim) {
      const renewed = await queries
        .update(idempotencyKeys)
        .set({ atMs: clock.nowMs() })
        .where(claimed(request, claim))
        .returning({ key: idempotencyKeys.key })
        .catch(rethrowStoreFault)
      return renewed.length === 1
    },

    async finish(request, claim, status, body) {
      await queries
        .update(idempotencyKeys)
        .set({ status, body })
        .where(claimed(request, claim))
        .catch(rethrowStoreFault)
    },

    async abandon(request, claim) {
      await queries.delete(idempotencyKeys).where(claimed(request, claim)).catch(rethrowStoreFault)
    },

    async prune() {
      await queries
        .delete(idempotencyKeys)
        .where(lt(idempotencyKeys.atMs, clock.nowMs() - KEPT_MS))
        .catch(rethrowStoreFault)
    },
  }
}
