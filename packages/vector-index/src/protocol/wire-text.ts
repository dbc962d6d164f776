/** Answers as they are printed. */

import { jsonText } from '../exact-json.ts'

/** Members that hold float32, alone or in a list. No other member of an answer that has one of these names is a number. */
const FLOAT_MEMBERS: ReadonlySet<string> = new Set(['score', 'vector', 'values'])

/**
 * JSON in which a float32 always shows a point or an exponent, as the service prints it: `[5.0,0.25]`. A client of a
 * language that tells whole numbers from floats finds floats then. What a client stored itself stays as it is.
 *
 * @param value an answer of a command, made of JSON values; members that are `undefined` are left out
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

/** Printed in one go, since a vector has thousands of them; whole numbers get their point afterwards. */
function floatsText(floats: unknown): string {
  return JSON.stringify(floats).replace(/(?<=^|[[,])-?\d+(?=[,\]]|$)/g, '$&.0')
}
