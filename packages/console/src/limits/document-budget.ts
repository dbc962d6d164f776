/** Limits the documents that a principal ingests per day, and the work of reading them. */
import type { D1Database } from '@cloudflare/workers-types'
import { methods, required, requireOptions, whole } from 'hono-rag-gate/core/lib'
import { rethrowStoreFault } from 'hono-rag-gate/adapters/d1'
import type { Clock, Principal } from 'hono-rag-gate/ports'
import { SPEND } from '../d1/raw/budgets.ts'
import { ConsoleError } from '../errors.ts'
import { DAY_MS } from '../durations.ts'

/** Options of `createD1DocumentBudget`: a limit of documents, work, or both, per UTC day. */
export interface D1DocumentBudgetOptions {
  /** Database with the migrations of this package. */
  readonly db: D1Database
  /** 1 and up. @default unlimited */
  readonly documentsPerDay?: number | undefined
  /**
   * Steps of the splitter (`onRead` of `ingestDocuments`), 1 and up, as a measure of CPU time, which Workers cannot
   * measure. Only known once documents are read, so one call may exceed the budget.
   *
   * @default unlimited
   */
  readonly stepsPerDay?: number | undefined
  /** @default the platform's */
  readonly clock?: Clock
}

/** Counts ingested documents and work. */
export interface DocumentBudget {
  /**
   * Counts these documents and steps, or neither if the budget is exceeded. They stay counted if ingestion fails later.
   *
   * @throws `budget_spent` with `Retry-After`; `store_unavailable`, `schema_outdated` if the count is unavailable
   */
  spend(
    principal: Pick<Principal, 'tenant' | 'id'>,
    taken: { readonly documents?: number; readonly steps?: number },
  ): Promise<void>
}

/**
 * A budget in its own table, with one row per principal.
 *
 * @throws `config_invalid` for invalid options
 */
export function createD1DocumentBudget(options: D1DocumentBudgetOptions): DocumentBudget {
  requireOptions(options, {
    db: required(methods('prepare')),
    documentsPerDay: whole(1),
    stepsPerDay: whole(1),
    clock: methods('nowMs'),
  })
  const { db, clock = { nowMs: () => Date.now() } } = options
  const { documentsPerDay = Number.MAX_SAFE_INTEGER, stepsPerDay = Number.MAX_SAFE_INTEGER } = options
  return {
    async spend({ tenant, id }, { documents = 0, steps = 0 }) {
      const nowMs = clock.nowMs()
      const dayMs = nowMs - (nowMs % DAY_MS)
      const row = await db
        .prepare(SPEND)
        .bind(tenant, id, dayMs, documents, steps, documentsPerDay, stepsPerDay)
        .first()
        .catch(rethrowStoreFault)
      if (row !== null) return
      throw new ConsoleError('budget_spent', 'What may be ingested is spent for now', {
        retryAfterSeconds: Math.ceil((dayMs + DAY_MS - nowMs) / 1000),
      })
    },
  }
}
