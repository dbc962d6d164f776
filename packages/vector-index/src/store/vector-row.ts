/** A vector with what belongs to it, and the columns that hold it. */
import { jsonText, parseJson, type ExactJson } from '../exact-json.ts'
import type { Vectors } from '../search/vectors.ts'
import { bytesOf, textOf, type SqlRow, type SqlValue } from './schema.ts'

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

/** Columns of a row, in the order of `rowValues`. Numbers are little-endian, as every platform of Workers is. */
export const ROW_COLUMNS = 'id, metadata, dense, sparse, data'

/** What stands in the columns. */
export function rowValues({ id, metadata, dense, sparse, data }: VectorRow): readonly SqlValue[] {
  const both = new Uint8Array(8 * sparse.indices.length)
  new Int32Array(both.buffer).set(sparse.indices)
  new Float32Array(both.buffer, both.length / 2).set(sparse.values)
  return [id, metadata === undefined ? null : jsonText(metadata), dense.slice().buffer, both.buffer, data ?? null]
}

/** What stands beside the vector of a row. */
export function attachmentOf({ data, metadata }: SqlRow): Attachment {
  return {
    ...(typeof data === 'string' && { data }),
    // The column holds what `rowValues` made of the same type.
    ...(typeof metadata === 'string' && { metadata: parseJson(metadata) as Readonly<Record<string, ExactJson>> }),
  }
}

/** The vectors of a row. */
export function vectorsOf(row: SqlRow): Vectors {
  const sparse = bytesOf(row, 'sparse')
  const count = sparse.byteLength / 8
  const indices = new Int32Array(sparse, 0, count)
  return { dense: denseOf(row), sparse: { indices, values: new Float32Array(sparse, 4 * count, count) } }
}

/** The dense vector of a row. */
export function denseOf(row: SqlRow): Float32Array<ArrayBuffer> {
  return new Float32Array(bytesOf(row, 'dense'))
}

/** A row as it was written. */
export function vectorRow(row: SqlRow): VectorRow {
  return { id: textOf(row, 'id'), ...attachmentOf(row), ...vectorsOf(row) }
}
