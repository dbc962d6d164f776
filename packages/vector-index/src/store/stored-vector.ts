/** How vectors stand in storage: base64 of their bytes (little-endian, as every platform of Workers is). */
import { decodeBase64, encodeBase64 } from './base64.ts'
import { float32Row, int8Row } from '../search/scan.ts'
import { textOf, type SqlRow } from './schema.ts'
import type { Vectors } from '../search/vectors.ts'

/** Columns that hold the vectors, in the order of their values; without a scale the dense one is float32. */
export const VECTOR_COLUMNS = 'dense, dense_scale, sparse_indices, sparse_values'

/** Values of `VECTOR_COLUMNS`. */
export function vectorValues({ dense, sparse }: Vectors): readonly (string | number | null)[] {
  const scale = dense.encoding === 'int8' ? dense.scale : null
  return [encoded(dense.values), scale, encoded(sparse.indices), encoded(sparse.values)]
}

/** Reads the vectors from a row that has `VECTOR_COLUMNS`. */
export function vectorsOf(row: SqlRow): Vectors {
  const scale = row['dense_scale']
  const dense = decodeBase64(textOf(row, 'dense')).buffer
  return {
    dense: typeof scale === 'number' ? int8Row(new Int8Array(dense), scale) : float32Row(new Float32Array(dense)),
    sparse: {
      indices: new Int32Array(decodeBase64(textOf(row, 'sparse_indices')).buffer),
      values: new Float32Array(decodeBase64(textOf(row, 'sparse_values')).buffer),
    },
  }
}

function encoded(view: { buffer: ArrayBufferLike; byteOffset: number; byteLength: number }): string {
  return encodeBase64(new Uint8Array(view.buffer, view.byteOffset, view.byteLength))
}
