/** SQL for checking the schema: SQLite's own table, and unquoted names. */
import { getTableColumns, getTableName } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'

export const PRESENT_TRIGGERS = `SELECT name FROM sqlite_master WHERE type = 'trigger'`

/**
 * A query that reads no rows and fails if the table or a column is missing. Names are unquoted, because SQLite treats
 * an unknown quoted name as a string.
 *
 * @see https://www.sqlite.org/quirks.html#double_quoted_string_literals_are_accepted
 */
export function selectNothing(table: SQLiteTable): string {
  const columns = Object.values(getTableColumns(table))
  return `SELECT ${columns.map(({ name }) => `present.${name}`).join(', ')} FROM ${getTableName(table)} AS present LIMIT 0`
}
