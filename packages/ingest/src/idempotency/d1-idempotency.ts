import { methods, required, requireOptions } from 'hono-rag-gate/core/lib'
import type { D1Database } from '@cloudflare/workers-types'
import { and, eq, isNull, lt, lte, or, type SQL } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/d1'
import { idempotencyKeys } from 'hono-rag-gate/d1/schema'
import type { Clock } from 'hono-rag-gate/ports'
import type { IdempotencyStore } from './idempotency.ts'
import { rethrowStoreFault } from 'hono-rag-gate/adapters/d1'

const KEPT_MS = 86_400_000
/** How long a claim is valid without renewal. */
const CLAIM_HOLDS_MS = 60_000
/** Tolerates two failed renewals in a row. */
const RENEW_EVERY_MS = CLAIM_HOLDS_MS / 3

/** Stores idempotency keys in D1. */
export function createD1IdempotencyStore(options: {
  readonly db: D1Database
  readonly clock: Clock
}): IdempotencyStore {
  requireOptions(options, { db: required(methods('prepare')), clock: required(methods('nowMs')) })
  const { db, clock } = options
  const queries = drizzle(db)
  const keys = idempotencyKeys
  return {
    async begin({ tenant, key, requestHash }) {
      const nowMs = clock.nowMs()
      const claim = crypto.randomUUID()
      const claimed = { requestHash, claim, atMs: nowMs, status: null, body: null }
      const [taken, [row]] = await queries
        .batch([
          queries
            .insert(keys)
            .values({ tenant, key, ...claimed })
            .onConflictDoUpdate({
              target: [keys.tenant, keys.key],
              set: claimed,
              // Never `undefined`, because there are conditions.
              setWhere: or(
                lte(keys.atMs, nowMs - KEPT_MS),
                and(isNull(keys.status), eq(keys.requestHash, requestHash), lte(keys.atMs, nowMs - CLAIM_HOLDS_MS)),
              )!,
            })
            .returning({ key: keys.key }),
          queries
            .select()
            .from(keys)
            .where(and(eq(keys.tenant, tenant), eq(keys.key, key))),
        ])
        .catch(rethrowStoreFault)
      if (taken.length === 1 || row === undefined) {
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
        .update(keys)
        .set({ atMs: clock.nowMs() })
        .where(underWay(request, claim))
        .returning({ key: keys.key })
        .catch(rethrowStoreFault)
      return renewed.length === 1
    },

    async finish(request, claim, status, body) {
      await queries.update(keys).set({ status, body }).where(underWay(request, claim)).catch(rethrowStoreFault)
    },

    async abandon(request, claim) {
      await queries.delete(keys).where(underWay(request, claim)).catch(rethrowStoreFault)
    },

    async prune() {
      await queries
        .delete(keys)
        .where(lt(keys.atMs, clock.nowMs() - KEPT_MS))
        .catch(rethrowStoreFault)
    },
  }
}

/** Condition for a request in progress under a claim. */
function underWay({ tenant, key }: { readonly tenant: string; readonly key: string }, claim: string): SQL | undefined {
  const keys = idempotencyKeys
  return and(eq(keys.tenant, tenant), eq(keys.key, key), eq(keys.claim, claim), isNull(keys.status))
}
