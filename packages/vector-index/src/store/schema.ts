/** Tables of an index and the small part of a Durable Object's storage that the index needs. */
import { RagGateError } from 'hono-rag-gate/errors'

/** A value in a row. */
export type SqlValue = string | number | null | ArrayBuffer

/** A row of a result, by column. */
export type SqlRow = Readonly<Record<string, SqlValue>>

/** What runs SQL at once, as `ctx.storage.sql` of a Durable Object does. */
export interface SqlStore {
  exec(query: string, ...bindings: SqlValue[]): Iterable<SqlRow> & { toArray(): SqlRow[] }
  /** Bytes that the database takes. */
  readonly databaseSize: number
}

/** Storage of an index, as `ctx.storage` of a Durable Object has it. */
export interface IndexStorage {
  readonly sql: SqlStore
  /** Runs `work`; when it throws, nothing of what it wrote stays. */
  transactionSync<T>(work: () => T): T
}

/** What the vectors were made for; one row. */
export const MADE_FOR = `CREATE TABLE IF NOT EXISTS made_for (one INTEGER PRIMARY KEY CHECK (one = 1), parts TEXT NOT NULL)`

/** What was counted in a day of UTC. */
export const DAILY_USE = `CREATE TABLE IF NOT EXISTS daily_use (
  day TEXT PRIMARY KEY,
  queries INTEGER NOT NULL DEFAULT 0,
  updates INTEGER NOT NULL DEFAULT 0
)`

/** Bytes of memory that a row takes once it is searched: beside its vectors, a dimension, and an entry of the lists. */
const MEMORY = { row: 64, dimension: 1, entry: 14 } as const

/** The same of a row in SQL: four bytes of a vector are sixteen thirds of base64. */
const memoryOf = (row: 'NEW' | 'OLD') =>
  `(${MEMORY.row} + ${MEMORY.dimension} * (length(${row}.dense) * 3 / 16) + ${MEMORY.entry} * (length(${row}.sparse_values) * 3 / 16))`

/** Counts of a namespace are kept by triggers, so that `info` reads no vectors. Pending writes count as memory alone. */
const counting = (table: 'vectors' | 'pending') => [
  `CREATE TRIGGER IF NOT EXISTS ${table}_came AFTER INSERT ON ${table} BEGIN
    UPDATE namespaces SET vector_count = vector_count + ${table === 'vectors' ? 1 : 0},
      memory_bytes = memory_bytes + ${memoryOf('NEW')} WHERE key = NEW.namespace;
  END`,
  `CREATE TRIGGER IF NOT EXISTS ${table}_changed AFTER UPDATE ON ${table} BEGIN
    UPDATE namespaces SET memory_bytes = memory_bytes - ${memoryOf('OLD')} + ${memoryOf('NEW')} WHERE key = NEW.namespace;
  END`,
  `CREATE TRIGGER IF NOT EXISTS ${table}_went AFTER DELETE ON ${table} BEGIN
    UPDATE namespaces SET vector_count = vector_count - ${table === 'vectors' ? 1 : 0},
      memory_bytes = memory_bytes - ${memoryOf('OLD')} WHERE key = OLD.namespace;
  END`,
]

/** The default namespace is there from the start. */
const SCHEMA = [
  `CREATE TABLE IF NOT EXISTS namespaces (
    key INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    vector_count INTEGER NOT NULL DEFAULT 0,
    memory_bytes INTEGER NOT NULL DEFAULT 0,
    covered INTEGER NOT NULL DEFAULT 0
  )`,
  `CREATE TABLE IF NOT EXISTS vectors (
    position INTEGER PRIMARY KEY,
    namespace INTEGER NOT NULL REFERENCES namespaces (key),
    id TEXT NOT NULL,
    data TEXT,
    metadata TEXT,
    dense TEXT NOT NULL,
    sparse_indices TEXT NOT NULL,
    sparse_values TEXT NOT NULL,
    UNIQUE (namespace, id)
  )`,
  `CREATE INDEX IF NOT EXISTS vectors_in_order ON vectors (namespace, position)`,
  // Blocks as they are searched, cut into chunks, and positions within them that were written since.
  `CREATE TABLE IF NOT EXISTS blocks (
    namespace INTEGER NOT NULL,
    block INTEGER NOT NULL,
    chunk INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (namespace, block, chunk)
  ) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS changed (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace INTEGER NOT NULL,
    positions TEXT NOT NULL
  )`,
  `INSERT OR IGNORE INTO namespaces (name) VALUES ('')`,
  MADE_FOR,
  // Writes that no query sees yet, in the order they came. Deleting and emptying reach them too.
  `CREATE TABLE IF NOT EXISTS pending (
    sequence INTEGER PRIMARY KEY,
    due_ms INTEGER NOT NULL,
    position INTEGER NOT NULL,
    namespace INTEGER NOT NULL REFERENCES namespaces (key),
    id TEXT NOT NULL,
    data TEXT,
    metadata TEXT,
    dense TEXT NOT NULL,
    sparse_indices TEXT NOT NULL,
    sparse_values TEXT NOT NULL
  )`,
  `CREATE INDEX IF NOT EXISTS pending_by_id ON pending (namespace, id)`,
  `CREATE INDEX IF NOT EXISTS pending_by_due ON pending (due_ms)`,
  // Every row as it was last written, pending or not.
  `CREATE VIEW IF NOT EXISTS newest AS
    SELECT position, namespace, id, data, metadata, dense, sparse_indices, sparse_values FROM vectors
      WHERE NOT EXISTS (SELECT 1 FROM pending AS p WHERE p.namespace = vectors.namespace AND p.id = vectors.id)
    UNION ALL
    SELECT position, namespace, id, data, metadata, dense, sparse_indices, sparse_values FROM pending
      WHERE NOT EXISTS (SELECT 1 FROM pending AS p WHERE p.namespace = pending.namespace AND p.id = pending.id
        AND p.sequence > pending.sequence)`,
  `CREATE TABLE IF NOT EXISTS resumable_queries (
    uuid TEXT PRIMARY KEY,
    namespace TEXT NOT NULL,
    command TEXT NOT NULL,
    body TEXT NOT NULL,
    max_idle_ms INTEGER NOT NULL,
    expires_ms INTEGER NOT NULL
  )`,
  `CREATE TABLE IF NOT EXISTS resumable_returned (
    uuid TEXT NOT NULL,
    id TEXT NOT NULL,
    PRIMARY KEY (uuid, id)
  ) WITHOUT ROWID`,
  `CREATE TRIGGER IF NOT EXISTS resumable_ended AFTER DELETE ON resumable_queries BEGIN
    DELETE FROM resumable_returned WHERE uuid = OLD.uuid;
  END`,
  DAILY_USE,
  ...counting('vectors'),
  ...counting('pending'),
]

/**
 * Makes the tables that are missing.
 *
 * @throws `config_invalid` when the storage has the tables of an earlier version
 */
export function createTables(storage: IndexStorage): void {
  const earlier = `SELECT 1 FROM sqlite_master WHERE name = 'vectors' AND sql LIKE '%dense_scale%'`
  if (storage.sql.exec(earlier).toArray().length > 0) {
    const message =
      'It was filled by an earlier version, which stored vectors in another way: export it there with index:export, ' +
      'and import the file into an index of another name'
    throw new RagGateError('config_invalid', message)
  }
  storage.transactionSync(() => {
    for (const statement of SCHEMA) storage.sql.exec(statement)
  })
}

/** A column that holds text. */
export function textOf(row: SqlRow | undefined, column: string): string {
  const value = row?.[column]
  if (typeof value !== 'string') throw new TypeError(`Column ${column} does not hold text`)
  return value
}

/** A column that holds bytes. */
export function bytesOf(row: SqlRow, column: string): ArrayBuffer {
  const value = row[column]
  if (!(value instanceof ArrayBuffer)) throw new TypeError(`Column ${column} does not hold bytes`)
  return value
}

/** A column that holds a number. */
export function numberOf(row: SqlRow | undefined, column: string): number {
  const value = row?.[column]
  if (typeof value !== 'number') throw new TypeError(`Column ${column} does not hold a number`)
  return value
}
