/**
 * Vectors of an index, by namespace. SQLite holds the truth; a namespace is loaded into memory when it is first
 * searched and follows every write from then on.
 */
import { compileFilter } from '../filter/compile-filter.ts'
import type { Filter } from '../filter/filter.ts'
import { PAGE_ROWS, type Metadata } from '../filter/metadata-columns.ts'
import { valueAt } from '../filter/path.ts'
import type { ResidentNamespace, ResidentRow } from './resident-namespace.ts'
import { ResidentNamespaces, type ResidentOptions } from './resident-namespaces.ts'
import type { SlotFilter } from '../search/scan.ts'
import { createTables, numberOf, textOf, type IndexStorage, type SqlRow, type SqlStore } from './schema.ts'
import { VECTOR_COLUMNS, vectorsOf } from './stored-vector.ts'
import { type Attachment, attachmentOf, ROW_COLUMNS, rowValues, type VectorRow, vectorRow } from './vector-row.ts'

/** A namespace and how many vectors it has. */
export interface NamespaceCount {
  readonly name: string
  /** Different ids, those of pending writes too. */
  readonly vectorCount: number
  /** Writes that nobody sees yet. */
  readonly pendingVectorCount: number
}

/** Options of a store. */
export interface VectorStoreOptions extends ResidentOptions {
  /**
   * Milliseconds until a write is seen, counted by `nowMs`. It holds across restarts.
   *
   * @default 0
   */
  readonly visibilityLagMs?: number
  /** @default Date.now */
  readonly nowMs?: () => number
}

/** A condition on rows of one namespace, which is `?1`; its own binding is `?2`. */
const BY_ID = 'id IN (SELECT value FROM json_each(?2))'
const BY_PREFIX = 'substr(id, 1, length(?2)) = ?2'
const BY_ROW = 'rowid IN (SELECT value FROM json_each(?2))'

/** Tables whose rows belong to a namespace. */
type Table = 'vectors' | 'pending'

/** The vectors of one index. Every call is synchronous, so no other request comes in between. */
export class VectorStore {
  readonly #storage: IndexStorage
  readonly #sql: SqlStore
  readonly #visibilityLagMs: number
  readonly #nowMs: () => number
  readonly #resident: ResidentNamespaces

  /** Makes the tables where they are missing. */
  constructor(storage: IndexStorage, options: VectorStoreOptions = {}) {
    this.#storage = storage
    this.#sql = storage.sql
    this.#resident = new ResidentNamespaces(options)
    this.#visibilityLagMs = options.visibilityLagMs ?? 0
    this.#nowMs = options.nowMs ?? Date.now
    createTables(storage)
  }

  /** Bytes that the index takes in storage. */
  get sizeBytes(): number {
    return this.#sql.databaseSize
  }

  /** Namespaces in the order they were made; the default one, `''`, always is the first. */
  namespaces(): readonly NamespaceCount[] {
    const query = `SELECT name, vector_count + (SELECT count(DISTINCT id) FROM pending WHERE namespace = key
        AND NOT EXISTS (SELECT 1 FROM vectors WHERE namespace = key AND vectors.id = pending.id)) AS vectors,
      (SELECT count(*) FROM pending WHERE namespace = key) AS pending
      FROM namespaces ORDER BY key`
    const rows = this.#sql.exec(query).toArray()
    return rows.map((row) => ({
      name: textOf(row, 'name'),
      vectorCount: numberOf(row, 'vectors'),
      pendingVectorCount: numberOf(row, 'pending'),
    }))
  }

  /**
   * Writes vectors, all or none; makes the namespace if needed. A known id keeps its place in the insertion order; of
   * equal ids in one call the last counts. With a lag they stay pending: neither searched nor read until it passed.
   *
   * @throws `ProtocolError` 507 when the namespace would be too large to be searched
   */
  upsert(namespace: string, rows: readonly VectorRow[]): void {
    const last = Array.from(new Map(rows.map((row) => [row.id, row])).values())
    this.#requireRoom(namespace, last)
    if (this.#visibilityLagMs > 0) this.#postpone(namespace, last)
    else this.#apply(namespace, last)
  }

  /** Shows the pending writes whose time has come. To be called before anything is read. */
  settle(): void {
    const nowMs = this.#nowMs()
    const query = 'SELECT name, pending.* FROM pending JOIN namespaces ON key = namespace WHERE due_ms <= ?'
    const due = this.#sql.exec(`${query} ORDER BY sequence`, nowMs).toArray()
    for (const [namespace, rows] of byNamespace(due)) this.#apply(namespace, rows.map(vectorRow), nowMs)
  }

  /** The newest version of a row, pending or not; `undefined` when there is none. */
  newest(namespace: string, id: string): VectorRow | undefined {
    const key = this.#keyOf(namespace)
    if (key === undefined) return undefined
    const query = `SELECT ${ROW_COLUMNS} FROM pending WHERE namespace = ? AND id = ? ORDER BY sequence DESC LIMIT 1`
    const [pending] = this.#sql.exec(query, key, id).toArray()
    return pending === undefined ? (this.fetch(namespace, [id])[0] ?? undefined) : vectorRow(pending)
  }

  /** A row drawn by lot; `undefined` when there is none. @param lot 0 up to, not including, 1 */
  random(namespace: string, lot: number): VectorRow | undefined {
    const key = this.#keyOf(namespace)
    if (key === undefined) return undefined
    const [counted] = this.#sql.exec('SELECT vector_count FROM namespaces WHERE key = ?', key).toArray()
    const [row] = this.range(namespace, Math.floor(lot * numberOf(counted, 'vector_count')), 1, '')
    return row
  }

  /** Reads vectors by id, in the order asked; `null` for an unknown one. */
  fetch(namespace: string, ids: readonly string[]): readonly (VectorRow | null)[] {
    const found = new Map(Array.from(this.found(namespace, ids), (row) => [row.id, row]))
    return ids.map((id) => found.get(id) ?? null)
  }

  /** Reads the vectors that have one of the ids, each once, in no order. They are read as far as they are taken. */
  *found(namespace: string, ids: readonly string[]): Iterable<VectorRow> {
    const key = this.#keyOf(namespace)
    if (key === undefined) return
    const query = `SELECT ${ROW_COLUMNS} FROM vectors WHERE namespace = ? AND id IN (SELECT value FROM json_each(?))`
    for (const row of this.#sql.exec(query, key, JSON.stringify(ids))) yield vectorRow(row)
  }

  /** Reads what stands beside vectors, by the storage positions that a search found, in no order; as far as it is taken. */
  *attachments(positions: readonly number[]): Iterable<readonly [position: number, Attachment]> {
    const query = 'SELECT position, data, metadata FROM vectors WHERE position IN (SELECT value FROM json_each(?))'
    for (const row of this.#sql.exec(query, JSON.stringify(positions))) {
      yield [numberOf(row, 'position'), attachmentOf(row)]
    }
  }

  /**
   * A page of vectors in insertion order. They are read as far as they are taken.
   *
   * @param offset how many to pass over
   * @param prefix only ids that begin with it; all for `''`
   */
  *range(namespace: string, offset: number, limit: number, prefix: string): Iterable<VectorRow> {
    const key = this.#keyOf(namespace)
    if (key === undefined) return
    const query = `SELECT ${ROW_COLUMNS} FROM vectors WHERE namespace = ? AND substr(id, 1, length(?)) = ?
      ORDER BY position LIMIT ? OFFSET ?`
    for (const row of this.#sql.exec(query, key, prefix, prefix, limit, offset)) yield vectorRow(row)
  }

  /** Removes vectors by id. @returns how many there were, pending ones too */
  delete(namespace: string, ids: readonly string[]): number {
    return this.#delete(namespace, BY_ID, () => JSON.stringify(ids))
  }

  /** Removes the vectors whose ids begin with a prefix. @returns how many there were, pending ones too */
  deletePrefix(namespace: string, prefix: string): number {
    return this.#delete(namespace, BY_PREFIX, () => prefix)
  }

  /** Removes the vectors whose metadata a filter selects. @returns how many there were, pending ones too */
  deleteSelected(namespace: string, filter: Filter): number {
    return this.#delete(namespace, BY_ROW, (table, key) => JSON.stringify(this.#rowsSelected(table, key, filter)))
  }

  /** Empties a namespace and keeps it. */
  reset(namespace: string): void {
    const key = this.#keyOf(namespace)
    if (key !== undefined) this.#storage.transactionSync(() => this.#empty(key))
    this.#resident.delete(namespace)
  }

  /** Empties every namespace and keeps them. */
  resetAll(): void {
    this.#storage.transactionSync(() => {
      this.#sql.exec('DELETE FROM vectors')
      this.#sql.exec('DELETE FROM pending')
    })
    this.#resident.clear()
  }

  /** Removes a namespace with all it holds. @returns whether there was one */
  deleteNamespace(namespace: string): boolean {
    const key = this.#keyOf(namespace)
    if (key === undefined) return false
    this.#storage.transactionSync(() => this.#drop(key))
    this.#resident.delete(namespace)
    return true
  }

  /** Whether there is a namespace of that name. */
  hasNamespace(namespace: string): boolean {
    return this.#keyOf(namespace) !== undefined
  }

  /** Gives a namespace another name; one that has this name already is removed with all it holds. */
  renameNamespace(namespace: string, name: string): void {
    const key = this.#keyOf(namespace)
    const replaced = this.#keyOf(name)
    if (key === undefined || key === replaced) return
    this.#storage.transactionSync(() => {
      if (replaced !== undefined) this.#drop(replaced)
      this.#sql.exec('UPDATE namespaces SET name = ? WHERE key = ?', name, key)
    })
    this.#resident.rename(namespace, name)
  }

  /** Rows of a namespace in memory that a filter selects, to be asked by slot. */
  selected(resident: ResidentNamespace, filter: Filter): SlotFilter {
    return resident.selectedBy(filter, (positions) => this.#metadata('vectors', positions))
  }

  /**
   * A namespace ready to be searched; `undefined` when there is none.
   *
   * @throws `ProtocolError` 507 when it is too large for the memory
   */
  resident(namespace: string): ResidentNamespace | undefined {
    const key = this.#keyOf(namespace)
    return key === undefined ? undefined : this.#resident.toSearch(namespace, () => this.#rows(key))
  }

  *#rows(key: number): Iterable<ResidentRow> {
    const query = `SELECT position, id, ${VECTOR_COLUMNS} FROM vectors WHERE namespace = ? ORDER BY position`
    for (const row of this.#sql.exec(query, key)) {
      yield { position: numberOf(row, 'position'), id: textOf(row, 'id'), ...vectorsOf(row) }
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

  /** What a namespace has may always be replaced, even when it became too large. */
  #requireRoom(namespace: string, rows: readonly VectorRow[]): void {
    const query = `SELECT vector_count, (SELECT count(*) FROM vectors WHERE namespace = key
        AND id IN (SELECT value FROM json_each(?2))) AS known FROM namespaces WHERE name = ?1`
    const ids = JSON.stringify(rows.map(({ id }) => id))
    const [counted] = this.#sql.exec(query, namespace, ids).toArray()
    const [before, known] = counted ? [numberOf(counted, 'vector_count'), numberOf(counted, 'known')] : [0, 0]
    if (rows.length > known) this.#resident.requireRoomFor(namespace, before + rows.length - known)
  }

  #empty(key: number): void {
    this.#sql.exec('DELETE FROM vectors WHERE namespace = ?', key)
    this.#sql.exec('DELETE FROM pending WHERE namespace = ?', key)
  }

  #drop(key: number): void {
    this.#empty(key)
    this.#sql.exec('DELETE FROM namespaces WHERE key = ?', key)
  }

  #postpone(namespace: string, rows: readonly VectorRow[]): void {
    const due = this.#nowMs() + this.#visibilityLagMs
    const query = `INSERT INTO pending (due_ms, namespace, ${ROW_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`
    this.#storage.transactionSync(() => {
      const key = this.#keyOf(namespace) ?? this.#createNamespace(namespace)
      for (const row of rows) this.#sql.exec(query, due, key, ...rowValues(row))
    })
  }

  /** @param dueMs given when the rows were pending until then; they are so no more */
  #apply(namespace: string, rows: readonly VectorRow[], dueMs?: number): void {
    const positions = this.#storage.transactionSync(() => {
      const key = this.#keyOf(namespace) ?? this.#createNamespace(namespace)
      if (dueMs !== undefined) this.#sql.exec('DELETE FROM pending WHERE namespace = ? AND due_ms <= ?', key, dueMs)
      return rows.map((row) => this.#write(key, row))
    })
    const resident = this.#resident.get(namespace)
    rows.forEach(({ id, dense, sparse }, at) => resident?.put({ position: positions[at]!, id, dense, sparse }))
    this.#resident.grew(namespace)
  }

  #write(key: number, row: VectorRow): number {
    const query = `INSERT INTO vectors (namespace, ${ROW_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (namespace, id) DO UPDATE SET data = excluded.data, metadata = excluded.metadata,
        dense = excluded.dense, dense_scale = excluded.dense_scale,
        sparse_indices = excluded.sparse_indices, sparse_values = excluded.sparse_values
      RETURNING position`
    const [written] = this.#sql.exec(query, key, ...rowValues(row)).toArray()
    return numberOf(written, 'position')
  }

  /** @param selection binding of the condition */
  #delete(namespace: string, condition: string, selection: (table: Table, key: number) => string): number {
    const key = this.#keyOf(namespace)
    if (key === undefined) return 0
    const remove = (table: Table): string[] =>
      this.#sql
        .exec(`DELETE FROM ${table} WHERE namespace = ?1 AND ${condition} RETURNING id`, key, selection(table, key))
        .toArray()
        .map((row) => textOf(row, 'id'))
    const [seen, pending] = this.#storage.transactionSync(() => [remove('vectors'), remove('pending')] as const)
    const resident = this.#resident.get(namespace)
    for (const id of seen) resident?.remove(id)
    if (resident?.mostlyEmpty === true) this.#resident.delete(namespace)
    return new Set([...seen, ...pending]).size
  }

  /** Row ids of all that a filter selects, a page at a time. */
  #rowsSelected(table: Table, key: number, filter: Filter): readonly number[] {
    const select = compileFilter(filter)
    const query = `SELECT rowid AS row FROM ${table} WHERE namespace = ? ORDER BY rowid`
    const all = this.#sql.exec(query, key).toArray()
    const rowids = all.map((row) => numberOf(row, 'row'))
    const found: number[] = []
    for (let first = 0; first < rowids.length; first += PAGE_ROWS) {
      const page = rowids.slice(first, first + PAGE_ROWS)
      const metadata = this.#metadata(table, page)
      const selected = select(page.length, (path) => metadata.map((row) => valueAt(row, path)))
      found.push(...page.filter((_row, at) => selected[at] === 1))
    }
    return found
  }

  /** Metadata of rows, in the order asked. */
  #metadata(table: Table, rowids: readonly number[]): readonly Metadata[] {
    const query = `SELECT rowid AS row, metadata FROM ${table} WHERE rowid IN (SELECT value FROM json_each(?))`
    const rows = this.#sql.exec(query, JSON.stringify(rowids)).toArray()
    const found = new Map(rows.map((row) => [row['row'], attachmentOf(row).metadata]))
    return rowids.map((row) => found.get(row))
  }
}

function byNamespace(rows: readonly SqlRow[]): Map<string, SqlRow[]> {
  const groups = new Map<string, SqlRow[]>()
  for (const row of rows) {
    const group = groups.get(textOf(row, 'name'))
    if (group === undefined) groups.set(textOf(row, 'name'), [row])
    else group.push(row)
  }
  return groups
}
