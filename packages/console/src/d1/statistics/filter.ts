import { and, eq, gte, inArray, lt, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { PARTS } from 'hono-rag-gate/d1/figures'
import { decisionRollups } from 'hono-rag-gate/d1/schema'
import type { Tenant } from 'hono-rag-gate/core/lib'
import { knownTenants } from '../raw/tenants.ts'
import { CACHED, type DecisionFilter, EVERY_TENANT } from './wanted.ts'

/** Columns to filter by. */
type Filtered = Readonly<Record<Exclude<keyof DecisionFilter, 'outcome'> | 'status', SQLiteColumn>>

/** The condition of a filter; `undefined` for an empty filter. */
export function matches(table: Filtered, filter: DecisionFilter): SQL | undefined {
  const names = ['collection', 'policyId', 'verdict', 'band', 'reason', 'mode'] as const
  const { cache } = filter
  return and(
    ...names.flatMap((name) => {
      const wanted = filter[name]
      return wanted === undefined ? [] : [eq(table[name], wanted)]
    }),
    cache === undefined ? undefined : inArray(table.cache, cache === 'cached' ? [...CACHED] : [cache]),
    outcomeIs(table.status, filter.outcome),
  )
}

function outcomeIs(status: SQLiteColumn, outcome: DecisionFilter['outcome']): SQL | undefined {
  if (outcome === undefined) return undefined
  return outcome === 'failed' ? gte(status, 500) : lt(status, 500)
}

/** The condition of a filter on the columns of the rollups. */
export function ofRows({ collection }: DecisionFilter): SQL | undefined {
  if (collection === undefined) return undefined
  const part = ([...collection].at(-1)?.codePointAt(0) ?? 0) % PARTS
  // A full part continues in further ones.
  return sql`${decisionRollups.part} % ${PARTS} = ${part}`
}

/**
 * Condition for the tenants. `EVERY_TENANT` seeks from one tenant to the next in the key of the rollups, reading one
 * row each.
 */
export function ofTenants(tenant: Tenant | typeof EVERY_TENANT): SQL {
  const column = decisionRollups.tenant
  return tenant === EVERY_TENANT ? inArray(column, KNOWN_TENANTS) : eq(column, tenant)
}

const KNOWN_TENANTS = sql.raw(
  `(${knownTenants('decision_rollups', "''")} SELECT tenant FROM known WHERE tenant IS NOT NULL)`,
)
