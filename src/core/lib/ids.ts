/** Ids of chunks, namespaces and decisions. Time and randomness are arguments. */
import { lengthPrefixed } from './canonical.ts'
import { base32, sha256 } from './sha256.ts'

/** Owner of collections. */
export type Tenant = string
/** Id of a collection, within its tenant. */
export type CollectionId = string
/** A counter that rises when a collection changes. */
export type CorpusVersion = number

/**
 * Id of a chunk: 32 base32 characters of SHA-256 over collection, document, content and occurrence. Content-addressed,
 * so an edit changes only the ids of the chunks it touches.
 *
 * @param occurrence number of earlier chunks with the same text in the document, from 0
 */
export function chunkId(collection: CollectionId, documentId: string, text: string, occurrence: number): string {
  return base32(sha256(lengthPrefixed([collection, documentId, text, String(occurrence)])), 32)
}

/** Index namespace of a collection: `n` and 26 base32 characters, safe in a path and within 64 bytes. */
export function namespaceOf(tenant: Tenant, collection: CollectionId): string {
  return `n${base32(sha256(lengthPrefixed([tenant, collection])), 26)}`
}

/** Time of a UUIDv7, milliseconds since 1970; `undefined` for anything else. */
export function timeOfId(id: string): number | undefined {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-7/.test(id) ? Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) : undefined
}

/**
 * Makes a UUIDv7, which sorts by time.
 *
 * @param nowMs milliseconds since 1970
 * @param random a version 4 UUID, which has random bits in the same places
 * @see RFC 9562, section 5.7
 */
export function uuidv7(nowMs: number, random: string): string {
  const time = Math.max(0, Math.trunc(nowMs)).toString(16).padStart(12, '0').slice(-12)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(15)}`
}
