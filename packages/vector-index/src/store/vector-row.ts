/** A vector with what belongs to it, and the columns that hold it. */
import { jsonText, parseJson, type ExactJson } from '../exact-json.ts'
import { textOf, type SqlRow } from './schema.ts'
import { VECTOR_COLUMNS, vectorsOf, vectorValues } from './stored-vector.ts'
import type { Vectors } from '../search/vectors.ts'

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

/** Columns of a row, in the order of `rowValues`. */
export const ROW_COLUMNS = `id, data, metadata, ${VECTOR_COLUMNS}`

/** What stands in the columns. */
export function rowValues(row: VectorRow): readonly (string | number | null)[] {
  const metadata = row.metadata === undefined ? null : jsonText(row.metadata)
  return [row.id, row.data ?? null, metadata, ...vectorValues(row)]
}

/** What stands beside the vector of a row. */
export function attachmentOf({ data, metadata }: SqlRow): Attachment {
  return {
    ...(typeof data === 'string' && { data }),
    // The column holds what `rowValues` made of the same type.
    ...(typeof metadata === 'string' && { metadata: parseJson(metadata) as Readonly<Record<string, ExactJson>> }),
  }
}

/** A row as it was written. */
export function vectorRow(row: SqlRow): VectorRow {
  return { id: textOf(row, 'id'), ...attachmentOf(row), ...vectorsOf(row) }
}
