/**
 * The vectors of a namespace. SQLite holds the rows; blocks, which are stored beside them, are loaded at the first
 * search. New writes are outside of the blocks until there are enough of them.
 */
import { jsonText, parseJson } from '../exact-json.ts'
import { ProtocolError } from '../protocol-error.ts'
import { blockRow, BLOCK_BYTES, bytesOfRow, packed, rowsOf, unpacked } from '../search/block.ts'
import type { Block, BlockRow } from '../search/block.ts'
import type { SparseRows } from '../search/sparse.ts'
import type { Vectors } from '../search/vectors.ts'
import type { DenseRow } from '../search/dense.ts'
import { createTables, type IndexStorage, type SqlRow, type SqlValue } from './schema.ts'
import { ROW_COLUMNS, rowValues, storedRow, vectorsOf } from './vector-row.ts'
import type { RowColumns, StoredRow, VectorColumns, VectorRow } from './vector-row.ts'

/** Counts of a namespace. */
export interface NamespaceCounts {
  readonly vectorCount: number
  /** Memory that its rows need for searching, bytes. */
  readonly memoryBytes: number
  /** Storage that it uses, bytes. */
  readonly storedBytes: number
}

const MEBIBYTE = 1024 * 1024

/**
 * Default memory limit of a namespace. A Durable Object has 128 MB for everything.
 *
 * @see https://developers.cloudflare.com/durable-objects/platform/limits/
 */
export const MEMORY_BYTES = 88 * MEBIBYTE

/** Number of rows outside of the blocks from which blocks are made of them. */
const LOOSE_ROWS = 256

/** Number of blocks to load in one step, which takes some ten milliseconds. */
const BLOCKS_A_STEP = 8

/** Memory per row, bytes; plus one byte per dimension and eight per sparse entry. */
const ROW_BYTES = 64
const MEMORY = `${ROW_BYTES} + coalesce(length(dense), 0) / 4 + coalesce(length(sparse), 0)`
const memoryOf = ({ dense, sparse }: Vectors) => ROW_BYTES + dense.length + 8 * sparse.indices.length

/** An existing id keeps its position. */
const WRITE = `INSERT INTO vectors (position, id, metadata, dense, sparse, data) VALUES (?, ?, jsonb(?), ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET metadata = excluded.metadata, dense = excluded.dense, sparse = excluded.sparse,
    data = excluded.data
  RETURNING position`

const AMONG = 'IN (SELECT value FROM json_each(?))'

/** The one row of table `namespace`. */
type State = { name: string | null; vectors: number; memory_bytes: number; next_position: number }

type Position = { position: number }
type Identified = Pick<VectorRow, 'id'>

/** A union of two key ranges: an `OR` of both would read every row. */
const LOOSE = `position IN (SELECT position FROM changed UNION ALL
  SELECT position FROM vectors WHERE position > (SELECT covered FROM namespace))`

/** The vectors of one namespace. Every call is synchronous, so requests do not interleave. */
export class VectorStore {
  readonly #memoryBytes: number
  readonly #storage: IndexStorage
  /** Blocks by the position of their first row, after the first search. */
  #loaded: Map<number, Block> | undefined
  /** A block of the rows outside of the blocks, made at a search and dropped at the next write. */
  #loose: Block | undefined

  /** Creates missing tables. */
  constructor(storage: IndexStorage, { memoryBytes = MEMORY_BYTES }: { readonly memoryBytes?: number } = {}) {
    this.#storage = storage
    this.#memoryBytes = memoryBytes
    createTables(storage)
  }

  /** Name of the namespace; `undefined` before the first write. */
  get name(): string | undefined {
    return this.#state().name ?? undefined
  }

  counts(): NamespaceCounts {
    const { vectors, memory_bytes: memoryBytes } = this.#state()
    return { vectorCount: vectors, memoryBytes, storedBytes: this.#storage.sql.databaseSize }
  }

  /**
   * Writes vectors, all or none. An existing id keeps its place in the insertion order; of a repeated id the last one
   * wins.
   *
   * @param rowOf makes the row of an item; not called any more once the limit is exceeded @default the item is the row
   * @throws `ProtocolError` 507 if the namespace would exceed its memory limit
   */
  upsert(name: string, rows: readonly VectorRow[]): void
  upsert<Item extends Identified>(name: string, items: readonly Item[], rowOf: (item: Item) => VectorRow): void
  upsert(name: string, items: readonly Identified[], rowOf = (item: Identified) => item as VectorRow): void {
    this.#loose = undefined
    const last = Array.from(new Map(items.map((item) => [item.id, item])).values())
    const state = this.#state()
    const before = this.#measure(last)
    // Existing rows may always be replaced by rows that are not larger.
    const room = before.bytes + Math.max(0, this.#memoryBytes - state.memory_bytes)
    let bytes = 0
    const rows = last.map((item, at) => {
      const row = rowOf(item)
      bytes += memoryOf(row)
      // The following rows have dense vectors of the same length.
      if (bytes + (last.length - at - 1) * (ROW_BYTES + row.dense.length) > room) throw this.#tooLarge(name)
      return row
    })
    this.#storage.transactionSync(() => {
      let next = state.next_position
      const replaced: number[] = []
      for (const row of rows) {
        const { position } = this.#exec<Position>(WRITE, next, ...rowValues(row))[0]!
        if (position === next) next++
        else replaced.push(position)
      }
      this.#note(replaced)
      const vectors = state.vectors + rows.length - before.count
      const query = 'UPDATE namespace SET name = ?, vectors = ?, memory_bytes = ?, next_position = ?'
      this.#exec(query, name, vectors, state.memory_bytes + bytes - before.bytes, next)
    })
    this.#makeBlocksIfDue()
  }

  /** Reads the vectors with these ids, each once, in no particular order. Lazy. */
  withIds(ids: readonly string[]): Iterable<StoredRow> {
    return this.#rows(`WHERE id ${AMONG}`, JSON.stringify(ids))
  }

  /** Reads vectors by position, in no particular order. Lazy. */
  at(positions: readonly number[]): Iterable<StoredRow> {
    return this.#rows(`WHERE position ${AMONG}`, JSON.stringify(positions))
  }

  /** A random row; empty if there is none. */
  random(): Iterable<StoredRow> {
    return this.#rows('WHERE position = (SELECT position FROM vectors ORDER BY random() LIMIT 1)')
  }

  /**
   * Reads a page of vectors in insertion order. Lazy.
   *
   * @param after position of the previous row; 0 to start
   * @param prefix of the ids; `''` for all
   */
  range(after: number, limit: number, prefix: string): Iterable<StoredRow> {
    const condition = 'WHERE position > ?1 AND substr(id, 1, length(?2)) = ?2 ORDER BY position LIMIT ?3'
    return this.#rows(condition, after, prefix, limit)
  }

  /** Dense vectors by their positions. */
  denseAt(positions: readonly number[]): readonly DenseRow[] {
    const query = `SELECT position, dense FROM vectors WHERE position ${AMONG}`
    const rows = this.#exec<Pick<VectorColumns, 'position' | 'dense'>>(query, JSON.stringify(positions))
    return rows.map(({ position, dense }) => ({ position, dense: new Float32Array(dense ?? new ArrayBuffer()) }))
  }

  /** Metadata with a JSON merge patch applied. @see https://www.rfc-editor.org/rfc/rfc7396 */
  patched(metadata: unknown, patch: unknown): unknown {
    const query = 'SELECT json_patch(?, ?) AS merged'
    return parseJson(this.#exec<{ merged: string }>(query, jsonText(metadata ?? {}), jsonText(patch))[0]!.merged)
  }

  /** Positions of the rows that match an SQL condition, such as that of a filter. */
  selected(condition: string, ...bindings: SqlValue[]): ReadonlySet<number> {
    const query = `SELECT json_group_array(position) AS positions FROM vectors WHERE ${condition}`
    // A list of keys from SQLite.
    return new Set(JSON.parse(this.#exec<{ positions: string }>(query, ...bindings)[0]!.positions) as number[])
  }

  /** Deletes vectors by id. @returns the number deleted */
  delete(ids: readonly string[]): number {
    return this.deleteSelected(`id ${AMONG}`, JSON.stringify(ids))
  }

  /** Deletes the vectors with an id prefix. @returns the number deleted */
  deletePrefix(prefix: string): number {
    // As bytes, so that the index of ids is used: FF occurs in no UTF-8.
    return this.deleteSelected(`id >= ?1 AND id < ?1 || CAST(x'ff' AS TEXT)`, prefix)
  }

  /** Deletes the vectors that match an SQL condition. @returns the number deleted */
  deleteSelected(condition: string, ...bindings: SqlValue[]): number {
    this.#loose = undefined
    const count = this.#storage.transactionSync(() => {
      const query = `DELETE FROM vectors WHERE ${condition} RETURNING position, ${MEMORY} AS bytes`
      const gone = this.#exec<Position & { bytes: number }>(query, ...bindings)
      this.#note(gone.map(({ position }) => position))
      const bytes = gone.reduce((sum, row) => sum + row.bytes, 0)
      this.#exec('UPDATE namespace SET vectors = vectors - ?, memory_bytes = memory_bytes - ?', gone.length, bytes)
      return gone.length
    })
    this.#makeBlocksIfDue()
    return count
  }

  /** Deletes all vectors. @param name new name of the namespace; `null` for none, which also ends resumable queries */
  reset(name: string | null | undefined = this.name): void {
    this.#storage.transactionSync(() => {
      const tables = ['vectors', 'blocks', 'changed', ...(name === null ? ['resumable_queries'] : [])]
      for (const table of tables) this.#exec(`DELETE FROM ${table}`)
      const query = 'UPDATE namespace SET name = ?, vectors = 0, memory_bytes = 0, next_position = 1, covered = 0'
      this.#exec(query, name ?? null)
    })
    this.#loaded = undefined
    this.#loose = undefined
  }

  /** Whether the blocks are in memory. */
  get isLoaded(): boolean {
    return this.#loaded !== undefined
  }

  /** Loads the blocks step by step, if they are not in memory. Nothing may be written meanwhile. */
  *load(): Generator<undefined, ReadonlyMap<number, Block>, void> {
    if (this.#loaded !== undefined) return this.#loaded
    const loaded = new Map<number, Block>()
    for (const first of this.#firsts()) {
      loaded.set(first, this.#block(first))
      if (loaded.size % BLOCKS_A_STEP === 0) yield
    }
    this.#loaded = loaded
    return loaded
  }

  /** The namespace, loaded for searching. */
  searchable(): SparseRows {
    const loading = this.load()
    let step = loading.next()
    while (step.done !== true) step = loading.next()
    const stale = new Set(this.#changed())
    this.#loose ??= unpacked(packed(this.#looseRows()))
    return {
      blocks: [
        ...Array.from(step.value.values(), (block) => ({ ...block, stale })),
        ...(this.#loose.positions.length === 0 ? [] : [this.#loose]),
      ],
      count: this.counts().vectorCount,
      hits: new Map(),
    }
  }

  /** Records rows that are outdated in their block. */
  #note(positions: readonly number[]): void {
    const query = `INSERT OR IGNORE INTO changed SELECT value FROM json_each(?)
      WHERE value <= (SELECT covered FROM namespace)`
    if (positions.length > 0) this.#exec(query, JSON.stringify(positions))
  }

  #makeBlocksIfDue(): void {
    const query = `SELECT next_position - 1 - covered + (SELECT count(*) FROM changed) AS loose FROM namespace`
    if (this.#exec<{ loose: number }>(query)[0]!.loose >= LOOSE_ROWS) this.#makeBlocks()
  }

  /**
   * Makes blocks of the rows outside of them, and rebuilds those with outdated rows. One at a time, because all of them
   * twice do not fit in memory.
   */
  #makeBlocks(): void {
    const outside = this.#looseRows()
    const touched = [...this.#changed(), ...outside.map(({ position }) => position)]
    const stale = new Set(touched)
    const firsts = this.#firsts()
    let rows: BlockRow[] = []
    const remake = (block: number): void => {
      const first = firsts[block]
      const [from, to] = [block === 0 ? 0 : first!, firsts[block + 1] ?? Infinity]
      const isWithin = (position: number): boolean => position >= from && position < to
      if (rows.length === 0 && !touched.some(isWithin)) return
      if (first !== undefined) {
        rows.push(...rowsOf(this.#block(first)).filter(({ position }) => !stale.has(position)))
        this.#exec('DELETE FROM blocks WHERE first = ?', first)
        this.#loaded?.delete(first)
      }
      rows.push(...outside.filter(({ position }) => isWithin(position)))
      rows.sort((a, b) => a.position - b.position)
      const pieces = piecesOf(rows)
      // Rows that fill less than half a block are moved to the next one.
      rows = block + 1 < firsts.length && isSmall(pieces.at(-1)) ? [...(pieces.pop() ?? [])] : []
      for (const piece of pieces) {
        const [at, bytes] = [piece[0]!.position, packed(piece)]
        this.#exec('INSERT INTO blocks VALUES (?, ?)', at, bytes)
        this.#loaded?.set(at, unpacked(bytes))
      }
    }
    try {
      this.#storage.transactionSync(() => {
        for (let block = 0; block < Math.max(1, firsts.length); block++) remake(block)
        this.#exec('DELETE FROM changed')
        this.#exec('UPDATE namespace SET covered = next_position - 1')
      })
    } catch (thrown) {
      this.#loaded = undefined
      throw thrown
    }
  }

  #looseRows(): readonly BlockRow[] {
    const query = `SELECT position, dense, sparse FROM vectors WHERE ${LOOSE} ORDER BY position`
    return this.#exec<VectorColumns>(query).map((row) => blockRow(row.position, vectorsOf(row)))
  }

  /** Positions of the first rows of blocks, ascending. */
  #firsts(): readonly number[] {
    return this.#exec<{ first: number }>('SELECT first FROM blocks ORDER BY first').map(({ first }) => first)
  }

  /** Positions of rows that are outdated in their block. */
  #changed(): readonly number[] {
    return this.#exec<Position>('SELECT position FROM changed').map(({ position }) => position)
  }

  #block(first: number): Block {
    const known = this.#loaded?.get(first)
    const query = 'SELECT bytes FROM blocks WHERE first = ?'
    return known ?? unpacked(this.#exec<{ bytes: ArrayBuffer }>(query, first)[0]!.bytes)
  }

  /** How many rows with these ids exist, and their memory. */
  #measure(items: readonly Identified[]): { readonly count: number; readonly bytes: number } {
    const query = `SELECT count(*) AS count, coalesce(sum(${MEMORY}), 0) AS bytes FROM vectors WHERE id ${AMONG}`
    const ids = JSON.stringify(items.map(({ id }) => id))
    return this.#exec<{ count: number; bytes: number }>(query, ids)[0]!
  }

  #state(): State {
    return this.#exec<State>('SELECT * FROM namespace')[0]!
  }

  *#rows(condition: string, ...bindings: SqlValue[]): Iterable<StoredRow> {
    const query = `SELECT ${ROW_COLUMNS} FROM vectors ${condition}`
    for (const row of this.#storage.sql.exec<RowColumns>(query, ...bindings)) yield storedRow(row)
  }

  #exec<Row extends SqlRow = SqlRow>(query: string, ...bindings: SqlValue[]): Row[] {
    return this.#storage.sql.exec<Row>(query, ...bindings).toArray()
  }

  #tooLarge(name: string): ProtocolError {
    const limit = `${Number((this.#memoryBytes / MEBIBYTE).toFixed(2))} MiB`
    return new ProtocolError(
      507,
      `Namespace "${name}" would take more than the ${limit} of memory that there are to search it. ` +
        'Spread it over several namespaces, or move to an engine made for production with index:export',
    )
  }
}

/** Divides rows into blocks. */
function piecesOf(rows: readonly BlockRow[]): (readonly BlockRow[])[] {
  const pieces: BlockRow[][] = []
  let bytes = Infinity
  for (const row of rows) {
    if (bytes >= BLOCK_BYTES) {
      pieces.push([])
      bytes = 0
    }
    pieces.at(-1)!.push(row)
    bytes += bytesOfRow(row)
  }
  return pieces
}

function isSmall(rows: readonly BlockRow[] = []): boolean {
  return rows.reduce((sum, row) => sum + bytesOfRow(row), 0) < BLOCK_BYTES / 2
}
