import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { IndexStorage, SqlRow, SqlValue } from '../../packages/vector-index/src/store/schema.ts'

/** Bytes come as buffers of their own. */
function asWorkerd(row: Record<string, unknown>): SqlRow {
  const columns = Object.entries(row).map(([name, value]) => [
    name,
    value instanceof Uint8Array ? value.slice().buffer : value,
  ])
  // What SQLite gives are columns.
  return Object.fromEntries(columns) as SqlRow
}

/** A Durable Object's storage, as far as the index uses it, over SQLite in memory. */
export function sqliteStorage(): IndexStorage {
  const database = new DatabaseSync(':memory:')
  const prepared = new Map<string, StatementSync>()
  return {
    sql: {
      databaseSize: 4096,
      exec<Row extends SqlRow>(query: string, ...bindings: SqlValue[]) {
        const values = bindings.map((value) => (value instanceof ArrayBuffer ? new Uint8Array(value) : value))
        const statement = prepared.get(query) ?? database.prepare(query)
        prepared.set(query, statement)
        // No query of the index returns integers beyond 2^53.
        const rows = statement
          .all(...values)
          // Who asks knows the columns.
          .map((row) => asWorkerd(row) as Row)
        return { toArray: () => rows, [Symbol.iterator]: () => rows[Symbol.iterator]() }
      },
    },
    transactionSync(work) {
      database.exec('BEGIN')
      try {
        const result = work()
        database.exec('COMMIT')
        return result
      } catch (thrown) {
        database.exec('ROLLBACK')
        throw thrown
      }
    },
  }
}
