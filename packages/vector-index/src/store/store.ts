/**
 * Vectors of an index, by namespace. SQLite holds the truth. A namespace is loaded when it is first searched, from blocks
 * that stand in storage as they are searched and the few rows that were written since, and follows every write from then on.
 */
import type { Filter } from '../filter/filter.ts'
import { ProtocolError } from '../protocol-error.ts'
import type { SlotFilter } from '../search/best.ts'
import type { MakeKernel } from '../search/kernel.ts'
import type { Vectors } from '../search/vectors.ts'
import { BlockTable } from './block-table.ts'
import { NamespaceTable, type NamespaceCount } from './namespace-table.ts'
import { ResidentNamespace, type LoadedRow } from './resident-namespace.ts'
import { RowTable, type FoundRow } from './row-table.ts'
import { createTables, type IndexStorage } from './schema.ts'
import type { VectorRow } from './vector-row.ts'

/** Options of a store. */
export interface VectorStoreOptions {
  /**
   * Milliseconds until a write is found by queries, counted by `nowMs`. It holds across restarts.
   *
   * @default 0
   */
  readonly visibilityLagMs?: number
  /** @default Date.now */
  readonly nowMs?: () => number
  /**
   * Bytes that one namespace may take in memory. A Durable Object has 128 MB with everything else.
   *
   * @default 92274688
   * @see https://developers.cloudflare.com/durable-objects/platform/limits/
   */
  readonly memoryBytes?: number
  /** Makes the kernel that scans dense rows; without one plain JavaScript does, some ten times slower. */
  readonly makeKernel?: MakeKernel | undefined
  /** Length of dense vectors. @default 0 */
  readonly dimension?: number
}

const MEBIBYTE = 1024 * 1024

/** Bytes that one namespace may take in memory unless told otherwise. */
export const MEMORY_BYTES = 88 * MEBIBYTE

/** Bytes of metadata kept for filters, however full the namespace is. */
const LEAST_COLUMN_BYTES = 8 * MEBIBYTE

/** Rows, and blocks, that are read in one step of loading: some ten milliseconds. */
const ROWS_A_STEP = 500
const BLOCKS_A_STEP = 16

/** The vectors of one index. Every call is synchronous, so no other request comes in between. */
export class VectorStore {
  /** Bytes that one namespace may take in memory. */
  readonly memoryBytes: number
  readonly #storage: IndexStorage
  readonly #options: VectorStoreOptions
  readonly #visibilityLagMs: number
  readonly #nowMs: () => number
  readonly #namespaces: NamespaceTable
  readonly #rows: RowTable
  readonly #blocks: BlockTable
  readonly #loaded = new Map<string, ResidentNamespace>()

  /** Makes the tables where they are missing. @throws `config_invalid` when an earlier version filled the storage */
  constructor(storage: IndexStorage, options: VectorStoreOptions = {}) {
    this.#storage = storage
    this.#namespaces = new NamespaceTable(storage.sql)
    this.#rows = new RowTable(storage.sql)
    this.#blocks = new BlockTable(storage.sql)
    this.#options = options
    this.memoryBytes = options.memoryBytes ?? MEMORY_BYTES
    this.#visibilityLagMs = options.visibilityLagMs ?? 0
    this.#nowMs = options.nowMs ?? Date.now
    createTables(storage)
  }

  /** Bytes that the index takes in storage. */
  get sizeBytes(): number {
    return this.#storage.sql.databaseSize
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
    const shown = this.#storage.transactionSync(() => {
      const key = this.#namespaces.keyOf(namespace) ?? this.#namespaces.create(namespace)
      const before = this.#namespaces.memoryBytes(key)
      const positions = this.#write(key, last)
      const after = this.#namespaces.memoryBytes(key)
      // What is there may always be replaced by what takes no more.
      if (after > this.memoryBytes && after > before) throw this.#tooLarge(namespace)
      return positions.map((position, at) => ({ ...last[at]!, position }))
    })
    this.#follow(namespace, shown)
  }

  /** Shows queries the pending writes whose time has come. To be called before anything is read. */
  settle(): void {
    const nowMs = this.#nowMs()
    for (const { key, name } of this.#rows.keysDue(nowMs)) {
      const due = this.#rows.due(key, nowMs)
      this.#storage.transactionSync(() => {
        this.#rows.show(key, due, nowMs)
        this.#blocks.note(
          key,
          due.map(({ position }) => position),
        )
      })
      this.#follow(name, due)
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

  /** Reads ids and what stands beside vectors, by the positions that a search found, in no order; as far as it is taken. */
  foundAt(positions: readonly number[]): Iterable<readonly [position: number, FoundRow]> {
    return this.#rows.foundAt(positions)
  }

  /** Reads dense vectors by their positions. */
  denseAt(positions: readonly number[]): ReadonlyMap<number, Float32Array> {
    return this.#rows.denseAt(positions)
  }

  /** Positions of rows that queries find, by their ids. */
  positionsOf(namespace: string, ids: Iterable<string>): readonly number[] {
    const key = this.#namespaces.keyOf(namespace)
    return key === undefined ? [] : this.#rows.positionsOf(key, ids)
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
    this.#loaded.delete(namespace)
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
    this.#loaded.delete(namespace)
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
    const loaded = this.#loaded.get(namespace)
    this.#loaded.delete(namespace)
    this.#loaded.delete(name)
    if (loaded !== undefined) this.#loaded.set(name, loaded)
  }

  /** Rows of a namespace in memory that a filter selects, to be asked by slot. */
  selected(namespace: string, resident: ResidentNamespace, filter: Filter): SlotFilter {
    const key = this.#namespaces.keyOf(namespace)
    const taken = key === undefined ? 0 : this.#namespaces.memoryBytes(key)
    return resident.selectedBy(
      filter,
      (positions) => this.#rows.metadataAt(positions),
      Math.max(LEAST_COLUMN_BYTES, this.memoryBytes - taken),
    )
  }

  /** A namespace ready to be searched; `undefined` when there is none. */
  resident(namespace: string): ResidentNamespace | undefined {
    for (const _step of this.load(namespace));
    return this.#loaded.get(namespace)
  }

  /** Whether a namespace is in memory. */
  isLoaded(namespace: string): boolean {
    return this.#loaded.has(namespace)
  }

  /** Loads a namespace that is not in memory yet, step by step. It must not be written to meanwhile. */
  *load(namespace: string): Generator<undefined, void> {
    const key = this.#namespaces.keyOf(namespace)
    if (key === undefined || this.#loaded.has(namespace)) return
    const resident = (yield* this.#read(key)) ?? (yield* this.#readAfresh(key))
    this.#loaded.set(namespace, resident)
  }

  /** Whether so much of a namespace was written since its blocks were made that they should be made anew. */
  isBehind(namespace: string): boolean {
    const key = this.#namespaces.keyOf(namespace)
    return key !== undefined && this.#blocks.isBehind(key)
  }

  /** Makes blocks of what was written since, in steps each of which leaves storage whole; writes may come in between. */
  *makeBlocks(namespace: string): Generator<undefined, void> {
    const key = this.#namespaces.keyOf(namespace)
    const resident = this.resident(namespace)
    if (key === undefined || resident === undefined) return
    const lastNote = this.#blocks.lastNote(key)
    if (resident.mostlyEmpty) {
      resident.squeeze()
      this.#storage.transactionSync(() => this.#blocks.drop(key))
    }
    for (const block of resident.dirtyBlocks()) {
      yield
      // Emptied, dropped or given up meanwhile.
      if (this.#loaded.get(namespace) !== resident) return
      const { bytes, last } = resident.storeBlock(block)
      this.#storage.transactionSync(() => this.#blocks.write(key, block, bytes, last))
    }
    this.#blocks.forget(key, lastNote)
  }

  #write(key: number, rows: readonly VectorRow[]): readonly number[] {
    if (this.#visibilityLagMs > 0) {
      this.#rows.postpone(key, rows, this.#nowMs() + this.#visibilityLagMs)
      return []
    }
    const positions = this.#rows.write(key, rows)
    this.#blocks.note(key, positions)
    return positions
  }

  /** @returns `undefined` when a row belongs between those of the blocks, which happens when the lag was changed */
  *#read(key: number): Generator<undefined, ResidentNamespace | undefined> {
    const { dimension = 0, makeKernel } = this.#options
    const resident = new ResidentNamespace(dimension, makeKernel?.())
    const count = this.#blocks.count(key)
    for (let block = 0; block < count; block++) {
      resident.loadBlock(this.#blocks.read(key, block))
      if (block % BLOCKS_A_STEP === BLOCKS_A_STEP - 1) yield
    }
    const changed = this.#blocks.changed(key)
    for (let at = 0; at < changed.length; at += ROWS_A_STEP) {
      const positions = changed.slice(at, at + ROWS_A_STEP)
      const rows = this.#rows.loadedAt(positions)
      for (const position of positions) {
        const row = rows.get(position)
        if (row === undefined) resident.remove(position)
        else if (!resident.put(row)) return undefined
      }
      yield
    }
    for (let after: number | undefined = this.#blocks.covered(key); after !== undefined;) {
      const rows: readonly LoadedRow[] = this.#rows.page(key, after, ROWS_A_STEP)
      for (const row of rows) resident.put(row)
      after = rows.length < ROWS_A_STEP ? undefined : rows.at(-1)?.position
      if (after !== undefined) yield
    }
    return resident
  }

  *#readAfresh(key: number): Generator<undefined, ResidentNamespace> {
    this.#storage.transactionSync(() => this.#blocks.drop(key))
    // Without blocks the rows come in order.
    return (yield* this.#read(key))!
  }

  /** Lets a namespace in memory follow a write. */
  #follow(namespace: string, rows: readonly LoadedRow[]): void {
    const resident = this.#loaded.get(namespace)
    if (resident !== undefined && !rows.every((row) => resident.put(row))) this.#loaded.delete(namespace)
  }

  #delete(namespace: string, select: (key: number) => readonly string[]): number {
    const key = this.#namespaces.keyOf(namespace)
    if (key === undefined) return 0
    const { seen, count } = this.#storage.transactionSync(() => {
      const removed = this.#rows.remove(key, select(key))
      this.#blocks.note(key, removed.seen)
      return removed
    })
    const resident = this.#loaded.get(namespace)
    for (const position of seen) resident?.remove(position)
    return count
  }

  #empty(key: number): void {
    this.#rows.empty(key)
    this.#blocks.drop(key)
  }

  #drop(key: number): void {
    this.#empty(key)
    this.#namespaces.delete(key)
  }

  #tooLarge(namespace: string): ProtocolError {
    const limit = `${Number((this.memoryBytes / MEBIBYTE).toFixed(2))} MiB`
    return new ProtocolError(
      507,
      `Namespace "${namespace}" would take more than the ${limit} of memory that there are to search it. ` +
        'Spread it over several namespaces, or move to an engine made for production with index:export',
    )
  }
}
