/** Rows as clients get them. */
import type { ExactJson } from '../exact-json.ts'
import * as field from './fields.ts'
import { shortestFloat32 } from '../search/float32.ts'
import type { IndexSettings } from '../settings.ts'
import type { Attachment, VectorRow } from '../store/vector-row.ts'
import type { Vectors } from '../search/vectors.ts'

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

/** A stored row with the parts that were asked for. */
export function answeredRow(settings: IndexSettings, row: VectorRow, includes: Includes): AnsweredRow {
  return {
    id: row.id,
    ...(includes.vectors && answeredVectors(settings, row)),
    ...answeredAttachment(row, includes),
  }
}

/** The vectors of a row, if they are given: those of the parts that the index has. */
export function answeredVectors(
  { dense, sparse }: IndexSettings,
  row: Vectors | undefined,
): Pick<AnsweredRow, 'vector' | 'sparseVector'> {
  if (row === undefined) return {}
  return {
    ...(dense !== undefined && { vector: Array.from(row.dense, shortestFloat32) }),
    ...(sparse !== undefined && {
      sparseVector: {
        indices: Array.from(row.sparse.indices),
        values: Array.from(row.sparse.values, shortestFloat32),
      },
    }),
  }
}

/** What stands beside a vector, as far as it was asked for. */
export function answeredAttachment(
  { metadata, data }: Attachment,
  includes: Includes,
): Pick<AnsweredRow, 'metadata' | 'data'> {
  return {
    ...(includes.metadata && metadata !== undefined && { metadata }),
    ...(includes.data && data !== undefined && { data }),
  }
}
