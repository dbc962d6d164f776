/** Serialises responses. */

import { jsonText } from '../exact-json.ts'

/** Members with float32 values. No other member with one of these names is a number. */
const FLOAT_MEMBERS: ReadonlySet<string> = new Set(['score', 'vector', 'values'])

/**
 * JSON in which float32 values always have a decimal point or exponent, as in the service's responses: `[5.0,0.25]`.
 * Typed clients then parse them as floats. Metadata is unchanged.
 *
 * @param value a response of JSON values; `undefined` members are left out
 */
export function wireText(value: unknown): string {
  return textOf(value, '')
}

function textOf(value: unknown, name: string): string {
  if (name === 'metadata') return jsonText(value)
  if (typeof value !== 'object' || value === null) return leafText(value, name)
  if (Array.isArray(value)) return FLOAT_MEMBERS.has(name) ? floatsText(value) : listText(value)
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${textOf(member, key)}`).join(',')}}`
}

function leafText(value: unknown, name: string): string {
  return typeof value === 'number' && FLOAT_MEMBERS.has(name) ? floatsText(value) : JSON.stringify(value)
}

function listText(list: readonly unknown[]): string {
  return `[${list.map((member) => textOf(member, '')).join(',')}]`
}

/** Serialised in one call for speed; integers get a decimal point afterwards. */
function floatsText(floats: unknown): string {
  return JSON.stringify(floats).replace(/(?<=^|[[,])-?\d+(?=[,\]]|$)/g, '$&.0')
}
