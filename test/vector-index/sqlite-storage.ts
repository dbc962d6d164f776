import { DatabaseSync } from 'node:sqlite'
import type { IndexStorage, SqlRow } from '../../packages/vector-index/src/store/schema.ts'

/** A Durable Object's storage, as far as the index uses it, over SQLite in memory. */
export function sqliteStorage(): IndexStorage {
  const database = new DatabaseSync(':memory:')
  return {
    sql: {
      databaseSize: 4096,
      exec(query, ...bindings) {
        // No query of the index returns integers beyond 2^53, or blobs.
        const rows = database.prepare(query).all(...bindings) as SqlRow[]
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
