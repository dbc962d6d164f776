/** A namespace as it is searched: what says where to look is in memory, vectors and texts are left in storage. */
import { compileFilter } from '../filter/compile-filter.ts'
import type { Filter, Path } from '../filter/filter.ts'
import { MetadataColumns, PAGE_ROWS, type Metadata } from '../filter/metadata-columns.ts'
import type { ScoredRow, SlotFilter } from '../search/best.ts'
import { BLOCK_ROWS } from '../search/block-rows.ts'
import { DenseRows } from '../search/dense.ts'
import type { ScanKernel } from '../search/kernel.ts'
import type { Similarity } from '../search/similarity.ts'
import { SparseRows, type SparseVector, type Weighting } from '../search/sparse.ts'
import type { Vectors } from '../search/vectors.ts'
import { pack, unpack } from './packed.ts'

/** A row as it is loaded. */
export interface LoadedRow extends Vectors {
  /** Key of the row in storage; rises in insertion order and stays when the row is replaced. */
  readonly position: number
}

/** Which rows a search may find, and how many. */
export interface Search {
  readonly topK: number
  /** @default every row */
  readonly matches?: SlotFilter | undefined
}

/** Rows of one namespace with both of its indexes, in blocks of slots that are stored as they stand. */
export class ResidentNamespace {
  readonly #dense: DenseRows
  readonly #sparse = new SparseRows()
  readonly #dirty = new Set<number>()
  #columns = new MetadataColumns()
  /** By slot, rising. */
  #positions = new Float64Array(0)
  #live = new Uint8Array(0)
  #slots = 0
  #rows = 0

  /** @param dimension of dense vectors; 0 for none */
  constructor(dimension: number, kernel?: ScanKernel) {
    this.#dense = new DenseRows(dimension, kernel)
  }

  /**
   * Adds a row behind the others, or replaces the one that has its position.
   *
   * @returns whether there is a place for it: there is none between two rows
   */
  put({ position, dense, sparse }: LoadedRow): boolean {
    const slot = this.#slotOf(position)
    if (slot < this.#slots && this.#positions[slot] !== position) return false
    this.#occupy(slot, position)
    this.#dense.put(slot, dense)
    this.#sparse.put(slot, sparse)
    if (slot % BLOCK_ROWS === 0 && slot > 0) this.#sparse.seal(slot / BLOCK_ROWS - 1)
    return true
  }

  /** Removes the row at a position, if there is one. */
  remove(position: number): void {
    const slot = this.#slotOf(position)
    if (slot === this.#slots || this.#positions[slot] !== position || this.#live[slot] === 0) return
    this.#live[slot] = 0
    this.#rows--
    this.#sparse.remove(slot)
    this.#changed(slot)
  }

  /** Whether more places are empty than taken. */
  get mostlyEmpty(): boolean {
    return this.#slots > BLOCK_ROWS && this.#rows * 2 < this.#slots
  }

  /** Moves the rows together. */
  squeeze(): void {
    let to = 0
    for (let first = 0; first < this.#slots; first += BLOCK_ROWS) {
      const vectors = this.#sparse.take(first / BLOCK_ROWS)
      for (let slot = first; slot < Math.min(first + BLOCK_ROWS, this.#slots); slot++) {
        if (this.#live[slot] === 0) continue
        this.#positions[to] = this.#positions[slot]!
        this.#dense.putBlock(to, this.#dense.block(slot, slot + 1))
        this.#sparse.putBack(to, vectors.get(slot % BLOCK_ROWS))
        if (++to % BLOCK_ROWS === 0) this.#sparse.seal(to / BLOCK_ROWS - 1)
      }
    }
    this.#slots = to
    this.#live.fill(0).fill(1, 0, to)
    this.#dense.cut(to)
    this.#sparse.cut(Math.ceil(to / BLOCK_ROWS))
    this.#columns = new MetadataColumns()
    this.#dirty.clear()
    for (let block = 0; block * BLOCK_ROWS < to; block++) this.#dirty.add(block)
  }

  /** Blocks that are not as they were stored, rising. */
  dirtyBlocks(): readonly number[] {
    return [...this.#dirty].sort((a, b) => a - b)
  }

  /** A block as it is stored, which counts as stored from then on. @returns also the position of its last row */
  storeBlock(block: number): { readonly bytes: Uint8Array<ArrayBuffer>; readonly last: number } {
    const from = block * BLOCK_ROWS
    const to = Math.min(from + BLOCK_ROWS, this.#slots)
    const { bytes, gains, misses, lengths } = this.#dense.block(from, to)
    const { dimensions, starts, rows, values } = this.#sparse.seal(block)
    const places = [this.#positions.subarray(from, to), this.#live.subarray(from, to)]
    this.#dirty.delete(block)
    const packed = pack([...places, bytes, gains, misses, lengths, dimensions, starts, rows, values])
    return { bytes: packed, last: this.#positions[to - 1]! }
  }

  /** Takes the next block as it was stored. */
  loadBlock(packed: ArrayBuffer): void {
    const arrays = unpack(packed, 10)
    // The lists outlive the piece.
    const [dimensions, starts, rows, values] = arrays.slice(6).map((array) => array.slice().buffer)
    const [positions, live, bytes, gains, misses, lengths] = arrays
    const from = this.#slots
    const places = numbersOf(Float64Array, positions!)
    this.#reserve(from + places.length)
    this.#positions.set(places, from)
    this.#live.set(live!, from)
    for (const one of live!) this.#rows += one
    this.#dense.putBlock(from, {
      bytes: numbersOf(Int8Array, bytes!),
      gains: numbersOf(Float32Array, gains!),
      misses: numbersOf(Float32Array, misses!),
      lengths: numbersOf(Float64Array, lengths!),
    })
    this.#sparse.putBlock(from / BLOCK_ROWS, {
      dimensions: new Int32Array(dimensions!),
      starts: new Uint32Array(starts!),
      rows: new Uint16Array(rows!),
      values: new Float32Array(values!),
    })
    this.#slots += places.length
  }

  /** Idf of a sparse dimension in this namespace. */
  idf(dimension: number): number {
    return this.#sparse.idf(dimension, this.#rows)
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
    const selected = new Uint8Array(this.#slots)
    for (let first = 0; first < this.#slots; first += PAGE_ROWS) {
      // An empty slot is in no index, so nothing asks for it.
      const positions = Array.from(this.#positions.subarray(first, Math.min(first + PAGE_ROWS, this.#slots)))
      let metadata: readonly Metadata[] | undefined
      const load = () => (metadata ??= read(positions))
      const columnOf = (path: Path) => this.#columns.column(first / PAGE_ROWS, path, load, columnBytes)
      selected.set(select(positions.length, columnOf), first)
    }
    return (slot) => selected[slot] === 1
  }

  /**
   * Rows by dense score, best first.
   *
   * @param read vectors of rows by their positions
   */
  searchDense(
    vector: Float32Array,
    { topK, matches, similarity }: Search & { readonly similarity: Similarity },
    read: (positions: readonly number[]) => ReadonlyMap<number, Float32Array>,
  ): readonly ScoredRow[] {
    return this.#dense.search(vector, {
      similarity,
      topK,
      isFound: (slot) => this.#live[slot] === 1 && matches?.(slot) !== false,
      read: (slots) => {
        const vectors = read(slots.map((slot) => this.positionAt(slot)))
        return new Map(slots.map((slot) => [slot, vectors.get(this.positionAt(slot))!]))
      },
    })
  }

  /** Rows by sparse score, best first; those that share no dimension are left out. */
  searchSparse(
    vector: SparseVector,
    { topK, matches, weighting }: Search & { readonly weighting: Weighting },
  ): readonly ScoredRow[] {
    return this.#sparse.search(vector, { topK, weighting, rows: this.#rows, isFound: matches ?? (() => true) })
  }

  /** Position of the row in a slot. */
  positionAt(slot: number): number {
    return this.#positions[slot]!
  }

  #occupy(slot: number, position: number): void {
    this.#reserve(slot + 1)
    this.#slots = Math.max(this.#slots, slot + 1)
    if (this.#live[slot] === 0) this.#rows++
    this.#positions[slot] = position
    this.#live[slot] = 1
    this.#changed(slot)
  }

  #changed(slot: number): void {
    this.#dirty.add(Math.floor(slot / BLOCK_ROWS))
    this.#columns.forget(slot)
  }

  /** The first slot whose position is not below; the one behind the last when all are. */
  #slotOf(position: number): number {
    let [low, high] = [0, this.#slots]
    if (high > 0 && this.#positions[high - 1]! < position) return high
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#positions[middle]! < position) low = middle + 1
      else high = middle
    }
    return low
  }

  #reserve(slots: number): void {
    if (slots <= this.#live.length) return
    const room = Math.max(slots, this.#live.length + (this.#live.length >> 2) + BLOCK_ROWS)
    const [positions, live] = [new Float64Array(room), new Uint8Array(room)]
    positions.set(this.#positions)
    live.set(this.#live)
    this.#positions = positions
    this.#live = live
  }
}

/** The same memory as numbers of another kind. */
function numbersOf<Numbers>(
  kind: { readonly BYTES_PER_ELEMENT: number; new (buffer: ArrayBuffer, from: number, length: number): Numbers },
  { buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>,
): Numbers {
  return new kind(buffer, byteOffset, byteLength / kind.BYTES_PER_ELEMENT)
}
