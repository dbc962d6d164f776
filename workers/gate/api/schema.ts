/** JSON Schemas (draft 2020-12) in few words, as the table of routes uses them. */
import type { Json } from 'hono-rag-gate/core/lib'

/** A JSON Schema as plain data. */
export type Schema = { readonly [member: string]: Json }

export const text: Schema = { type: 'string' }
export const flag: Schema = { type: 'boolean' }
export const number: Schema = { type: 'number' }
export const count: Schema = { type: 'integer', minimum: 0 }
export const share: Schema = { type: 'number', minimum: 0, maximum: 1 }
export const moment: Schema = { type: 'string', format: 'date-time' }
/** Data of any kind. */
export const anything: Schema = {}

/** One of a few words. */
export const oneOf = (...words: readonly string[]): Schema => ({ type: 'string', enum: [...words] })
export const list = (items: Schema): Schema => ({ type: 'array', items })
/** An object whose names are data. */
export const byName = (values: Schema): Schema => ({ type: 'object', additionalProperties: values })
export const orNull = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] })
/** One of the named schemas of the document. */
export const named = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })

/** An object: every member is there but those whose name ends with `?`. */
export function object(members: Readonly<Record<string, Schema>>): Schema {
  const names = Object.keys(members)
  return {
    type: 'object',
    required: names.filter((name) => !name.endsWith('?')),
    properties: Object.fromEntries(names.map((name) => [name.replace(/\?$/, ''), members[name]!])),
  }
}
