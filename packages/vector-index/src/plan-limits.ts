/**
 * Limits of the service's plans, so that what passes here also passes there.
 *
 * @see https://upstash.com/pricing/vector
 */
import { ProtocolError } from './protocol-error.ts'

/** A plan of the service; `off` keeps none. */
export type PlanName = 'free' | 'payg' | 'pro' | 'off'

/** Every plan. */
export const PLANS: readonly PlanName[] = ['free', 'payg', 'pro', 'off']

/** What a plan allows. */
export interface PlanLimits {
  /** Length of a dense vector. */
  readonly dimension: number
  /** Vectors of the whole index times their dimension. */
  readonly vectorDimensions: number
  /** Namespaces, the default one too. */
  readonly namespaces: number
  /** Bytes of everything that is stored. */
  readonly storedBytes: number
  /** Queries, and vectors read by id, in one day of UTC. */
  readonly dailyQueries: number
  /** Vectors written or deleted in one day of UTC. */
  readonly dailyUpdates: number
}

const GIGABYTE = 1024 ** 3

const LIMITS_OF: Readonly<Record<PlanName, PlanLimits>> = {
  free: {
    dimension: 1536,
    vectorDimensions: 200_000_000,
    namespaces: 100,
    storedBytes: GIGABYTE,
    dailyQueries: 10_000,
    dailyUpdates: 10_000,
  },
  payg: {
    dimension: 3072,
    vectorDimensions: 2_000_000_000,
    namespaces: 10_000,
    storedBytes: 50 * GIGABYTE,
    dailyQueries: Infinity,
    dailyUpdates: Infinity,
  },
  // The service's FAQ says 5,376, its page of limits 5,000: the lower one holds in both.
  pro: {
    dimension: 5000,
    vectorDimensions: 100_000_000_000,
    namespaces: Infinity,
    storedBytes: 1024 * GIGABYTE,
    dailyQueries: Infinity,
    dailyUpdates: Infinity,
  },
  off: {
    dimension: Infinity,
    vectorDimensions: Infinity,
    namespaces: Infinity,
    storedBytes: Infinity,
    dailyQueries: Infinity,
    dailyUpdates: Infinity,
  },
}

/** Limits of a plan. */
export function limitsOf(plan: PlanName): PlanLimits {
  return LIMITS_OF[plan]
}

/**
 * @param what what there would be too much of, such as `namespaces`
 * @param status 429 for what is free again tomorrow
 * @throws `ProtocolError` with the limit in its text when `amount` is above it
 */
export function withinPlan(what: string, amount: number, limit: number, status: 422 | 429 = 422): void {
  if (amount > limit)
    throw new ProtocolError(status, `Exceeded the limit of the plan: ${what} ${amount}, limit ${limit}`)
}
