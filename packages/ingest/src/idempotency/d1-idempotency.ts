import { object, required, requireOptions } from 'hono-rag-gate/core/lib'
import type { D1Database } from '@cloudflare/workers-types'
import type { Clock } from 'hono-rag-gate/ports'
import type { IdempotencyStore } from './idempotency.ts'
import { rethrowStoreFault } from 'hono-rag-gate/adapters/d1'

const KEPT_MS = 86_400_000
/** How long a claim holds without being renewed. */
const CLAIM_HOLDS_MS = 60_000
/** Two renewals in a row may be lost. */
const RENEW_EVERY_MS = CLAIM_HOLDS_MS / 3

/** Of a request that is carried out under a claim: tenant, key and claim. */
const CLAIMED = 'WHERE tenant = ?1 AND key = ?2 AND claim = ?3 AND status IS NULL'

/** Remembers named requests in D1. */
export function createD1IdempotencyStore(options: {
  readonly db: D1Database
  readonly clock: Clock
}): IdempotencyStore {
  requireOptions(options, { db: required(object), clock: required(object) })
  const { db, clock } = options
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

    async renew({ tenant, key }, claim) {
      const { results } = await db
        .prepare(`UPDATE idempotency_keys SET at_ms = ?4 ${CLAIMED} RETURNING key`)
        .bind(tenant, key, claim, clock.nowMs())
        .all()
        .catch(rethrowStoreFault)
      return results.length === 1
    },

    async finish({ tenant, key }, claim, status, body) {
      await db
        .prepare(`UPDATE idempotency_keys SET status = ?4, body = ?5 ${CLAIMED}`)
        .bind(tenant, key, claim, status, body)
        .run()
        .catch(rethrowStoreFault)
    },

    async abandon({ tenant, key }, claim) {
      await db
        .prepare(`DELETE FROM idempotency_keys ${CLAIMED}`)
        .bind(tenant, key, claim)
        .run()
        .catch(rethrowStoreFault)
    },

    async prune() {
      await db
        .prepare('DELETE FROM idempotency_keys WHERE at_ms < ?1')
        .bind(clock.nowMs() - KEPT_MS)
        .run()
        .catch(rethrowStoreFault)
    },
  }
}
