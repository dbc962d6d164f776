/** Tokens that a tenant's questions may take of a model in a day and in a month. */
import type { D1Database } from '@cloudflare/workers-types'
import { keepNewest, methods, required, requireOptions, whole } from 'hono-rag-gate/core/lib'
import { rethrowStoreFault } from 'hono-rag-gate/adapters/d1'
import type { Clock } from 'hono-rag-gate/ports'
import { SPENT } from '../d1/raw/budgets.ts'
import { ConsoleError } from '../errors.ts'

/** Settings of `createD1TokenBudget`: a day, a month, or both. */
export interface D1TokenBudgetOptions {
  /** Database that the decisions are counted in. */
  readonly db: D1Database
  /** Tokens read and written in a day of UTC, 1 and up. @default without end */
  readonly perDay?: number | undefined
  /** In a month of UTC. @default without end */
  readonly perMonth?: number | undefined
  /** @default the platform's */
  readonly clock?: Clock
}

/** Says whether a model may be asked. */
export interface TokenBudget {
  /** @throws `budget_spent` with `Retry-After`; `store_unavailable`, `schema_outdated` where it is not known: a budget holds then, too */
  require(tenant: string): Promise<void>
}

/** For so long what was read counts: the budget may be passed by what is asked in that time. */
const COPY_MS = 30_000
const MOST_TENANTS = 1000

/**
 * Over the statistics, read once in thirty seconds for a tenant.
 *
 * @throws `config_invalid` for options that are not these
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
      let spent = known.get(tenant)
      if (spent === undefined || Math.abs(nowMs - spent.atMs) > COPY_MS) {
        const row = await db
          .prepare(SPENT)
          .bind(tenant, Date.UTC(year, month, date), Date.UTC(year, month))
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
