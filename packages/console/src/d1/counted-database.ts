/** How many statements D1 is asked: those of an invocation have a limit. */
import type { D1Database } from '@cloudflare/workers-types'

/** A database that counts what is asked of it. */
export interface CountedDatabase {
  readonly db: D1Database
  /** Statements so far. */
  readonly statements: () => number
}

const known = new WeakMap<D1Database, CountedDatabase>()

/** Counts the statements of a database: prepared ones, each of which runs once here. The same one, or one that counts, is counted once. */
export function countedDatabase(given: D1Database): CountedDatabase {
  let counted = known.get(given)
  if (counted !== undefined) return counted
  let statements = 0
  const db = {
    prepare(sql) {
      statements++
      return given.prepare(sql)
    },
    batch: (all) => given.batch(all),
    // Nothing else of a database is used.
  } as D1Database
  counted = { db, statements: () => statements }
  known.set(given, counted).set(db, counted)
  return counted
}
