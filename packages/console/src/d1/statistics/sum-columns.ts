/** Columns of the rollups, added up by the database. */
import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { decisionRollups } from 'hono-rag-gate/d1/schema'
import { SUMMED, type Summed } from './sums.ts'

/** Every count of the rollups, added up. */
export function sumsOf(r: typeof decisionRollups): Record<Summed, SQL<number>> {
  // Made of exactly these names.
  return Object.fromEntries(SUMMED.map((name) => [name, sumOf(r[name])])) as Record<Summed, SQL<number>>
}

/** A column added up; 0 over no rows. */
export function sumOf(column: SQLiteColumn): SQL<number> {
  return sql<number>`coalesce(sum(${column}), 0)`.mapWith(Number)
}
