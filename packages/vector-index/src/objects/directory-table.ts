/** The namespaces of an index, which object holds each, and what it was last said to hold. */
import type { NamespaceCount } from '../store/namespace-table.ts'
import { DAILY_USE, MADE_FOR, numberOf, textOf, type IndexStorage, type SqlRow } from '../store/schema.ts'
import { keyOf } from './object-names.ts'
import type { HolderCounts } from './peers.ts'

const SCHEMA = [
  `CREATE TABLE IF NOT EXISTS directory (
    place INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    holder TEXT NOT NULL UNIQUE,
    vector_count INTEGER NOT NULL DEFAULT 0,
    pending_count INTEGER NOT NULL DEFAULT 0,
    memory_bytes INTEGER NOT NULL DEFAULT 0,
    stored_bytes INTEGER NOT NULL DEFAULT 0,
    version INTEGER NOT NULL DEFAULT 0
  )`,
  // Objects that were not told yet what became of them: their new name, or that they hold nothing any more.
  `CREATE TABLE IF NOT EXISTS untold (holder TEXT PRIMARY KEY, name TEXT)`,
  MADE_FOR,
  DAILY_USE,
]

/** A namespace in the directory. */
export interface DirectoryEntry extends NamespaceCount {
  /** Key of the object that holds it. */
  readonly holder: string
  readonly storedBytes: number
}

/** What an object must be told: its new name, or to drop all it holds. */
export interface Untold {
  readonly holder: string
  readonly name: string | undefined
}

/** The directory of an index in its storage. The default namespace always is there, and is the first. */
export class DirectoryTable {
  readonly #storage: IndexStorage

  /** Makes the tables where they are missing. */
  constructor(storage: IndexStorage) {
    this.#storage = storage
    storage.transactionSync(() => {
      for (const statement of SCHEMA) storage.sql.exec(statement)
      storage.sql.exec('INSERT OR IGNORE INTO directory (name, holder) VALUES (?, ?)', '', keyOf(''))
    })
  }

  /** Bytes that the directory itself takes. */
  get sizeBytes(): number {
    return this.#storage.sql.databaseSize
  }

  entries(): readonly DirectoryEntry[] {
    return this.#storage.sql.exec('SELECT * FROM directory ORDER BY place').toArray().map(entryOf)
  }

  /** The namespace of that name; `undefined` when there is none. */
  find(name: string): DirectoryEntry | undefined {
    const [row] = this.#storage.sql.exec('SELECT * FROM directory WHERE name = ?', name).toArray()
    return row === undefined ? undefined : entryOf(row)
  }

  /** Whether an object holds a namespace, or has not been told yet that it does not. */
  isTaken(holder: string): boolean {
    const query = `SELECT EXISTS (SELECT 1 FROM directory WHERE holder = ?1)
      OR EXISTS (SELECT 1 FROM untold WHERE holder = ?1) AS taken`
    return numberOf(this.#storage.sql.exec(query, holder).toArray()[0], 'taken') === 1
  }

  add(name: string, holder: string): void {
    this.#storage.sql.exec('INSERT INTO directory (name, holder) VALUES (?, ?)', name, holder)
  }

  /** Takes note of counts, unless newer ones are known. */
  setCounts(holder: string, counts: HolderCounts): void {
    const { vectorCount, pendingVectorCount, memoryBytes, storedBytes, version } = counts
    const query = `UPDATE directory SET vector_count = ?, pending_count = ?, memory_bytes = ?, stored_bytes = ?, version = ?
      WHERE holder = ? AND version <= ?`
    const values = [vectorCount, pendingVectorCount, memoryBytes, storedBytes, version, holder, version]
    this.#storage.sql.exec(query, ...values)
  }

  /** Gives a namespace another name; one that has it already is removed. */
  rename(name: string, to: string): void {
    this.#storage.transactionSync(() => {
      this.#remove(to)
      this.#storage.sql.exec('UPDATE directory SET name = ? WHERE name = ?', to, name)
      this.#storage.sql.exec('INSERT OR REPLACE INTO untold SELECT holder, name FROM directory WHERE name = ?', to)
    })
  }

  remove(name: string): void {
    this.#storage.transactionSync(() => this.#remove(name))
  }

  /** What objects must be told. */
  untold(): readonly Untold[] {
    const rows = this.#storage.sql.exec('SELECT * FROM untold').toArray()
    return rows.map((row) => {
      const { name } = row
      return { holder: textOf(row, 'holder'), name: typeof name === 'string' ? name : undefined }
    })
  }

  /** Takes note that an object was told. */
  told(holder: string): void {
    this.#storage.sql.exec('DELETE FROM untold WHERE holder = ?', holder)
  }

  #remove(name: string): void {
    const { sql } = this.#storage
    sql.exec('INSERT OR REPLACE INTO untold SELECT holder, NULL FROM directory WHERE name = ?', name)
    sql.exec('DELETE FROM directory WHERE name = ?', name)
  }
}

function entryOf(row: SqlRow): DirectoryEntry {
  return {
    name: textOf(row, 'name'),
    holder: textOf(row, 'holder'),
    vectorCount: numberOf(row, 'vector_count'),
    pendingVectorCount: numberOf(row, 'pending_count'),
    memoryBytes: numberOf(row, 'memory_bytes'),
    storedBytes: numberOf(row, 'stored_bytes'),
  }
}
