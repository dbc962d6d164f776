import type { DenseRow, DenseSearch, ScoredRow } from '../scan.ts'

/** Dense rows of one namespace by slot, held so that they can be searched. Slots rise in insertion order. */
export interface DenseRows {
  /** Bytes held. */
  readonly byteLength: number
  /** Sets the row in a slot. */
  put(slot: number, row: DenseRow): void
  /** Takes the row from a slot, if there is one. */
  remove(slot: number): void
  /** The row in a slot; `undefined` when there is none. */
  rowAt(slot: number): DenseRow | undefined
  /**
   * The rows nearest to a vector.
   *
   * @returns at most `topK` rows, best first, ties in insertion order; by cosine none for a vector of zeros
   */
  search(vector: Float32Array, topK: number, search?: DenseSearch): readonly ScoredRow[]
}
