/** Formats of vectors written to and read from an index. */
import { type Passage, readPassage } from 'hono-rag-gate/core/evidence'
import { isRecord } from 'hono-rag-gate/core/lib'
import { RagGateError } from 'hono-rag-gate/errors'
import { badResponse } from '@hono-rag-gate/upstream/http'
import { byteLength, INDEX, LIMITS } from './limits.ts'

/** Metadata member for the ingester's own metadata. */
const OWN = 'metadata'

/**
 * Metadata of a vector: the passage's fields. The ingester's own metadata is one JSON string, because the index
 * supports few types.
 *
 * @param keepText whether the text is included, or stored elsewhere
 * @throws `retriever_misconfigured` if it is larger than the index allows
 */
export function metadataOf({ text, metadata, ...facts }: Passage, keepText: boolean): Record<string, string> {
  const made: Record<string, string> = {
    ...facts,
    ...(keepText ? { text } : {}),
    ...(metadata === undefined ? {} : { [OWN]: JSON.stringify(metadata) }),
  }
  if (byteLength(JSON.stringify(made)) > LIMITS.metadataBytes) {
    throw new RagGateError(
      'retriever_misconfigured',
      'A passage does not fit into 10 KiB of metadata: cut documents smaller, or set texts',
    )
  }
  return made
}

/** A vector read from the index. */
export interface ReadVector {
  readonly id: string
  readonly score: unknown
  readonly values: readonly number[] | undefined
  readonly fields: Readonly<Record<string, unknown>>
}

/**
 * Parses a match or vector of the requested namespace.
 *
 * @throws `retriever_bad_response` for another form or namespace
 */
export function readVector(namespace: string, row: unknown): ReadVector {
  if (!isRecord(row)) throw badResponse(INDEX, 'not a row')
  const { id, score, values, metadata = {}, namespace: ofRow = namespace } = row
  const prefix = `${namespace}:`
  if (typeof id !== 'string') throw badResponse(INDEX, 'a row without id')
  if (ofRow !== namespace || !id.startsWith(prefix)) throw badResponse(INDEX, 'a row of another namespace')
  if (!isRecord(metadata)) throw badResponse(INDEX, 'metadata that is not an object')
  return { id: id.slice(prefix.length), score, values: readValues(values), fields: metadata }
}

/**
 * Parses a match of an index that others filled.
 *
 * @param namespace the requested one; `''` for the whole index
 * @throws `retriever_bad_response` for another form or namespace
 */
export function readVectorOfOthers(namespace: string, row: unknown): ReadVector {
  if (!isRecord(row)) throw badResponse(INDEX, 'not a row')
  const { id, score, values, metadata, namespace: ofRow = namespace } = row
  if (typeof id !== 'string' || id === '') throw badResponse(INDEX, 'a row without id')
  if (namespace !== '' && ofRow !== namespace) throw badResponse(INDEX, 'a row of another namespace')
  return { id, score, values: readValues(values), fields: isRecord(metadata) ? metadata : {} }
}

/** The passage in a vector's metadata. @throws `retriever_bad_response` */
export function passageOf({ id, fields }: ReadVector): Passage {
  const { [OWN]: own, text, ...facts } = fields
  return readPassage(id, text, { ...facts, ...(own === undefined ? {} : { metadata: parseOwn(own) }) })
}

function parseOwn(own: unknown): unknown {
  try {
    return JSON.parse(String(own))
  } catch {
    throw badResponse(INDEX, 'metadata that is not JSON')
  }
}

function readValues(values: unknown): readonly number[] | undefined {
  if (values === undefined || values === null) return undefined
  const list = ArrayBuffer.isView(values) ? Array.from(values as Float32Array) : values
  if (!Array.isArray(list) || !list.every((value) => Number.isFinite(value))) {
    throw badResponse(INDEX, 'values that are not numbers')
  }
  // Every element was checked to be a number.
  return list as readonly number[]
}
