/** Short builders of JSON Schemas (draft 2020-12) for the table of operations. */
import type { Json } from 'hono-rag-gate/core/lib'

/** A JSON Schema as plain data. */
export type Schema = { readonly [member: string]: Json }

export const text: Schema = { type: 'string' }
export const flag: Schema = { type: 'boolean' }
export const number: Schema = { type: 'number' }
export const count: Schema = { type: 'integer', minimum: 0 }
export const share: Schema = { type: 'number', minimum: 0, maximum: 1 }
export const moment: Schema = { type: 'string', format: 'date-time' }
/** Any value. */
export const anything: Schema = {}

/** One of several words. */
export const oneOf = (...words: readonly string[]): Schema => ({ type: 'string', enum: [...words] })
export const list = (items: Schema): Schema => ({ type: 'array', items })
/** An object with arbitrary keys. */
export const byName = (values: Schema): Schema => ({ type: 'object', additionalProperties: values })
export const orNull = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] })
/** Reference to a named schema of the document. */
export const named = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })

/** An object; members are required unless the name ends with `?`. */
export function object(members: Readonly<Record<string, Schema>>): Schema {
  const names = Object.keys(members)
  return {
    type: 'object',
    required: names.filter((name) => !name.endsWith('?')),
    properties: Object.fromEntries(names.map((name) => [name.replace(/\?$/, ''), members[name]!])),
  }
}
