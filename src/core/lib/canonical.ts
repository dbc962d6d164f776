/**
 * Canonical texts: the same value always gives the same text, and different values never do. What is hashed into an
 * id or a key goes through here.
 */
import type { Json } from './json.ts'

/** Parts joined so that no two lists of parts give the same text: each is preceded by its length. */
export function lengthPrefixed(parts: readonly string[]): string {
  let text = ''
  for (const part of parts) text += `${part.length}:${part}`
  return text
}

/** JSON with keys in code unit order and no spaces. Members that are `undefined` are left out. */
export function canonicalJson(value: Json | undefined): string {
  if (Array.isArray(value)) return `[${value.map((member) => canonicalJson(member as Json)).join(',')}]`
  if (value !== null && typeof value === 'object') {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`)
    return `{${members.join(',')}}`
  }
  return JSON.stringify(value ?? null)
}

/** Whether parsed JSON can be written again without loss: 1e400 is read as infinite and written as null, and half of a surrogate pair is no character. */
export function isWellFormed(value: unknown): boolean {
  if (typeof value === 'object') return Object.entries(value ?? {}).every((entry) => entry.every(isWellFormed))
  return typeof value === 'string' ? !/\p{Surrogate}/u.test(value) : value !== Infinity && value !== -Infinity
}

/** Whether the numbers of parsed JSON are as they were sent: beyond the safe integers neighbours are read alike, and 1e400 is written as null. */
export function isExact(value: unknown): boolean {
  if (typeof value === 'object') return Object.values(value ?? {}).every(isExact)
  return typeof value !== 'number' || Math.abs(value) < 2 ** 53
}
