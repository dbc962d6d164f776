const CELL = 2
const FIRST_CELLS = 64
/** 2³² divided by the golden ratio: spreads dimensions that are multiples of one number, too. */
const SPREAD = 0x9e3779b1

/**
 * Numbers sparse dimensions as they come: 0, 1, 2 … An open-addressed hash table in one typed array, because a
 * collection has a hundred thousand dimensions and a `Map` takes several times the bytes.
 */
export class DimensionTable {
  /** Pairs of a dimension and its number plus one; 0 there marks a free cell. At most half are taken. */
  #cells = new Int32Array(CELL * FIRST_CELLS)
  #size = 0

  /** Dimensions numbered so far. */
  get size(): number {
    return this.#size
  }

  get byteLength(): number {
    return this.#cells.byteLength
  }

  /** Number of a dimension; -1 when it has none. */
  find(dimension: number): number {
    return this.#cells[this.#cellOf(dimension) + 1]! - 1
  }

  /** Number of a dimension, which gets the next one when it has none. */
  take(dimension: number): number {
    const known = this.find(dimension)
    if (known >= 0) return known
    if (this.#size * 2 * CELL >= this.#cells.length) this.#grow()
    const cell = this.#cellOf(dimension)
    this.#cells[cell] = dimension
    this.#cells[cell + 1] = ++this.#size
    return this.#size - 1
  }

  /** The dimensions by their numbers. */
  dimensions(): Int32Array {
    const dimensions = new Int32Array(this.#size)
    const cells = this.#cells
    for (let at = 0; at < cells.length; at += CELL) {
      const taken = cells[at + 1]!
      if (taken > 0) dimensions[taken - 1] = cells[at]!
    }
    return dimensions
  }

  /** Where a dimension stands, or the free cell where it would. */
  #cellOf(dimension: number): number {
    const cells = this.#cells
    const last = cells.length - CELL
    // The high bits of the product are the well-mixed ones.
    let cell = ((Math.imul(dimension, SPREAD) >>> 7) * CELL) & last
    while (cells[cell + 1] !== 0 && cells[cell] !== dimension) cell = (cell + CELL) & last
    return cell
  }

  #grow(): void {
    const before = this.#cells
    this.#cells = new Int32Array(before.length * 2)
    for (let at = 0; at < before.length; at += CELL) {
      if (before[at + 1] === 0) continue
      const cell = this.#cellOf(before[at]!)
      this.#cells[cell] = before[at]!
      this.#cells[cell + 1] = before[at + 1]!
    }
  }
}
