/** Tables of a namespace and the small part of a Durable Object's storage that they need. */

/** A value in a row. */
export type SqlValue = string | number | null | ArrayBuffer

/** A row of a result, by column. */
export type SqlRow = Record<string, SqlValue>

/** What runs SQL at once, as `ctx.storage.sql` of a Durable Object does. Who asks knows the columns that the schema has. */
export interface SqlStore {
  exec<Row extends SqlRow>(query: string, ...bindings: SqlValue[]): Iterable<Row> & { toArray(): Row[] }
  /** Bytes that the database takes. */
  readonly databaseSize: number
}

/** Storage of an object, as `ctx.storage` of a Durable Object has it. */
export interface IndexStorage {
  readonly sql: SqlStore
  /** Runs `work`; when it throws, nothing of what it wrote stays. */
  transactionSync<T>(work: () => T): T
}

/** What vectors were made for; at most one row. */
export const MADE_FOR = `CREATE TABLE IF NOT EXISTS made_for (one INTEGER PRIMARY KEY CHECK (one = 1), parts TEXT NOT NULL)`

const SCHEMA = [
  MADE_FOR,
  // One row. Positions up to `covered` are in blocks, and those of `changed` among them are not as the block has them.
  `CREATE TABLE IF NOT EXISTS namespace (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    name TEXT,
    vectors INTEGER NOT NULL DEFAULT 0,
    memory_bytes INTEGER NOT NULL DEFAULT 0,
    next_position INTEGER NOT NULL DEFAULT 1,
    covered INTEGER NOT NULL DEFAULT 0
  )`,
  `INSERT OR IGNORE INTO namespace (one) VALUES (1)`,
  // Filters read metadata of every row, so it stands before what is long, as JSONB, which need not be parsed.
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

/** Makes the tables that are missing. */
export function createTables(storage: IndexStorage, statements: readonly string[] = SCHEMA): void {
  storage.transactionSync(() => {
    for (const statement of statements) storage.sql.exec(statement)
  })
}
