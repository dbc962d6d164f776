/** A stored vector with its columns. */
import { jsonText, parseJson, type ExactJson } from '../exact-json.ts'
import type { Vectors } from '../search/vectors.ts'
import type { SqlValue } from './schema.ts'

/** A vector with its id, text and metadata. */
export interface VectorRow extends Vectors {
  readonly id: string
  /** The text that was embedded, or given together with a vector. */
  readonly data?: string
  readonly metadata?: Readonly<Record<string, ExactJson>>
}

/** A stored row. */
export interface StoredRow extends VectorRow {
  /** Ascends in insertion order. */
  readonly position: number
}

/** The columns of both vectors. Numbers are little-endian, like all Workers platforms; empty vectors are NULL. */
export type VectorColumns = { position: number; dense: ArrayBuffer | null; sparse: ArrayBuffer | null }

/** Columns of a row, as selected by `ROW_COLUMNS`. */
export type RowColumns = VectorColumns & { id: string; metadata: string | null; data: string | null }

export const ROW_COLUMNS = 'position, id, json(metadata) AS metadata, dense, sparse, data'

/** Values for the columns `id`, `metadata` (as JSON), `dense`, `sparse` and `data`. */
export function rowValues({ id, metadata, dense, sparse, data }: VectorRow): readonly SqlValue[] {
  const both = new Uint8Array(8 * sparse.indices.length)
  new Int32Array(both.buffer).set(sparse.indices)
  new Float32Array(both.buffer, both.length / 2).set(sparse.values)
  return [id, metadata === undefined ? null : jsonText(metadata), dense.slice().buffer, both.buffer, data ?? null]
}

/** The vectors of a row. */
export function vectorsOf({ dense, sparse }: VectorColumns): Vectors {
  const both = sparse ?? new ArrayBuffer()
  const count = both.byteLength / 8
  return {
    dense: new Float32Array(dense ?? new ArrayBuffer()),
    sparse: { indices: new Int32Array(both, 0, count), values: new Float32Array(both, 4 * count, count) },
  }
}

/** Parses a stored row. */
export function storedRow(columns: RowColumns): StoredRow {
  const { position, id, metadata, data } = columns
  return {
    position,
    id,
    ...(data !== null && { data }),
    // The column holds what `rowValues` made from the same type.
    ...(metadata !== null && { metadata: parseJson(metadata) as Readonly<Record<string, ExactJson>> }),
    ...vectorsOf(columns),
  }
}
