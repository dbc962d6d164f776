/** Dimensions that are not zero, and their values. A dimension given twice counts with the sum of its values. */
export interface SparseVector {
  /** Signed 32-bit integers. */
  readonly indices: Int32Array<ArrayBuffer>
  readonly values: Float32Array<ArrayBuffer>
}

/** Both vectors of a row. In an index without one of the parts, this one has no dimensions. */
export interface Vectors {
  readonly dense: Float32Array<ArrayBuffer>
  readonly sparse: SparseVector
}

/** What rows of a sparse index have for a dense vector. */
export const NO_DENSE = new Float32Array(0)

/** What rows of a dense index have for a sparse vector. */
export const NO_SPARSE: SparseVector = { indices: new Int32Array(0), values: new Float32Array(0) }
