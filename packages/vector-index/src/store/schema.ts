/** Tables of a namespace, and the part of a Durable Object's storage API that they need. */

/** An SQL value. */
export type SqlValue = string | number | null | ArrayBuffer

/** A result row, by column. */
export type SqlRow = Record<string, SqlValue>

/** Synchronous SQL, like `ctx.storage.sql` of a Durable Object. The caller names the columns' types. */
export interface SqlStore {
  exec<Row extends SqlRow>(query: string, ...bindings: SqlValue[]): Iterable<Row> & { toArray(): Row[] }
  /** Size of the database, bytes. */
  readonly databaseSize: number
}

/** Storage of an object, like `ctx.storage` of a Durable Object. */
export interface IndexStorage {
  readonly sql: SqlStore
  /** Runs `work` in a transaction, which is rolled back if it throws. */
  transactionSync<T>(work: () => T): T
}

/** The settings that vectors were made for; at most one row. */
export const MADE_FOR = `CREATE TABLE IF NOT EXISTS made_for (one INTEGER PRIMARY KEY CHECK (one = 1), parts TEXT NOT NULL)`

const SCHEMA = [
  MADE_FOR,
  // One row. Positions up to `covered` are in blocks, except that those in `changed` are outdated there.
  `CREATE TABLE IF NOT EXISTS namespace (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    name TEXT,
    vectors INTEGER NOT NULL DEFAULT 0,
    memory_bytes INTEGER NOT NULL DEFAULT 0,
    next_position INTEGER NOT NULL DEFAULT 1,
    covered INTEGER NOT NULL DEFAULT 0
  )`,
  `INSERT OR IGNORE INTO namespace (one) VALUES (1)`,
  // Filters read the metadata of every row, so it precedes the long columns, and is JSONB, which needs no parsing.
  `CREATE TABLE IF NOT EXISTS vectors (
    position INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    metadata BLOB,
    dense BLOB,
    sparse BLOB,
    data TEXT
  )`,
  `CREATE TABLE IF NOT EXISTS blocks (first INTEGER PRIMARY KEY, bytes BLOB NOT NULL)`,
  `CREATE TABLE IF NOT EXISTS changed (position INTEGER PRIMARY KEY)`,
  `CREATE TABLE IF NOT EXISTS resumable_queries (
    uuid TEXT PRIMARY KEY,
    command TEXT NOT NULL,
    body TEXT NOT NULL,
    max_idle_ms INTEGER NOT NULL,
    expires_ms INTEGER NOT NULL
  )`,
  `CREATE TABLE IF NOT EXISTS resumable_returned (uuid TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (uuid, id)) WITHOUT ROWID`,
  `CREATE TRIGGER IF NOT EXISTS resumable_ended AFTER DELETE ON resumable_queries BEGIN
    DELETE FROM resumable_returned WHERE uuid = OLD.uuid;
  END`,
]

/** Creates missing tables. */
export function createTables(storage: IndexStorage, statements: readonly string[] = SCHEMA): void {
  storage.transactionSync(() => {
    for (const statement of statements) storage.sql.exec(statement)
  })
}
