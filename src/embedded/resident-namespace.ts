/** A namespace as it is searched: its vectors in memory, its texts left in storage. */
import { compileFilter } from './filter/compile-filter.ts'
import type { Filter, Path } from './filter/filter.ts'
import { MetadataColumns, PAGE_ROWS, type Metadata } from './filter/metadata-columns.ts'
import { nearest, type DenseRow, type DenseSearch, type ScoredRow, type SlotFilter } from './scan.ts'
import { SparsePostings, type SparseVector, type Weighting } from './sparse.ts'
import type { Vectors } from './stored-vector.ts'

/** What is kept in memory of a row. */
export interface ResidentRow extends Vectors {
  /** Key of the row in storage; rises in insertion order and stays when the row is replaced. */
  readonly position: number
  readonly id: string
}

/** Characters of metadata kept for a row, of all fields that filters named: a seventh or so of what the row takes. */
const METADATA_CHARACTERS = 1024

/** Rows of one namespace with both of its indexes. Rows must come in insertion order. */
export class ResidentNamespace {
  readonly #rows: (ResidentRow | undefined)[] = []
  readonly #dense: (DenseRow | undefined)[] = []
  readonly #slots = new Map<string, number>()
  readonly #postings = new SparsePostings()
  readonly #columns = new MetadataColumns()

  /** Places taken, those of deleted rows too: what the namespace costs in memory. */
  get slotCount(): number {
    return this.#rows.length
  }

  /** Adds a row, or replaces the one with its id in its place. */
  put(row: ResidentRow): void {
    const known = this.#slots.get(row.id)
    const slot = known ?? this.#rows.length
    const before = this.#rows[slot]
    if (before !== undefined) this.#postings.remove(slot, before.sparse)
    this.#rows[slot] = row
    this.#dense[slot] = row.dense
    this.#slots.set(row.id, slot)
    this.#postings.add(slot, row.sparse)
    this.#columns.forget(slot)
  }

  remove(id: string): void {
    const slot = this.#slots.get(id)
    const row = slot === undefined ? undefined : this.#rows[slot]
    if (slot === undefined || row === undefined) return
    this.#postings.remove(slot, row.sparse)
    this.#rows[slot] = undefined
    this.#dense[slot] = undefined
    this.#slots.delete(id)
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
    return nearest(this.#dense, vector, topK, search)
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
}
