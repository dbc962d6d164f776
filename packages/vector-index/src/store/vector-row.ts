/** A vector with what belongs to it, and the columns that hold it. */
import { jsonText, parseJson, type ExactJson } from '../exact-json.ts'
import type { Vectors } from '../search/vectors.ts'
import { decodeBase64, encodeBase64 } from './base64.ts'
import { textOf, type SqlRow } from './schema.ts'

/** What was kept beside a vector. */
export interface Attachment {
  /** The text that was embedded, or was given with an explicit vector. */
  readonly data?: string
  readonly metadata?: Readonly<Record<string, ExactJson>>
}

/** A vector with what belongs to it. */
export interface VectorRow extends Attachment, Vectors {
  readonly id: string
}

/** Columns that hold the vectors: base64 of their bytes, little-endian as every platform of Workers is. */
export const VECTOR_COLUMNS = 'dense, sparse_indices, sparse_values'

/** Columns of a row, in the order of `rowValues`. */
export const ROW_COLUMNS = `id, data, metadata, ${VECTOR_COLUMNS}`

/** What stands in the columns. */
export function rowValues(row: VectorRow): readonly (string | null)[] {
  const metadata = row.metadata === undefined ? null : jsonText(row.metadata)
  const vectors = [row.dense, row.sparse.indices, row.sparse.values].map(({ buffer, byteOffset, byteLength }) =>
    encodeBase64(new Uint8Array(buffer, byteOffset, byteLength)),
  )
  return [row.id, row.data ?? null, metadata, ...vectors]
}

/** What stands beside the vector of a row. */
export function attachmentOf({ data, metadata }: SqlRow): Attachment {
  return {
    ...(typeof data === 'string' && { data }),
    // The column holds what `rowValues` made of the same type.
    ...(typeof metadata === 'string' && { metadata: parseJson(metadata) as Readonly<Record<string, ExactJson>> }),
  }
}

/** Reads the vectors from a row that has `VECTOR_COLUMNS`. */
export function vectorsOf(row: SqlRow): Vectors {
  return {
    dense: denseOf(row),
    sparse: {
      indices: new Int32Array(decodeBase64(textOf(row, 'sparse_indices')).buffer),
      values: new Float32Array(decodeBase64(textOf(row, 'sparse_values')).buffer),
    },
  }
}

/** Reads the dense vector from a row that has it. */
export function denseOf(row: SqlRow): Float32Array<ArrayBuffer> {
  return new Float32Array(decodeBase64(textOf(row, 'dense')).buffer)
}

/** A row as it was written. */
export function vectorRow(row: SqlRow): VectorRow {
  return { id: textOf(row, 'id'), ...attachmentOf(row), ...vectorsOf(row) }
}
