/** What a Vectorize index is called in errors, what it takes, and the ids of its vectors. */
import { RagGateError } from 'hono-rag-gate/errors'
import type { UpstreamName } from '@hono-rag-gate/upstream/http'

/** How the index is called in errors. */
export const INDEX: UpstreamName = { role: 'retriever', what: 'The index' }

/** @see https://developers.cloudflare.com/vectorize/platform/limits/ */
export const LIMITS = {
  /** Results of a query that returns values or all metadata. */
  topK: 50,
  dimension: 1536,
  idBytes: 64,
  namespaceBytes: 64,
  metadataBytes: 10 * 1024,
  filterBytes: 2048,
  /** Of a text, so much stands in a metadata index. */
  indexedBytes: 64,
  /** Vectors in one write of a Worker. */
  upsert: 1000,
  /** Ids in one call to delete and to read: not in the table of limits, but the service turns more away (40007). */
  deleteIds: 100,
  readIds: 20,
} as const

const encoder = new TextEncoder()

/** Length in UTF-8. */
export const byteLength = (text: string): number => encoder.encode(text).byteLength

/**
 * The id of a vector. Ids are unique in a whole index, not in a namespace, and reading or deleting names no namespace:
 * so each carries its own.
 *
 * @throws `retriever_misconfigured` when it is longer than the index takes
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
