/** Rows as clients get them. */
import type { ExactJson } from '../exact-json.ts'
import * as field from './fields.ts'
import { shortestFloat32 } from '../search/float32.ts'
import type { IndexSettings } from '../settings.ts'
import type { VectorRow } from '../store/vector-row.ts'

/** Which parts of a row a command gives back. */
export interface Includes {
  readonly vectors: boolean
  readonly metadata: boolean
  readonly data: boolean
}

/** A row as a client gets it. Parts that were not asked for, or are not there, are absent. */
export interface AnsweredRow {
  readonly id: string
  readonly score?: number
  readonly vector?: readonly number[]
  readonly sparseVector?: { readonly indices: readonly number[]; readonly values: readonly number[] }
  readonly metadata?: Readonly<Record<string, ExactJson>>
  readonly data?: string
}

/** Reads the three include flags of a body. */
export function parseIncludes(fields: field.Fields): Includes {
  return {
    vectors: field.flag(fields['includeVectors'], 'includeVectors'),
    metadata: field.flag(fields['includeMetadata'], 'includeMetadata'),
    data: field.flag(fields['includeData'], 'includeData'),
  }
}

/** A stored row with the parts that were asked for: of its vectors those that the index has. */
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
