/** Limits the model tokens of a tenant's questions per day and month. */
import type { D1Database } from '@cloudflare/workers-types'
import { keepNewest, methods, required, requireOptions, whole } from 'hono-rag-gate/core/lib'
import { rethrowStoreFault } from 'hono-rag-gate/adapters/d1'
import type { Clock } from 'hono-rag-gate/ports'
import { SPENT } from '../d1/raw/budgets.ts'
import { ConsoleError } from '../errors.ts'

/** Options of `createD1TokenBudget`: a limit per day, per month, or both. */
export interface D1TokenBudgetOptions {
  /** Database in which decisions are counted. */
  readonly db: D1Database
  /** Input and output tokens per UTC day, 1 and up. @default unlimited */
  readonly perDay?: number | undefined
  /** Per UTC month. @default unlimited */
  readonly perMonth?: number | undefined
  /** @default the platform's */
  readonly clock?: Clock
}

/** Checks whether a model may be called. */
export interface TokenBudget {
  /** @throws `budget_spent` with `Retry-After`; `store_unavailable`, `schema_outdated`: then calls are blocked too */
  require(tenant: string): Promise<void>
}

/** Maximum age of a cached count; questions within this time may exceed the budget. */
const COPY_MS = 30_000
const MOST_TENANTS = 1000

/**
 * A budget over the statistics, which are read at most every thirty seconds per tenant.
 *
 * @throws `config_invalid` for invalid options
 */
export function createD1TokenBudget(options: D1TokenBudgetOptions): TokenBudget {
  requireOptions(options, {
    db: required(methods('prepare')),
    perDay: whole(1),
    perMonth: whole(1),
    clock: methods('nowMs'),
  })
  const { db, perDay = Infinity, perMonth = Infinity, clock = { nowMs: () => Date.now() } } = options
  const known = new Map<string, { readonly atMs: number; readonly day: number; readonly month: number }>()
  return {
    async require(tenant) {
      const nowMs = clock.nowMs()
      const now = new Date(nowMs)
      const [year, month, date] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()]
      const dayMs = Date.UTC(year, month, date)
      let spent = known.get(tenant)
      if (spent === undefined || spent.atMs < dayMs || Math.abs(nowMs - spent.atMs) > COPY_MS) {
        const row = await db
          .prepare(SPENT)
          .bind(tenant, dayMs, Date.UTC(year, month))
          .first<{ day: number; month: number }>()
          .catch(rethrowStoreFault)
        spent = { atMs: nowMs, day: row?.day ?? 0, month: row?.month ?? 0 }
        keepNewest(known, tenant, spent, MOST_TENANTS)
      }
      const until =
        spent.month >= perMonth
          ? Date.UTC(year, month + 1)
          : spent.day >= perDay
            ? Date.UTC(year, month, date + 1)
            : undefined
      if (until === undefined) return
      throw new ConsoleError('budget_spent', 'The tokens of this tenant are spent for now', {
        retryAfterSeconds: Math.ceil((until - nowMs) / 1000),
      })
    },
  }
}
