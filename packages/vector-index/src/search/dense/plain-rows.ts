import { nearest, type DenseRow, type DenseSearch, type ScoredRow } from '../scan.ts'
import type { DenseRows } from './dense-rows.ts'

/** What an object and two typed arrays take beside their numbers, measured in V8. */
const ROW_OVERHEAD = 250

/** Dense rows in plain JavaScript: the twin that the kernel must equal, and what searches where there is no kernel. */
export class PlainRows implements DenseRows {
  readonly #rows: (DenseRow | undefined)[] = []
  #byteLength = 0

  get byteLength(): number {
    return this.#byteLength
  }

  put(slot: number, row: DenseRow): void {
    this.remove(slot)
    this.#rows[slot] = row
    this.#byteLength += row.values.byteLength + ROW_OVERHEAD
  }

  remove(slot: number): void {
    const row = this.#rows[slot]
    if (row === undefined) return
    this.#rows[slot] = undefined
    this.#byteLength -= row.values.byteLength + ROW_OVERHEAD
  }

  rowAt(slot: number): DenseRow | undefined {
    return this.#rows[slot]
  }

  search(vector: Float32Array, topK: number, search: DenseSearch = {}): readonly ScoredRow[] {
    return nearest(this.#rows, vector, topK, search)
  }
}
