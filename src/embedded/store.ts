/**
 * Vectors of an index, by namespace. SQLite holds the truth; a namespace is loaded into memory when it is first
 * searched and follows every write from then on.
 */
import type { Json } from '../core/chunk.ts'
import { ResidentNamespace } from './resident-namespace.ts'
import { createTables, numberOf, textOf, type IndexStorage, type SqlRow, type SqlStore } from './schema.ts'
import { VECTOR_COLUMNS, vectorsOf, vectorValues, type Vectors } from './stored-vector.ts'

/** What was kept beside a vector. */
export interface Attachment {
  /** The text that was embedded, or was given with an explicit vector. */
  readonly data?: string
  readonly metadata?: Readonly<Record<string, Json>>
}

/** A vector with what belongs to it. */
export interface VectorRow extends Attachment, Vectors {
  readonly id: string
}

/** A namespace and how many vectors it has. */
export interface NamespaceCount {
  readonly name: string
  readonly vectorCount: number
}

/** Options of a store. */
export interface VectorStoreOptions {
  /**
   * Rows held in memory; beyond it the namespaces searched longest ago are dropped, but never the one being searched. A
   * passage of 120 words takes 6 to 8 KB with its lists, and a Durable Object has 128 MB.
   *
   * @default 10000
   * @see https://developers.cloudflare.com/durable-objects/platform/limits/
   */
  readonly residentRows?: number
}

const COLUMNS = `id, data, metadata, ${VECTOR_COLUMNS}`

/** The vectors of one index. Every call is synchronous, so no other request comes in between. */
export class VectorStore {
  readonly #storage: IndexStorage
  readonly #sql: SqlStore
  readonly #residentRows: number
  /** Least recently searched first. */
  readonly #resident = new Map<string, ResidentNamespace>()

  /** Makes the tables where they are missing. */
  constructor(storage: IndexStorage, { residentRows = 10_000 }: VectorStoreOptions = {}) {
    this.#storage = storage
    this.#sql = storage.sql
    this.#residentRows = residentRows
    createTables(storage)
  }

  /** Bytes that the index takes in storage. */
  get sizeBytes(): number {
    return this.#sql.databaseSize
  }

  /** Namespaces in the order they were made; the default one, `''`, always is the first. */
  namespaces(): readonly NamespaceCount[] {
    const rows = this.#sql.exec('SELECT name, vector_count FROM namespaces ORDER BY key').toArray()
    return rows.map((row) => ({ name: textOf(row, 'name'), vectorCount: numberOf(row, 'vector_count') }))
  }

  /**
   * Writes vectors, all or none; makes the namespace if needed. A known id keeps its place in the insertion order; of
   * equal ids in one call the last counts.
   */
  upsert(namespace: string, rows: readonly VectorRow[]): void {
    const byId = new Map(rows.map((row) => [row.id, row]))
    const positions = this.#storage.transactionSync(() => {
      const key = this.#keyOf(namespace) ?? this.#createNamespace(namespace)
      return new Map(Array.from(byId.values(), (row) => [row.id, this.#write(key, row)]))
    })
    const resident = this.#resident.get(namespace)
    for (const [id, position] of positions) {
      const row = byId.get(id)
      if (row !== undefined) resident?.put({ position, id, dense: row.dense, sparse: row.sparse })
    }
  }

  /** Reads vectors by id, in the order asked; `null` for an unknown one. */
  fetch(namespace: string, ids: readonly string[]): readonly (VectorRow | null)[] {
    const key = this.#keyOf(namespace)
    if (key === undefined) return ids.map(() => null)
    const query = `SELECT ${COLUMNS} FROM vectors WHERE namespace = ? AND id IN (SELECT value FROM json_each(?))`
    const found = new Map(
      this.#sql
        .exec(query, key, JSON.stringify(ids))
        .toArray()
        .map((row) => [row['id'], vectorRow(row)]),
    )
    return ids.map((id) => found.get(id) ?? null)
  }

  /** Reads what stands beside vectors, by the storage positions that a search found, in the order asked. */
  attachments(positions: readonly number[]): readonly Attachment[] {
    const query = 'SELECT position, data, metadata FROM vectors WHERE position IN (SELECT value FROM json_each(?))'
    const rows = this.#sql.exec(query, JSON.stringify(positions)).toArray()
    const found = new Map(rows.map((row) => [row['position'], attachmentOf(row)]))
    return positions.map((position) => {
      const attachment = found.get(position)
      if (attachment === undefined) throw new RangeError(`No vector at position ${position}`)
      return attachment
    })
  }

  /**
   * A page of vectors in insertion order.
   *
   * @param offset how many to pass over
   * @param prefix only ids that begin with it; all for `''`
   */
  range(namespace: string, offset: number, limit: number, prefix: string): readonly VectorRow[] {
    const key = this.#keyOf(namespace)
    if (key === undefined) return []
    const query = `SELECT ${COLUMNS} FROM vectors WHERE namespace = ? AND substr(id, 1, length(?)) = ?
      ORDER BY position LIMIT ? OFFSET ?`
    return this.#sql.exec(query, key, prefix, prefix, limit, offset).toArray().map(vectorRow)
  }

  /** Removes vectors by id. @returns how many there were */
  delete(namespace: string, ids: readonly string[]): number {
    const query = 'DELETE FROM vectors WHERE namespace = ? AND id IN (SELECT value FROM json_each(?)) RETURNING id'
    return this.#delete(namespace, query, JSON.stringify(ids))
  }

  /** Removes the vectors whose ids begin with a prefix. @returns how many there were */
  deletePrefix(namespace: string, prefix: string): number {
    const query = 'DELETE FROM vectors WHERE namespace = ?1 AND substr(id, 1, length(?2)) = ?2 RETURNING id'
    return this.#delete(namespace, query, prefix)
  }

  /** Empties a namespace and keeps it. */
  reset(namespace: string): void {
    const key = this.#keyOf(namespace)
    if (key !== undefined) this.#sql.exec('DELETE FROM vectors WHERE namespace = ?', key)
    this.#resident.delete(namespace)
  }

  /** Empties every namespace and keeps them. */
  resetAll(): void {
    this.#sql.exec('DELETE FROM vectors')
    this.#resident.clear()
  }

  /** Removes a namespace with all it holds. @returns whether there was one */
  deleteNamespace(namespace: string): boolean {
    const key = this.#keyOf(namespace)
    if (key === undefined) return false
    this.#storage.transactionSync(() => {
      this.#sql.exec('DELETE FROM vectors WHERE namespace = ?', key)
      this.#sql.exec('DELETE FROM namespaces WHERE key = ?', key)
    })
    this.#resident.delete(namespace)
    return true
  }

  /** A namespace ready to be searched; `undefined` when there is none. */
  resident(namespace: string): ResidentNamespace | undefined {
    const loaded = this.#resident.get(namespace) ?? this.#load(namespace)
    if (loaded === undefined) return undefined
    this.#resident.delete(namespace)
    this.#resident.set(namespace, loaded)
    this.#dropOldest()
    return loaded
  }

  #load(namespace: string): ResidentNamespace | undefined {
    const key = this.#keyOf(namespace)
    if (key === undefined) return undefined
    const query = `SELECT position, id, ${VECTOR_COLUMNS} FROM vectors WHERE namespace = ? ORDER BY position`
    const loaded = new ResidentNamespace()
    for (const row of this.#sql.exec(query, key).toArray()) {
      loaded.put({ position: numberOf(row, 'position'), id: textOf(row, 'id'), ...vectorsOf(row) })
    }
    return loaded
  }

  #dropOldest(): void {
    let rows = 0
    for (const { slotCount } of this.#resident.values()) rows += slotCount
    for (const [name, { slotCount }] of this.#resident) {
      if (rows <= this.#residentRows || this.#resident.size === 1) return
      this.#resident.delete(name)
      rows -= slotCount
    }
  }

  #keyOf(namespace: string): number | undefined {
    const [row] = this.#sql.exec('SELECT key FROM namespaces WHERE name = ?', namespace).toArray()
    return row === undefined ? undefined : numberOf(row, 'key')
  }

  #createNamespace(namespace: string): number {
    const [row] = this.#sql.exec('INSERT INTO namespaces (name) VALUES (?) RETURNING key', namespace).toArray()
    return numberOf(row, 'key')
  }

  #write(key: number, row: VectorRow): number {
    const query = `INSERT INTO vectors (namespace, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (namespace, id) DO UPDATE SET data = excluded.data, metadata = excluded.metadata,
        dense = excluded.dense, dense_scale = excluded.dense_scale,
        sparse_indices = excluded.sparse_indices, sparse_values = excluded.sparse_values
      RETURNING position`
    const metadata = row.metadata === undefined ? null : JSON.stringify(row.metadata)
    const values = [key, row.id, row.data ?? null, metadata, ...vectorValues(row)]
    const [written] = this.#sql.exec(query, ...values).toArray()
    return numberOf(written, 'position')
  }

  #delete(namespace: string, query: string, selection: string): number {
    const key = this.#keyOf(namespace)
    if (key === undefined) return 0
    const deleted = this.#sql.exec(query, key, selection).toArray()
    const resident = this.#resident.get(namespace)
    for (const row of deleted) resident?.remove(textOf(row, 'id'))
    if (resident?.mostlyEmpty === true) this.#resident.delete(namespace)
    return deleted.length
  }
}

function attachmentOf({ data, metadata }: SqlRow): Attachment {
  return {
    ...(typeof data === 'string' && { data }),
    // The column holds what `#write` made of the same type.
    ...(typeof metadata === 'string' && { metadata: JSON.parse(metadata) as Readonly<Record<string, Json>> }),
  }
}

function vectorRow(row: SqlRow): VectorRow {
  return { id: textOf(row, 'id'), ...attachmentOf(row), ...vectorsOf(row) }
}
