/** A namespace as it is searched: its vectors in memory, its texts left in storage. */
import { compileFilter } from '../filter/compile-filter.ts'
import type { Filter, Path } from '../filter/filter.ts'
import { MetadataColumns, PAGE_ROWS, type Metadata } from '../filter/metadata-columns.ts'
import type { DenseRows } from '../search/dense/dense-rows.ts'
import { PlainRows } from '../search/dense/plain-rows.ts'
import type { DenseSearch, ScoredRow, SlotFilter } from '../search/scan.ts'
import { SparsePostings, type SparseVector, type Weighting } from '../search/sparse.ts'
import type { Vectors } from '../search/vectors.ts'
import { dimensionBytes, rowBytes } from './memory-use.ts'

/** What identifies a row that was found. */
export interface FoundRow {
  /** Key of the row in storage; rises in insertion order and stays when the row is replaced. */
  readonly position: number
  readonly id: string
}

/** A row as it is loaded. */
export interface LoadedRow extends FoundRow, Vectors {}

/** Rows of one namespace with both of its indexes. Rows must come in insertion order. */
export class ResidentNamespace {
  readonly #ids: (string | undefined)[] = []
  readonly #positions: number[] = []
  readonly #dense: DenseRows
  readonly #slots = new Map<string, number>()
  readonly #postings = new SparsePostings()
  readonly #columns = new MetadataColumns()
  #rowBytes = 0

  /** @param dense empty, for this namespace alone */
  constructor(dense: DenseRows = new PlainRows()) {
    this.#dense = dense
  }

  /** Bytes that the rows take, as `memory-use.ts` counts them. */
  get byteLength(): number {
    return this.#rowBytes + dimensionBytes(this.#postings.dimensionCount)
  }

  /** Bytes held in blocks, lists and columns at this moment; ids and their tables are not among them. */
  get heldBytes(): number {
    return this.#dense.byteLength + this.#postings.byteLength + this.#columns.byteLength
  }

  /** Bytes that it would take with further rows, none of which it has. */
  byteLengthWith(rows: readonly (Vectors & { readonly id: string })[]): number {
    const added = rows.reduce((sum, row) => sum + rowBytes(row.id, row), 0)
    const unseen = this.#postings.unseenDimensions(rows.map(({ sparse }) => sparse))
    return this.byteLength + added + dimensionBytes(unseen)
  }

  /**
   * Adds a row, or replaces the one with its id in its place.
   *
   * @param before vectors of the row that is replaced
   */
  put({ position, id, dense, sparse }: LoadedRow, before?: Vectors): void {
    const known = this.#slots.get(id)
    const slot = known ?? this.#ids.length
    if (known !== undefined && before !== undefined) this.#forget(slot, id, before)
    this.#ids[slot] = id
    this.#positions[slot] = position
    this.#slots.set(id, slot)
    this.#dense.put(slot, dense)
    this.#postings.add(slot, sparse)
    this.#columns.forget(slot)
    this.#rowBytes += rowBytes(id, { dense, sparse })
  }

  /** @param before vectors of the row */
  remove(id: string, before: Vectors): void {
    const slot = this.#slots.get(id)
    if (slot === undefined) return
    this.#forget(slot, id, before)
    this.#dense.remove(slot)
    this.#ids[slot] = undefined
    this.#positions[slot] = -1
    this.#slots.delete(id)
  }

  /** Whether more places are empty than taken: then loading afresh is cheaper than keeping it. */
  get mostlyEmpty(): boolean {
    return this.#ids.length > 64 && this.#slots.size * 2 < this.#ids.length
  }

  /** Idf of a sparse dimension in this namespace. */
  idf(dimension: number): number {
    return this.#postings.idf(dimension)
  }

  /**
   * Rows that a filter selects. They are all found here, once, so that asking costs nothing while rows are scored.
   *
   * @param read metadata of rows by their positions
   * @param columnBytes bytes of metadata that may be kept for the next filter
   */
  selectedBy(
    filter: Filter,
    read: (positions: readonly number[]) => readonly Metadata[],
    columnBytes: number,
  ): SlotFilter {
    const select = compileFilter(filter)
    const selected = new Uint8Array(this.#ids.length)
    for (let first = 0; first < this.#ids.length; first += PAGE_ROWS) {
      // An empty slot is in no index, so nothing asks for it.
      const positions = this.#positions.slice(first, first + PAGE_ROWS)
      let metadata: readonly Metadata[] | undefined
      const load = () => (metadata ??= read(positions))
      const columnOf = (path: Path) => this.#columns.column(first / PAGE_ROWS, path, load, columnBytes)
      selected.set(select(positions.length, columnOf), first)
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

  /** Gives back what the inverted lists hold in reserve. For a namespace that was just loaded. */
  compact(): void {
    this.#postings.compact()
  }

  /** The row in a slot that a search returned. */
  rowAt(slot: number): FoundRow {
    const [id, position] = [this.#ids[slot], this.#positions[slot]]
    if (id === undefined || position === undefined) throw new RangeError(`No row in slot ${slot}`)
    return { position, id }
  }

  #forget(slot: number, id: string, before: Vectors): void {
    this.#postings.remove(slot, before.sparse)
    this.#rowBytes -= rowBytes(id, before)
  }
}
