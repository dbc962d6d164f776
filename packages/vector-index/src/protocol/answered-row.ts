/** Rows in responses. */
import type { ExactJson } from '../exact-json.ts'
import * as field from './fields.ts'
import { shortestFloat32 } from '../search/float32.ts'
import type { IndexSettings } from '../settings.ts'
import type { VectorRow } from '../store/vector-row.ts'

/** Which parts of a row to return. */
export interface Includes {
  readonly vectors: boolean
  readonly metadata: boolean
  readonly data: boolean
}

/** A row in a response. Parts that were not requested or do not exist are absent. */
export interface AnsweredRow {
  readonly id: string
  readonly score?: number
  readonly vector?: readonly number[]
  readonly sparseVector?: { readonly indices: readonly number[]; readonly values: readonly number[] }
  readonly metadata?: Readonly<Record<string, ExactJson>>
  readonly data?: string
}

/** Parses the three include flags of a body. */
export function parseIncludes(fields: field.Fields): Includes {
  return {
    vectors: field.flag(fields['includeVectors'], 'includeVectors'),
    metadata: field.flag(fields['includeMetadata'], 'includeMetadata'),
    data: field.flag(fields['includeData'], 'includeData'),
  }
}

/** Makes a response row with the requested parts, and the vectors that the index has. */
export function answeredRow(
  settings: IndexSettings,
  { id, dense, sparse, metadata, data }: VectorRow,
  includes: Includes,
): AnsweredRow {
  const { indices, values } = sparse
  return {
    id,
    ...(includes.vectors && settings.dense !== undefined && { vector: Array.from(dense, shortestFloat32) }),
    ...(includes.vectors &&
      settings.sparse !== undefined && {
        sparseVector: { indices: Array.from(indices), values: Array.from(values, shortestFloat32) },
      }),
    ...(includes.metadata && metadata !== undefined && { metadata }),
    ...(includes.data && data !== undefined && { data }),
  }
}
