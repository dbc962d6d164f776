/**
 * Vectors of an index, by namespace. SQLite holds the truth; a namespace is loaded into memory when it is first
 * searched and follows every write from then on.
 */
import type { Filter } from '../filter/filter.ts'
import type { SlotFilter } from '../search/scan.ts'
import type { Vectors } from '../search/vectors.ts'
import { mostRowBytes, rowBytes } from './memory-use.ts'
import { NamespaceTable, type NamespaceCount } from './namespace-table.ts'
import { NamespacesInMemory, type MemoryOptions } from './namespaces-in-memory.ts'
import { ResidentNamespace, type LoadedRow } from './resident-namespace.ts'
import { RowTable } from './row-table.ts'
import { createTables, type IndexStorage } from './schema.ts'
import type { Attachment, VectorRow } from './vector-row.ts'

/** Options of a store. */
export interface VectorStoreOptions extends MemoryOptions {
  /**
   * Milliseconds until a write is found by queries, counted by `nowMs`. It holds across restarts.
   *
   * @default 0
   */
  readonly visibilityLagMs?: number
  /** @default Date.now */
  readonly nowMs?: () => number
}

/** The vectors of one index. Every call is synchronous, so no other request comes in between. */
export class VectorStore {
  readonly #storage: IndexStorage
  readonly #visibilityLagMs: number
  readonly #nowMs: () => number
  readonly #namespaces: NamespaceTable
  readonly #rows: RowTable
  readonly #memory: NamespacesInMemory

  /** Makes the tables where they are missing. */
  constructor(storage: IndexStorage, options: VectorStoreOptions = {}) {
    this.#storage = storage
    this.#namespaces = new NamespaceTable(storage.sql)
    this.#rows = new RowTable(storage.sql)
    this.#memory = new NamespacesInMemory(options)
    this.#visibilityLagMs = options.visibilityLagMs ?? 0
    this.#nowMs = options.nowMs ?? Date.now
    createTables(storage)
  }

  /** Bytes that the index takes in storage. */
  get sizeBytes(): number {
    return this.#storage.sql.databaseSize
  }

  /** Bytes that the rows of one namespace may take in memory. */
  get memoryBytes(): number {
    return this.#memory.memoryBytes
  }

  /** Namespaces in the order they were made; the default one, `''`, always is the first. */
  namespaces(): readonly NamespaceCount[] {
    return this.#namespaces.counts()
  }

  /**
   * Writes vectors, all or none; makes the namespace if needed. A known id keeps its place in the insertion order; of
   * equal ids in one call the last counts. With a lag queries find them when it has passed.
   *
   * @throws `ProtocolError` 507 when the namespace could not be searched with them
   */
  upsert(namespace: string, rows: readonly VectorRow[]): void {
    const last = Array.from(new Map(rows.map((row) => [row.id, row])).values())
    const memoryBytes = this.#memoryWith(namespace, last)
    const shown = this.#storage.transactionSync(() => {
      const key = this.#namespaces.keyOf(namespace) ?? this.#namespaces.create(namespace)
      this.#namespaces.setMemoryBytes(key, memoryBytes)
      if (this.#visibilityLagMs > 0) {
        this.#rows.postpone(key, last, this.#nowMs() + this.#visibilityLagMs)
        return undefined
      }
      const before = this.#vectorsToReplace(namespace, key, last)
      const positions = this.#rows.write(key, last)
      return { before, rows: last.map((row, at) => ({ ...row, position: positions[at]! })) }
    })
    if (shown !== undefined) this.#follow(namespace, shown.rows, shown.before)
  }

  /** Shows queries the pending writes whose time has come. To be called before anything is read. */
  settle(): void {
    const nowMs = this.#nowMs()
    for (const { key, name } of this.#rows.keysDue(nowMs)) {
      const { before, rows } = this.#storage.transactionSync(() => {
        const due = this.#rows.due(key, nowMs)
        const replaced = this.#vectorsToReplace(name, key, due)
        this.#rows.show(key, due, nowMs)
        return { before: replaced, rows: due }
      })
      this.#follow(name, rows, before)
    }
  }

  /** The row of an id as it was last written; `undefined` when there is none. */
  newest(namespace: string, id: string): VectorRow | undefined {
    const [row] = this.found(namespace, [id])
    return row
  }

  /** A row drawn by lot; `undefined` when there is none. @param lot 0 up to, not including, 1 */
  random(namespace: string, lot: number): VectorRow | undefined {
    const key = this.#namespaces.keyOf(namespace)
    return key === undefined ? undefined : this.#rows.nth(key, Math.floor(lot * this.#rows.idCount(key)))
  }

  /** Reads vectors by id, in the order asked; `null` for an unknown one. */
  fetch(namespace: string, ids: readonly string[]): readonly (VectorRow | null)[] {
    const found = new Map(Array.from(this.found(namespace, ids), (row) => [row.id, row]))
    return ids.map((id) => found.get(id) ?? null)
  }

  /** Reads the vectors that have one of the ids, each once, in no order. They are read as far as they are taken. */
  *found(namespace: string, ids: readonly string[]): Iterable<VectorRow> {
    const key = this.#namespaces.keyOf(namespace)
    if (key !== undefined) yield* this.#rows.found(key, ids)
  }

  /** Reads what stands beside vectors, by the storage positions that a search found, in no order; as far as it is taken. */
  attachments(positions: readonly number[]): Iterable<readonly [position: number, Attachment]> {
    return this.#rows.attachments(positions)
  }

  /** Reads vectors by the storage positions that a search found. */
  vectorsAt(positions: readonly number[]): ReadonlyMap<number, Vectors> {
    return this.#rows.vectorsAt(positions)
  }

  /**
   * A page of vectors in insertion order. They are read as far as they are taken.
   *
   * @param after position of the row before; 0 for none
   * @param prefix only ids that begin with it; all for `''`
   */
  *range(
    namespace: string,
    after: number,
    limit: number,
    prefix: string,
  ): Iterable<VectorRow & { readonly position: number }> {
    const key = this.#namespaces.keyOf(namespace)
    if (key !== undefined) yield* this.#rows.range(key, after, limit, prefix)
  }

  /** Removes vectors by id. @returns how many there were, pending ones too */
  delete(namespace: string, ids: readonly string[]): number {
    return this.#delete(namespace, () => ids)
  }

  /** Removes the vectors whose ids begin with a prefix. @returns how many there were, pending ones too */
  deletePrefix(namespace: string, prefix: string): number {
    return this.#delete(namespace, (key) => this.#rows.idsWithPrefix(key, prefix))
  }

  /** Removes the vectors whose metadata, as it was last written, a filter selects. @returns how many there were */
  deleteSelected(namespace: string, filter: Filter): number {
    return this.#delete(namespace, (key) => this.#rows.idsSelected(key, filter))
  }

  /** Empties a namespace and keeps it. */
  reset(namespace: string): void {
    const key = this.#namespaces.keyOf(namespace)
    if (key !== undefined) this.#storage.transactionSync(() => this.#empty(key))
    this.#memory.delete(namespace)
  }

  /** Empties every namespace and keeps them. */
  resetAll(): void {
    for (const { name } of this.namespaces()) this.reset(name)
  }

  /** Removes a namespace with all it holds. @returns whether there was one */
  deleteNamespace(namespace: string): boolean {
    const key = this.#namespaces.keyOf(namespace)
    if (key === undefined) return false
    this.#storage.transactionSync(() => this.#drop(key))
    this.#memory.delete(namespace)
    return true
  }

  /** Whether there is a namespace of that name. */
  hasNamespace(namespace: string): boolean {
    return this.#namespaces.keyOf(namespace) !== undefined
  }

  /** Makes a namespace, if there is none of that name. */
  createNamespace(namespace: string): void {
    if (!this.hasNamespace(namespace)) this.#namespaces.create(namespace)
  }

  /** Gives a namespace another name; one that has this name already is removed with all it holds. */
  renameNamespace(namespace: string, name: string): void {
    const key = this.#namespaces.keyOf(namespace)
    const replaced = this.#namespaces.keyOf(name)
    if (key === undefined || key === replaced) return
    this.#storage.transactionSync(() => {
      if (replaced !== undefined) this.#drop(replaced)
      this.#namespaces.rename(key, name)
    })
    this.#memory.rename(namespace, name)
  }

  /** Rows of a namespace in memory that a filter selects, to be asked by slot. */
  selected(resident: ResidentNamespace, filter: Filter): SlotFilter {
    return resident.selectedBy(
      filter,
      (positions) => this.#rows.metadataAt(positions),
      this.#memory.columnBytes(resident),
    )
  }

  /**
   * A namespace ready to be searched; `undefined` when there is none.
   *
   * @throws `ProtocolError` 507 when it is too large for the memory
   */
  resident(namespace: string): ResidentNamespace | undefined {
    const key = this.#namespaces.keyOf(namespace)
    return key === undefined ? undefined : this.#resident(namespace, key)
  }

  /** Whether a namespace is in memory. */
  isLoaded(namespace: string): boolean {
    return this.#memory.get(namespace) !== undefined
  }

  /** Loads a namespace that is not in memory yet, step by step. It must not be written to meanwhile. */
  *load(namespace: string): Generator<undefined, void> {
    const key = this.#namespaces.keyOf(namespace)
    if (key === undefined || this.#memory.get(namespace) !== undefined) return
    yield* this.#memory.load(namespace, (after, limit) => this.#rows.page(key, after, limit))
  }

  #resident(namespace: string, key: number): ResidentNamespace {
    const known = this.#memory.get(namespace)
    if (known !== undefined) return known
    const loading = this.#memory.load(namespace, (after, limit) => this.#rows.page(key, after, limit))
    for (;;) {
      const step = loading.next()
      if (step.done === true) return step.value
    }
  }

  /**
   * Bytes that a namespace takes in memory after a write. They are counted roughly, from above, as long as that is within
   * the limit, and else exactly, from the namespace itself.
   *
   * @throws `ProtocolError` 507 when they are more than there may be
   */
  #memoryWith(namespace: string, rows: readonly VectorRow[]): number {
    const key = this.#namespaces.keyOf(namespace)
    const replaced =
      key === undefined
        ? new Map<string, Vectors>()
        : this.#rows.vectors(
            key,
            rows.map(({ id }) => id),
            'newest',
          )
    const before = Array.from(replaced).reduce((sum, [id, vectors]) => sum + rowBytes(id, vectors), 0)
    const stored = key === undefined ? 0 : this.#namespaces.memoryBytes(key)
    const most = rows.reduce((sum, row) => sum + mostRowBytes(row.id, row), stored - before)
    if (most <= this.#memory.memoryBytes) return most
    const resident = key === undefined ? new ResidentNamespace() : this.#resident(namespace, key)
    const pending = key === undefined ? [] : this.#rows.pendingVectors(key)
    const exact = resident.byteLengthWith([...pending, ...rows]) - before
    // What is there may always be replaced by what takes no more, also where the limit was higher once.
    const grows = exact > resident.byteLengthWith(pending)
    if (exact > this.#memory.memoryBytes && grows) throw this.#memory.tooLarge(namespace)
    return exact
  }

  /** Vectors that a write replaces, as far as memory must know them. */
  #vectorsToReplace(namespace: string, key: number, rows: readonly VectorRow[]): ReadonlyMap<string, Vectors> {
    if (this.#memory.get(namespace) === undefined) return new Map()
    return this.#rows.vectors(
      key,
      rows.map(({ id }) => id),
      'vectors',
    )
  }

  /** Lets a namespace in memory follow a write. */
  #follow(namespace: string, rows: readonly LoadedRow[], before: ReadonlyMap<string, Vectors>): void {
    const resident = this.#memory.get(namespace)
    for (const row of rows) resident?.put(row, before.get(row.id))
  }

  #delete(namespace: string, select: (key: number) => readonly string[]): number {
    const key = this.#namespaces.keyOf(namespace)
    if (key === undefined) return 0
    const { seen, count } = this.#storage.transactionSync(() => {
      const removed = this.#rows.remove(key, select(key))
      const gone = removed.seen.reduce((sum, row) => sum + rowBytes(row.id, row), 0)
      const empty = this.#rows.isEmpty(key)
      this.#namespaces.setMemoryBytes(key, empty ? 0 : Math.max(0, this.#namespaces.memoryBytes(key) - gone))
      return removed
    })
    const resident = this.#memory.get(namespace)
    for (const row of seen) resident?.remove(row.id, row)
    if (resident?.mostlyEmpty === true) this.#memory.delete(namespace)
    return count
  }

  #empty(key: number): void {
    this.#rows.empty(key)
    this.#namespaces.setMemoryBytes(key, 0)
  }

  #drop(key: number): void {
    this.#rows.empty(key)
    this.#namespaces.delete(key)
  }
}
