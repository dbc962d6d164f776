/** Ids of chunks, namespaces and decisions. Time and randomness come in as arguments. */
import { lengthPrefixed } from './canonical.ts'
import { base32, sha256 } from './sha256.ts'

/** Who may see a collection. */
export type Tenant = string
/** What is searched. */
export type CollectionId = string
/** A counter that rises when a collection changes. */
export type CorpusVersion = number

/**
 * Id of a chunk: 32 base32 characters of SHA-256 over collection, document, content and occurrence. Content-addressed,
 * so an edit changes only the ids of the chunks it touches.
 *
 * @param occurrence how many chunks with the very same text precede it in the document, from 0
 */
export function chunkId(collection: CollectionId, documentId: string, text: string, occurrence: number): string {
  return base32(sha256(lengthPrefixed([collection, documentId, text, String(occurrence)])), 32)
}

/** Index namespace of a collection: `n` and 26 base32 characters, safe in a path and within 64 bytes. */
export function namespaceOf(tenant: Tenant, collection: CollectionId): string {
  return `n${base32(sha256(lengthPrefixed([tenant, collection])), 26)}`
}

/** When a UUIDv7 was made, milliseconds since 1970; `undefined` for what is none. */
export function timeOfId(id: string): number | undefined {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-7/.test(id) ? Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) : undefined
}

/**
 * A UUIDv7: sorts by time of making.
 *
 * @param nowMs milliseconds since 1970
 * @param random a UUID of version 4, which is as random in the same places
 * @see RFC 9562, section 5.7
 */
export function uuidv7(nowMs: number, random: string): string {
  const ms = Math.max(0, Math.trunc(nowMs))
  // In two parts: of a number within 32 bits the digits are found without floating point.
  const time = Math.floor(ms / 0x1_0000)
    .toString(16)
    .padStart(8, '0')
    .slice(-8)
  return `${time}-${(ms & 0xffff).toString(16).padStart(4, '0')}-7${random.slice(15)}`
}
