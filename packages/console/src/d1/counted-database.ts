/** Counts the statements sent to D1, whose number per invocation is limited. */
import type { D1Database } from '@cloudflare/workers-types'

/** A database that counts its statements. */
export interface CountedDatabase {
  readonly db: D1Database
  /** Number of statements so far. */
  readonly statements: () => number
}

const known = new WeakMap<D1Database, CountedDatabase>()

/** Wraps a database to count its statements; each prepared one runs once here. Wraps each only once. */
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
    // No other members of a database are used.
  } as D1Database
  counted = { db, statements: () => statements }
  known.set(given, counted).set(db, counted)
  return counted
}
