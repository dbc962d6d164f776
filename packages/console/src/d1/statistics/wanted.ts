/** Filters of the statistics. Independent of the database, because public types depend on it. */
import type { Verdict } from 'hono-rag-gate/core/gates'
import type { Band, CacheState } from 'hono-rag-gate/core/policy'
import type { Mode } from 'hono-rag-gate/ports'

/** Whether the request of a decision succeeded, or ended with a status of 500 or higher. */
export type Outcome = 'served' | 'failed'

/** A filter of decisions; absent members do not restrict. */
export interface DecisionFilter {
  readonly collection?: string
  readonly policyId?: string
  readonly verdict?: Verdict
  readonly band?: Band
  /** `cached` stands for every state in `CACHED`. */
  readonly cache?: CacheState | 'cached'
  readonly reason?: string
  readonly mode?: Mode
  readonly outcome?: Outcome
}

/** Cache states of answers from the cache. */
export const CACHED: readonly CacheState[] = ['hit', 'evidence-hit', 'stale']

/** Stands for all tenants. A symbol, so that no tenant's name can equal it. */
export const EVERY_TENANT = Symbol('every tenant')
