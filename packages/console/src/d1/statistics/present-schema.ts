/** Whether the database has what the migrations make. */
import type { D1Database } from '@cloudflare/workers-types'
import { getTableColumns, getTableName } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import * as schema from 'hono-rag-gate/d1/schema'
import { rethrowStoreFault, schemaOutdated } from 'hono-rag-gate/adapters/d1'

const TABLES = Object.values(schema)
const TRIGGERS = [
  'decisions_are_stored',
  'decisions_are_counted',
  'rejected_events_are_counted',
  'weak_spots_are_counted',
  'late_decisions_are_noted',
  'audit_events_are_kept',
  'erased_principals_stay_erased',
  'decisions_are_erased',
]

/** @throws `schema_outdated` when a table, column or trigger is missing; `store_unavailable` */
export async function requireSchema(db: D1Database): Promise<void> {
  const [triggers] = await db
    .batch<{ name: string }>([
      db.prepare(`SELECT name FROM sqlite_master WHERE type = 'trigger'`),
      ...TABLES.map((table) => db.prepare(selectNothing(table))),
    ])
    .catch(rethrowStoreFault)
  const present = new Set(triggers?.results.map(({ name }) => name))
  if (TRIGGERS.some((trigger) => !present.has(trigger))) throw schemaOutdated()
}

/**
 * A query that reads no row and fails when a table or column is not there. Names stand bare: SQLite takes a quoted name
 * that it does not know for a string.
 *
 * @see https://www.sqlite.org/quirks.html#double_quoted_string_literals_are_accepted
 */
function selectNothing(table: SQLiteTable): string {
  const columns = Object.values(getTableColumns(table))
  return `SELECT ${columns.map(({ name }) => `present.${name}`).join(', ')} FROM ${getTableName(table)} AS present LIMIT 0`
}
