/** Documents that a principal may ingest in a day, and the work that reading them may take. */
import type { D1Database } from '@cloudflare/workers-types'
import { methods, required, requireOptions, whole } from 'hono-rag-gate/core/lib'
import { rethrowStoreFault } from 'hono-rag-gate/adapters/d1'
import type { Clock, Principal } from 'hono-rag-gate/ports'
import { SPEND } from '../d1/raw/budgets.ts'
import { ConsoleError } from '../errors.ts'
import { DAY_MS } from '../durations.ts'

/** Settings of `createD1DocumentBudget`: documents, work, or both, in a day of UTC. */
export interface D1DocumentBudgetOptions {
  /** Database with the migrations of this package. */
  readonly db: D1Database
  /** 1 and up. @default without end */
  readonly documentsPerDay?: number | undefined
  /**
   * Steps of the splitter (`onRead` of `ingestDocuments`), 1 and up: they stand for CPU, which the platform measures for no
   * Worker. Known once documents are read: the call that reaches the budget may pass it.
   *
   * @default without end
   */
  readonly stepsPerDay?: number | undefined
  /** @default the platform's */
  readonly clock?: Clock
}

/** Counts what is ingested. */
export interface DocumentBudget {
  /**
   * Counts these documents and steps, or none of them. What fails later stays counted.
   *
   * @throws `budget_spent` with `Retry-After`; `store_unavailable`, `schema_outdated` where it is not known
   */
  spend(
    principal: Pick<Principal, 'tenant' | 'id'>,
    taken: { readonly documents?: number; readonly steps?: number },
  ): Promise<void>
}

/**
 * Over a table of its own, one row a principal.
 *
 * @throws `config_invalid` for options that are not these
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
