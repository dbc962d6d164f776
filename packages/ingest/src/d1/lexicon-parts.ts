import { type CollectionId, namespaceOf, type Tenant } from 'hono-rag-gate/core/lib'

/**
 * Maximum length of a part: at three UTF-8 bytes per character, below D1's limit of 2 MB per string.
 *
 * @see https://developers.cloudflare.com/d1/platform/limits/
 */
const MAX_PART_CHARACTERS = 500_000

/** Splits a text into parts of at most `maxCharacters`, never within a surrogate pair; joined they are the text. */
export function partsOf(text: string, maxCharacters: number = MAX_PART_CHARACTERS): string[] {
  const parts: string[] = []
  let start = 0
  do {
    let end = Math.min(start + maxCharacters, text.length)
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end--
    parts.push(text.slice(start, end))
    start = end
  } while (start < text.length)
  return parts
}

/** Prefix of the ids of a collection's lexicons, so that collections never share one. */
export function lexiconIdPrefix(tenant: Tenant, collection: CollectionId): string {
  return `${namespaceOf(tenant, collection)}-`
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}
