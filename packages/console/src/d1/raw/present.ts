/** What the database has: SQLite's own table, and names that drizzle would quote. */
import { getTableColumns, getTableName } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'

export const PRESENT_TRIGGERS = `SELECT name FROM sqlite_master WHERE type = 'trigger'`

/**
 * A query that reads no row and fails when a table or column is not there. Names stand bare: SQLite takes a quoted name
 * that it does not know for a string.
 *
 * @see https://www.sqlite.org/quirks.html#double_quoted_string_literals_are_accepted
 */
export function selectNothing(table: SQLiteTable): string {
  const columns = Object.values(getTableColumns(table))
  return `SELECT ${columns.map(({ name }) => `present.${name}`).join(', ')} FROM ${getTableName(table)} AS present LIMIT 0`
}
