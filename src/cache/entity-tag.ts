/** Entity tags of stored answers, for methods that may get a 304. */
import { sha256Hex } from '../http/sha256-hex.ts'

/** Methods whose conditions are evaluated; a POST ignores them. @see RFC 9110, section 13.1.2; RFC 10008 */
const CONDITIONAL: ReadonlySet<string> = new Set(['GET', 'HEAD', 'QUERY'])

/** Whether requests of this method may get a 304. */
export function isConditional(method: string): boolean {
  return CONDITIONAL.has(method)
}

const TAG_CHARACTERS = 32

/** A strong entity tag for a body: 128 bits of its SHA-256. */
export async function entityTag(body: string): Promise<string> {
  return `"${(await sha256Hex(body)).slice(0, TAG_CHARACTERS)}"`
}

/**
 * Whether `If-None-Match` matches this tag, by weak comparison; `*` matches all.
 *
 * @see RFC 9110, sections 8.8.3.2 and 13.1.2
 */
export function namesTag(field: string, tag: string): boolean {
  const opaque = tag.replace(/^W\//, '')
  return (
    field.trim() === '*' || (field.match(/(?:W\/)?"[^"]*"/g) ?? []).some((one) => one.replace(/^W\//, '') === opaque)
  )
}
