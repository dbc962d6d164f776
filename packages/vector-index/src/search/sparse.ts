/** Sparse vectors and their inverted lists. Idf comes in when a question is asked, so it never goes stale. */
import { BoundedTop, falling, type ScoredRow, type SlotFilter } from './best.ts'
import { BLOCK_ROWS } from './block-rows.ts'

/** Dimensions that are not zero, and their values. A dimension given twice counts with the sum of its values. */
export interface SparseVector {
  /** Signed 32-bit integers. */
  readonly indices: Int32Array<ArrayBuffer>
  readonly values: Float32Array<ArrayBuffer>
}

/** How a question's values are weighted. */
export type Weighting = 'IDF' | 'none'

/** Inverted lists of a block: for each dimension, rising, the rows that have it and their values. */
export interface SparseLists {
  readonly dimensions: Int32Array
  /** Where the list of each dimension begins, and where the last one ends. */
  readonly starts: Uint32Array
  /** Places in the block. */
  readonly rows: Uint16Array
  readonly values: Float32Array
}

interface Block {
  lists: SparseLists
  /** Rows that were set since the lists were made: what the lists say of them no longer holds. */
  loose: Map<number, ReadonlyMap<number, number>>
}

/** Slots that have a dimension, and their values. */
interface Hits {
  readonly slots: number[]
  readonly values: number[]
}

export const NO_LISTS: SparseLists = {
  dimensions: new Int32Array(0),
  starts: new Uint32Array(1),
  rows: new Uint16Array(0),
  values: new Float32Array(0),
}

const NOTHING: ReadonlyMap<number, number> = new Map()

/** Sparse vectors of a namespace by slot. */
export class SparseRows {
  readonly #blocks: Block[] = []

  /** Sets the vector in a slot. */
  put(slot: number, vector: SparseVector): void {
    this.#set(slot, vector.indices.length === 0 ? NOTHING : summed(vector))
  }

  remove(slot: number): void {
    this.#set(slot, NOTHING)
  }

  /** Takes the lists of a block. */
  putBlock(block: number, lists: SparseLists): void {
    this.#blocks[block] = { lists, loose: new Map() }
  }

  /** The lists of a block, with all that was set since they were made. */
  seal(block: number): SparseLists {
    const known = this.#blocks[block]
    if (known === undefined || known.loose.size === 0) return known?.lists ?? NO_LISTS
    const lists = listsOf(entriesOf(known))
    this.#blocks[block] = { lists, loose: new Map() }
    return lists
  }

  /** Takes the vectors out of a block. @returns them by their places in it */
  take(block: number): ReadonlyMap<number, ReadonlyMap<number, number>> {
    const vectors = new Map<number, Map<number, number>>()
    const known = this.#blocks[block]
    if (known === undefined) return vectors
    for (const [dimension, list] of entriesOf(known)) {
      for (const { row, value } of list) {
        const vector = vectors.get(row) ?? new Map<number, number>()
        vectors.set(row, vector.set(dimension, value))
      }
    }
    this.#blocks[block] = { lists: NO_LISTS, loose: new Map() }
    return vectors
  }

  /** Sets what was taken out of another slot. */
  putBack(slot: number, vector: ReadonlyMap<number, number> = NOTHING): void {
    this.#set(slot, vector)
  }

  /** Drops the blocks from one on. */
  cut(blocks: number): void {
    this.#blocks.length = Math.min(this.#blocks.length, blocks)
  }

  /** Inverse document frequency of a dimension among so many rows: ln(1 + (N − n + .5) / (n + .5)). */
  idf(dimension: number, rows: number): number {
    return idfOf(this.#hits(dimension).slots.length, rows)
  }

  /**
   * Rows by inner product with a vector. They are ordered by sums in float64, so that near-duplicates keep their order; the
   * scores of the best are summed in float32 as the service sums them. Idf is that of the whole namespace, with any filter.
   *
   * @param rows how many there are
   * @returns at most `topK` rows, best first, ties in insertion order; rows that share no dimension are left out
   */
  search(
    vector: SparseVector,
    { topK, weighting, rows, isFound }: { topK: number; weighting: Weighting; rows: number; isFound: SlotFilter },
  ): readonly ScoredRow[] {
    const slots = this.#blocks.length * BLOCK_ROWS
    const sums = new Float64Array(slots)
    const met = new Uint8Array(slots)
    const asked = Array.from(summed(vector), ([dimension, value]) => {
      const hits = this.#hits(dimension)
      const weight = weighting === 'IDF' ? Math.fround(value * idfOf(hits.slots.length, rows)) : value
      hits.slots.forEach((slot, at) => {
        sums[slot]! += weight * hits.values[at]!
        met[slot] = 1
      })
      return { hits, weight }
    })
    const best = new BoundedTop(topK)
    for (let slot = 0; slot < slots; slot++) if (met[slot] === 1 && isFound(slot)) best.offer(slot, sums[slot]!)
    const ranked = best.sorted()
    const scores = new Map(ranked.map(({ slot }) => [slot, 0]))
    for (const { hits, weight } of asked) {
      hits.slots.forEach((slot, at) => {
        const score = scores.get(slot)
        if (score !== undefined) scores.set(slot, Math.fround(score + Math.fround(weight * hits.values[at]!)))
      })
    }
    return falling(ranked, (slot) => scores.get(slot)!)
  }

  #set(slot: number, vector: ReadonlyMap<number, number>): void {
    const block = Math.floor(slot / BLOCK_ROWS)
    const known = (this.#blocks[block] ??= { lists: NO_LISTS, loose: new Map() })
    known.loose.set(slot % BLOCK_ROWS, vector)
  }

  #hits(dimension: number): Hits {
    const hits: Hits = { slots: [], values: [] }
    this.#blocks.forEach(({ lists, loose }, block) => {
      const at = placeOf(lists.dimensions, dimension)
      const end = at < 0 ? 0 : lists.starts[at + 1]!
      for (let entry = lists.starts[at] ?? 0; entry < end; entry++) {
        const row = lists.rows[entry]!
        if (loose.size > 0 && loose.has(row)) continue
        hits.slots.push(block * BLOCK_ROWS + row)
        hits.values.push(lists.values[entry]!)
      }
      for (const [row, vector] of loose) {
        const value = vector.get(dimension)
        if (value === undefined) continue
        hits.slots.push(block * BLOCK_ROWS + row)
        hits.values.push(value)
      }
    })
    return hits
  }
}

type Entries = Map<number, { readonly row: number; readonly value: number }[]>

function entriesOf({ lists, loose }: Block): Entries {
  const entries: Entries = new Map()
  const add = (dimension: number, row: number, value: number): void => {
    const list = entries.get(dimension)
    if (list === undefined) entries.set(dimension, [{ row, value }])
    else list.push({ row, value })
  }
  lists.dimensions.forEach((dimension, at) => {
    for (let entry = lists.starts[at]!; entry < lists.starts[at + 1]!; entry++) {
      if (!loose.has(lists.rows[entry]!)) add(dimension, lists.rows[entry]!, lists.values[entry]!)
    }
  })
  for (const [row, vector] of loose) for (const [dimension, value] of vector) add(dimension, row, value)
  return entries
}

function listsOf(entries: Entries): SparseLists {
  const dimensions = Int32Array.from(entries.keys()).sort()
  const starts = new Uint32Array(dimensions.length + 1)
  dimensions.forEach((dimension, at) => (starts[at + 1] = starts[at]! + entries.get(dimension)!.length))
  const rows = new Uint16Array(starts.at(-1)!)
  const values = new Float32Array(rows.length)
  dimensions.forEach((dimension, at) =>
    entries.get(dimension)!.forEach(({ row, value }, place) => {
      rows[starts[at]! + place] = row
      values[starts[at]! + place] = value
    }),
  )
  return { dimensions, starts, rows, values }
}

function idfOf(holding: number, rows: number): number {
  return Math.log(1 + (rows - holding + 0.5) / (holding + 0.5))
}

/** Place of a number among rising ones; -1 when it is not there. */
function placeOf(numbers: Int32Array, wanted: number): number {
  let [low, high] = [0, numbers.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (numbers[middle]! < wanted) low = middle + 1
    else high = middle
  }
  return numbers[low] === wanted ? low : -1
}

/** Each dimension once, with the sum of its values. */
function summed(vector: SparseVector): Map<number, number> {
  const sums = new Map<number, number>()
  for (let at = 0; at < vector.indices.length; at++) {
    const dimension = vector.indices[at]!
    sums.set(dimension, Math.fround((sums.get(dimension) ?? 0) + vector.values[at]!))
  }
  return sums
}
