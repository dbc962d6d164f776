/** Name of a Vectorize index in errors, its limits, and the ids of its vectors. */
import { RagGateError } from 'hono-rag-gate/errors'
import type { UpstreamName } from '@hono-rag-gate/upstream/http'

/** Name of the index in errors. */
export const INDEX: UpstreamName = { role: 'retriever', what: 'The index' }

/** @see https://developers.cloudflare.com/vectorize/platform/limits/ */
export const LIMITS = {
  /** Maximum results of a query that returns values or all metadata. */
  topK: 50,
  dimension: 1536,
  idBytes: 64,
  namespaceBytes: 64,
  metadataBytes: 10 * 1024,
  filterBytes: 2048,
  /** Length of the prefix of a string that a metadata index stores. */
  indexedBytes: 64,
  /** Vectors per write from a Worker. */
  upsert: 1000,
  /** Ids per deletion and per read. Not in the table of limits, but the service rejects more (error 40007). */
  deleteIds: 100,
  readIds: 20,
} as const

const encoder = new TextEncoder()

/** Length in UTF-8 bytes. */
export const byteLength = (text: string): number => encoder.encode(text).byteLength

/**
 * The id of a vector. Ids are unique per index, not per namespace, and reads and deletes take no namespace, so each id
 * contains its own.
 *
 * @throws `retriever_misconfigured` if it is longer than the index allows
 */
export function vectorId(namespace: string, id: string): string {
  if (namespace === '' || namespace.includes(':') || byteLength(namespace) > LIMITS.namespaceBytes) {
    throw new RagGateError('retriever_misconfigured', 'An index namespace must be 1 to 64 bytes without a colon')
  }
  const whole = `${namespace}:${id}`
  if (id === '' || byteLength(whole) > LIMITS.idBytes) {
    throw new RagGateError(
      'retriever_misconfigured',
      `Namespace and chunk id together may have ${LIMITS.idBytes - 1} bytes`,
    )
  }
  return whole
}
