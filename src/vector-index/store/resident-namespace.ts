/** A namespace as it is searched: its vectors in memory, its texts left in storage. */
import type { DenseRows } from '../search/dense/dense-rows.ts'
import { PlainRows } from '../search/dense/plain-rows.ts'
import { compileFilter } from '../filter/compile-filter.ts'
import type { Filter, Path } from '../filter/filter.ts'
import { MetadataColumns, PAGE_ROWS, type Metadata } from '../filter/metadata-columns.ts'
import type { DenseRow, DenseSearch, ScoredRow, SlotFilter } from '../search/scan.ts'
import { SparsePostings, type SparseVector, type Weighting } from '../search/sparse.ts'
import type { Vectors } from './stored-vector.ts'

/** What is kept in memory of a row. */
export interface ResidentRow extends Vectors {
  /** Key of the row in storage; rises in insertion order and stays when the row is replaced. */
  readonly position: number
  readonly id: string
}

/** Characters of metadata kept for a row, of all fields that filters named: a seventh or so of what the row takes. */
const METADATA_CHARACTERS = 1024

/** What a row takes in memory beside its dense vector and the inverted lists, about, in V8. */
const BYTES = { row: 700, idCharacter: 2, sparseValue: 8 } as const

/** Rows of one namespace with both of its indexes. Rows must come in insertion order. */
export class ResidentNamespace {
  readonly #rows: (HeldRow | undefined)[] = []
  readonly #dense: DenseRows
  readonly #slots = new Map<string, number>()
  readonly #postings = new SparsePostings()
  readonly #columns = new MetadataColumns()
  #byteLength = 0

  /** @param dense empty, for this namespace alone */
  constructor(dense: DenseRows = new PlainRows()) {
    this.#dense = dense
  }

  /** Bytes in memory, about. */
  get byteLength(): number {
    return this.#dense.byteLength + this.#postings.byteLength + this.#columns.byteLength + this.#byteLength
  }

  /** Adds a row, or replaces the one with its id in its place. */
  put(row: ResidentRow): void {
    const slot = this.#slots.get(row.id) ?? this.#rows.length
    const before = this.#rows[slot]
    if (before !== undefined) this.#forget(slot, before)
    const held = new HeldRow(row, slot, this.#dense)
    this.#rows[slot] = held
    this.#slots.set(row.id, slot)
    this.#dense.put(slot, row.dense)
    this.#postings.add(slot, row.sparse)
    this.#columns.forget(slot)
    this.#byteLength += held.byteLength
  }

  remove(id: string): void {
    const slot = this.#slots.get(id)
    const row = slot === undefined ? undefined : this.#rows[slot]
    if (slot === undefined || row === undefined) return
    this.#forget(slot, row)
    this.#dense.remove(slot)
    this.#rows[slot] = undefined
    this.#slots.delete(id)
  }

  /** Gives the memory back; the namespace must not be used afterwards. */
  release(): void {
    this.#dense.release()
  }

  /** Whether more places are empty than taken: then loading afresh is cheaper than keeping it. */
  get mostlyEmpty(): boolean {
    return this.#rows.length > 64 && this.#slots.size * 2 < this.#rows.length
  }

  get #budget(): number {
    return this.#rows.length * METADATA_CHARACTERS
  }

  /** Idf of a sparse dimension in this namespace. */
  idf(dimension: number): number {
    return this.#postings.idf(dimension)
  }

  /**
   * Rows that a filter selects. They are all found here, once, so that asking costs nothing while rows are scored.
   *
   * @param read metadata of rows by their positions
   */
  selectedBy(filter: Filter, read: (positions: readonly number[]) => readonly Metadata[]): SlotFilter {
    const select = compileFilter(filter)
    const selected = new Uint8Array(this.#rows.length)
    for (let first = 0; first < this.#rows.length; first += PAGE_ROWS) {
      const rows = this.#rows.slice(first, first + PAGE_ROWS)
      let metadata: readonly Metadata[] | undefined
      // An empty slot is in no index, so nothing asks for it.
      const load = () => (metadata ??= read(rows.map((row) => row?.position ?? -1)))
      const columnOf = (path: Path) => this.#columns.column(first / PAGE_ROWS, path, load, this.#budget)
      selected.set(select(rows.length, columnOf), first)
    }
    return (slot) => selected[slot] === 1
  }

  /** Rows by dense score, best first. */
  searchDense(vector: Float32Array, topK: number, search: DenseSearch = {}): readonly ScoredRow[] {
    return this.#dense.search(vector, topK, search)
  }

  /** Rows by sparse score, best first; those that share no dimension are left out. */
  searchSparse(vector: SparseVector, topK: number, weighting: Weighting, matches?: SlotFilter): readonly ScoredRow[] {
    return this.#postings.search(vector, topK, weighting, matches)
  }

  /** Bytes that the inverted lists hold. */
  get postingBytes(): number {
    return this.#postings.byteLength
  }

  /** The row in a slot that a search returned. */
  rowAt(slot: number): ResidentRow {
    const row = this.#rows[slot]
    if (row === undefined) throw new RangeError(`No row in slot ${slot}`)
    return row
  }
  #forget(slot: number, row: HeldRow): void {
    this.#postings.remove(slot, row.sparse)
    this.#byteLength -= row.byteLength
  }
}

/** A row whose dense vector stands among those of the namespace, and is read from there when asked for. */
class HeldRow implements ResidentRow {
  readonly position: number
  readonly id: string
  readonly sparse: SparseVector
  readonly #slot: number
  readonly #denseRows: DenseRows

  constructor({ position, id, sparse }: ResidentRow, slot: number, denseRows: DenseRows) {
    this.position = position
    this.id = id
    this.sparse = sparse
    this.#slot = slot
    this.#denseRows = denseRows
  }

  get dense(): DenseRow {
    const row = this.#denseRows.rowAt(this.#slot)
    if (row === undefined) throw new RangeError(`No row in slot ${this.#slot}`)
    return row
  }

  /** Bytes in memory without the dense vector. */
  get byteLength(): number {
    return BYTES.row + BYTES.idCharacter * this.id.length + BYTES.sparseValue * this.sparse.indices.length
  }
}
