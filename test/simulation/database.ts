/** D1 over SQLite in memory, with every migration, over a connection that loses and delays calls. */
import { readdirSync, readFileSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import type { D1Database } from '@cloudflare/workers-types'
import type { Wire } from './wire.ts'

const MIGRATIONS = new URL('../../d1/migrations/', import.meta.url)

interface Statement {
  readonly sql: string
  readonly values: readonly SQLInputValue[]
}

/** Result of a statement. */
interface Outcome {
  readonly results: Record<string, unknown>[]
  readonly success: true
  readonly meta: object
}

/** A change to a decision's row; with `counted`, to the counts. */
export interface News {
  readonly what: 'stored' | 'changed' | 'removed' | 'counted'
  readonly id: string
  readonly tenant: string
  readonly collection: string
  readonly verdict: string
}

/** Number of decisions by kind; those of a rollup by its span. */
export interface Counted {
  readonly spanMs: number
  readonly tenant: string
  readonly collection: string
  readonly verdict: string
  readonly decisions: number
}

/** Journals changes to decisions; a rollback also removes its entries. */
const NOTED = `
  CREATE TEMP TABLE news (what, id, tenant, collection, verdict);
  CREATE TEMP TRIGGER stored AFTER INSERT ON main.decisions
    BEGIN INSERT INTO news VALUES ('stored', NEW.id, NEW.tenant, NEW.collection, NEW.verdict); END;
  CREATE TEMP TRIGGER changed AFTER UPDATE ON main.decisions
    BEGIN INSERT INTO news VALUES ('changed', OLD.id, OLD.tenant, OLD.collection, OLD.verdict); END;
  CREATE TEMP TRIGGER removed AFTER DELETE ON main.decisions
    BEGIN INSERT INTO news VALUES ('removed', OLD.id, OLD.tenant, OLD.collection, OLD.verdict); END;
  CREATE TEMP TRIGGER counted AFTER UPDATE ON main.counted_decisions
    BEGIN INSERT INTO news (what) VALUES ('counted'); END;
`

const UNCOUNTED = `SELECT 0 AS spanMs, tenant, collection, verdict, count(*) AS decisions FROM decisions
  WHERE place > (SELECT place FROM counted_decisions WHERE counts = 'sums')
    OR place IN (SELECT place FROM late_decisions WHERE counts = 'sums')
  GROUP BY tenant, collection, verdict`
/** In a cell of a rollup, the verdict is first and the collection seventh (`d1/figures.ts`). */
const ROLLUPS = `SELECT span_ms AS spanMs, tenant, cell.key ->> 6 AS collection, cell.key ->> 0 AS verdict,
    sum(cell.value ->> 'n') AS decisions
  FROM decision_rollups, json_each(counts) AS cell
  GROUP BY span_ms, tenant, cell.key ->> 6, cell.key ->> 0`

let migrated: Uint8Array | undefined

/** The database itself, without faults. */
export class Database {
  readonly #sqlite = new DatabaseSync(':memory:')
  readonly #prepared = new Map<string, StatementSync>()

  constructor() {
    // Migrated once per process: each run starts with a copy.
    if (migrated !== undefined) this.#sqlite.deserialize(migrated)
    else {
      for (const file of readdirSync(MIGRATIONS).sort())
        this.#sqlite.exec(readFileSync(new URL(file, MIGRATIONS), 'utf8'))
      migrated = this.#sqlite.serialize()
    }
    this.#sqlite.exec(NOTED)
  }

  /** Changes since the last call. */
  news(): readonly News[] {
    // The columns of its table.
    const news = this.#prepare('SELECT * FROM news', false).all() as unknown as News[]
    if (news.length > 0) this.#sqlite.exec('DELETE FROM news')
    return news
  }

  /** How many decisions are counted, and how many are stored but not yet counted. */
  counted(): { readonly rollups: readonly Counted[]; readonly uncounted: readonly Counted[] } {
    // The columns have the names of the members.
    const of = (sql: string): readonly Counted[] => this.#prepare(sql, false).all() as unknown as Counted[]
    return { rollups: of(ROLLUPS), uncounted: of(UNCOUNTED) }
  }

  run({ sql, values }: Statement): Outcome {
    // Rows are plain objects of the columns.
    const results = this.#prepare(sql, false).all(...values) as Record<string, unknown>[]
    return { results, success: true, meta: {} }
  }

  /** Rows as arrays of values. */
  rows({ sql, values }: Statement): unknown[][] {
    // As it was prepared.
    return this.#prepare(sql, true).all(...values) as unknown as unknown[][]
  }

  #prepare(sql: string, isOfArrays: boolean): StatementSync {
    let prepared = this.#prepared.get(sql)
    if (prepared === undefined) {
      prepared = this.#sqlite.prepare(sql)
      this.#prepared.set(sql, prepared)
    }
    prepared.setReturnArrays(isOfArrays)
    return prepared
  }

  batch(statements: readonly Statement[]): Outcome[] {
    const run = (): Outcome[] => statements.map((statement) => this.run(statement))
    // A single statement is atomic by itself.
    return this.#asD1(statements.length === 1 ? run : () => this.#whole(run))
  }

  /** Runs some work in a transaction. */
  #whole<Result>(work: () => Result): Result {
    this.#sqlite.exec('BEGIN')
    try {
      const result = work()
      this.#sqlite.exec('COMMIT')
      return result
    } catch (thrown) {
      this.#sqlite.exec('ROLLBACK')
      throw thrown
    }
  }

  /** Rethrows failures with D1's error messages. */
  #asD1<Result>(work: () => Result): Result {
    try {
      return work()
    } catch (thrown) {
      throw new Error(`D1_ERROR: ${thrown instanceof Error ? thrown.message : ''}: SQLITE_CONSTRAINT`, {
        cause: thrown,
      })
    }
  }

  close(): void {
    this.#sqlite.close()
  }

  /** The binding of an isolate. */
  binding(wire: Wire): D1Database {
    const prepare = (sql: string, values: readonly SQLInputValue[] = []) => {
      const ask = (): Promise<Outcome> => wire('d1', () => this.batch([{ sql, values }])[0]!)
      return {
        statement: { sql, values },
        bind: (...bound: SQLInputValue[]) => prepare(sql, bound),
        run: ask,
        all: ask,
        first: async () => (await ask()).results[0] ?? null,
        raw: () => wire('d1', () => this.#asD1(() => this.rows({ sql, values }))),
      }
    }
    // The part of D1 that the package uses.
    return {
      prepare: (sql: string) => prepare(sql),
      batch: (statements: readonly { readonly statement: Statement }[]) =>
        wire('d1', () => this.batch(statements.map(({ statement }) => statement))),
    } as unknown as D1Database
  }
}
