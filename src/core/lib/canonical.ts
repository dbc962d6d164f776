/**
 * Canonical texts: equal values give equal texts, and different values different texts. Everything that is hashed into an
 * id or a key is converted here.
 */
import type { Json } from './json.ts'

/** Joins parts, each preceded by its length, so that no two lists of parts give the same text. */
export function lengthPrefixed(parts: readonly string[]): string {
  return parts.map((part) => `${part.length}:${part}`).join('')
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

/** Whether parsed JSON can be serialised without loss: 1e400 is parsed as infinity and written as null, and lone surrogates are not characters. */
export function isWellFormed(value: unknown): boolean {
  if (typeof value === 'object') return Object.entries(value ?? {}).every((entry) => entry.every(isWellFormed))
  return typeof value === 'string' ? !/\p{Surrogate}/u.test(value) : value !== Infinity && value !== -Infinity
}

/** Whether the numbers of parsed JSON are exact: beyond the safe integers different numbers are parsed as equal, and 1e400 is written as null. */
export function isExact(value: unknown): boolean {
  if (typeof value === 'object') return Object.values(value ?? {}).every(isExact)
  return typeof value !== 'number' || Math.abs(value) < 2 ** 53
}
