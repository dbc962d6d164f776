/** Non-zero dimensions and their values. The values of a repeated dimension are added. */
export interface SparseVector {
  /** Signed 32-bit integers. */
  readonly indices: Int32Array<ArrayBuffer>
  readonly values: Float32Array<ArrayBuffer>
}

/** Both vectors of a row; empty for a part that the index does not have. */
export interface Vectors {
  readonly dense: Float32Array<ArrayBuffer>
  readonly sparse: SparseVector
}

/** The dense vector of rows in a sparse index. */
export const NO_DENSE = new Float32Array(0)

/** The sparse vector of rows in a dense index. */
export const NO_SPARSE: SparseVector = { indices: new Int32Array(0), values: new Float32Array(0) }
