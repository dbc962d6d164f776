/** Converts rows to the format of `wrangler vectorize insert`. */
import { jsonText } from '../packages/vector-index/src/exact-json.ts'
import type { IndexRow } from './index-client.ts'

/** Limits of Vectorize. @see https://developers.cloudflare.com/vectorize/platform/limits/ */
const VECTORIZE_LIMITS = { dimension: 1536, idBytes: 64, namespaceBytes: 64, metadataBytes: 10 * 1024 } as const

/** A vector of Vectorize. */
export interface VectorizeRow {
  readonly id: string
  readonly values: readonly number[]
  /** Absent for the default namespace. */
  readonly namespace?: string
  /** Includes the text as `data`, unless there is a member of that name. */
  readonly metadata?: Readonly<Record<string, unknown>>
}

/**
 * Converts a row for Vectorize, which has neither sparse vectors nor a text beside the vector.
 *
 * @throws Error that states what Vectorize would reject
 */
export function vectorizeRow(namespace: string, { id, vector, metadata, data }: IndexRow): VectorizeRow {
  const refuse = (problem: string): never => {
    throw new Error(`Vectorize does not take the vector "${id}" of the namespace "${namespace}": ${problem}`)
  }
  const values = vector ?? refuse('it has no dense part')
  if (values.length > VECTORIZE_LIMITS.dimension) refuse(`it has more than ${VECTORIZE_LIMITS.dimension} dimensions`)
  if (bytesOf(id) > VECTORIZE_LIMITS.idBytes) refuse(`its id is longer than ${VECTORIZE_LIMITS.idBytes} bytes`)
  if (bytesOf(namespace) > VECTORIZE_LIMITS.namespaceBytes) {
    refuse(`the namespace is longer than ${VECTORIZE_LIMITS.namespaceBytes} bytes`)
  }
  const all = { ...(data !== undefined && { data }), ...metadata }
  if (bytesOf(jsonText(all)) > VECTORIZE_LIMITS.metadataBytes) {
    refuse(`its metadata with the text are larger than ${VECTORIZE_LIMITS.metadataBytes} bytes`)
  }
  return {
    id,
    values,
    ...(namespace !== '' && { namespace }),
    ...(Object.keys(all).length > 0 && { metadata: all }),
  }
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length
}
