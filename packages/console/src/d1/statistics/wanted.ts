/** Which decisions a question about statistics means. Without the database, so that public types need none of it. */
import type { Verdict } from 'hono-rag-gate/core/gates'
import type { Band, CacheState } from 'hono-rag-gate/core/policy'
import type { Mode } from 'hono-rag-gate/ports'

/** Whether the request of a decision ended as it should, or with a status of 500 and up. */
export type Outcome = 'served' | 'failed'

/** Which decisions are meant; what is left out is not asked for. */
export interface DecisionFilter {
  readonly collection?: string
  readonly policyId?: string
  readonly verdict?: Verdict
  readonly band?: Band
  /** `cached` for each of `CACHED`. */
  readonly cache?: CacheState | 'cached'
  readonly reason?: string
  readonly mode?: Mode
  readonly outcome?: Outcome
}

/** Cache states of what was answered from the cache. */
export const CACHED: readonly CacheState[] = ['hit', 'evidence-hit', 'stale']

/** Stands for all tenants. No tenant's name can stand for it. */
export const EVERY_TENANT = Symbol('every tenant')
