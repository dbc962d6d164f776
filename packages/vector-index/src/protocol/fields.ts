/** Validators of fields in command bodies. Each throws a `ProtocolError` of status 422 that names the field. */
import { jsonText, type ExactJson } from '../exact-json.ts'
import { utf8 } from 'hono-rag-gate/core/lib'
import { LIMITS } from '../limits.ts'
import { invalid } from '../protocol-error.ts'
import type { SparseVector } from '../search/vectors.ts'

/** A JSON object with unvalidated members. */
export type Fields = Readonly<Record<string, unknown>>

const UNPAIRED_SURROGATE = /\p{Surrogate}/u

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether a member is given; clients send `null` for absent ones. */
export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}

/** Whether a dense vector is given. The PHP client sends an empty list for none. */
export function isVectorGiven(value: unknown): boolean {
  return isGiven(value) && !(Array.isArray(value) && value.length === 0)
}

/** Validates a body that must be an object. */
export function object(body: unknown): Fields {
  if (!isFields(body)) throw invalid('The body must be an object')
  return body
}

/** Validates an object, or a list of 1 to 1,000 objects. */
export function objects(body: unknown): readonly Fields[] {
  const list: readonly unknown[] = Array.isArray(body) ? body : [body]
  if (list.length === 0 || list.length > LIMITS.itemsPerCommand) {
    throw invalid(`Between 1 and ${LIMITS.itemsPerCommand} items must be given`)
  }
  return list.map((member) => {
    if (!isFields(member)) throw invalid('Every item must be an object')
    return member
  })
}

/** Validates an id, a string or number, as a string. Inexact numbers such as 1e300 are rejected. */
export function id(value: unknown): string {
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) throw invalid('id is a number too large to be exact')
  const isNumber = (typeof value === 'number' && Number.isFinite(value)) || typeof value === 'bigint'
  const text = isNumber ? String(value) : value
  if (typeof text !== 'string' || text === '') throw invalid('id is required and cannot be an empty string')
  if (text.length > LIMITS.idLength) throw invalid(`id is longer than ${LIMITS.idLength} characters`)
  // SQLite would store both differently, and its text functions stop at NUL.
  if (UNPAIRED_SURROGATE.test(text) || text.includes('\0')) throw invalid('id is not valid Unicode text')
  return text
}

/** Validates a list of at most 1,000 ids. */
export function ids(value: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  if (list.length > LIMITS.itemsPerCommand) throw invalid(`At most ${LIMITS.itemsPerCommand} ids can be given`)
  return list.map(id)
}

/** Validates text to embed or store. */
export function data(value: unknown): string {
  if (typeof value !== 'string' || value === '') throw invalid('data is required and must be a non-empty string')
  if (UNPAIRED_SURROGATE.test(value)) throw invalid('data is not valid Unicode text')
  if (isLonger(value, LIMITS.dataBytes)) throw invalid(`data is longer than ${LIMITS.dataBytes} bytes`)
  return value
}

/** Validates metadata, at most 48 KB; `undefined` if absent. The PHP client sends `[]` for an empty object. */
export function metadata(value: unknown): Readonly<Record<string, ExactJson>> | undefined {
  if (!isGiven(value) || (Array.isArray(value) && value.length === 0)) return undefined
  if (!isFields(value)) throw invalid('metadata must be an object')
  const problem = problemWithin(value, LIMITS.metadataDepth)
  if (problem !== undefined) throw invalid(`metadata ${problem}`)
  if (isLonger(jsonText(value), LIMITS.metadataBytes)) {
    throw invalid(`metadata is larger than ${LIMITS.metadataBytes} bytes`)
  }
  // The value is parsed JSON, and non-finite numbers were just excluded.
  return value as Readonly<Record<string, ExactJson>>
}

/** Validates a dense vector of the index's dimension. */
export function denseVector(value: unknown, dimension: number): Float32Array<ArrayBuffer> {
  const vector = finiteNumbers(value, 'vector')
  if (vector.length !== dimension) {
    throw invalid(`Invalid vector dimension: ${vector.length}, expected: ${dimension}`)
  }
  return vector
}

/** Validates a sparse vector of at most 1,000 dimensions. */
export function sparseVector(value: unknown): SparseVector {
  if (!isFields(value)) throw invalid('sparseVector must be an object with indices and values')
  const indices: unknown = value['indices']
  const values = finiteNumbers(value['values'], 'sparseVector.values')
  if (!Array.isArray(indices) || !indices.every((index) => Number.isInteger(index) && (index | 0) === index)) {
    throw invalid('sparseVector.indices must be signed 32-bit integers')
  }
  if (indices.length !== values.length) throw invalid('sparseVector.indices and values must be of equal length')
  if (indices.length === 0 || indices.length > LIMITS.sparseDimensions) {
    throw invalid(`sparseVector must have between 1 and ${LIMITS.sparseDimensions} dimensions`)
  }
  return { indices: Int32Array.from(indices), values }
}

/** Validates an integer within bounds; `otherwise` if absent. */
export function whole(value: unknown, name: string, bounds: { min: number; max: number }, otherwise?: number): number {
  const given = value ?? otherwise
  if (typeof given !== 'number' || !Number.isInteger(given) || given < bounds.min || given > bounds.max) {
    throw invalid(`${name} must be a whole number between ${bounds.min} and ${bounds.max}`)
  }
  return given
}

/** Validates a boolean; `false` if absent. */
export function flag(value: unknown, name: string): boolean {
  if (!isGiven(value)) return false
  if (typeof value !== 'boolean') throw invalid(`${name} must be true or false`)
  return value
}

/** Validates one of several words; `otherwise` if absent. */
export function oneOf<W extends string, O extends W | undefined>(
  value: unknown,
  name: string,
  allowed: readonly W[],
  otherwise: O,
): W | O {
  if (!isGiven(value)) return otherwise
  const found = allowed.find((word) => word === value)
  if (found === undefined) throw invalid(`${name} must be one of ${allowed.join(', ')}`)
  return found
}

/** Validates a cursor, a number or a string of digits; 0 if empty or absent. */
export function cursor(value: unknown): number {
  if (!isGiven(value) || value === '') return 0
  const place = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value
  if (typeof place !== 'number' || !Number.isSafeInteger(place) || place < 0) {
    throw invalid('cursor must be one that was returned')
  }
  return place
}

/** Validates the name of a namespace. */
export function namespace(name: string): string {
  if (name.length > LIMITS.namespaceLength) {
    throw invalid(`namespace is longer than ${LIMITS.namespaceLength} characters`)
  }
  if (UNPAIRED_SURROGATE.test(name) || name.includes('\0')) throw invalid('namespace is not valid Unicode text')
  return name
}

/** Validates a prefix of ids. */
export function prefix(value: unknown): string {
  if (typeof value !== 'string' || value.includes('\0')) throw invalid('prefix must be a string')
  return value
}

/** Validates that a filter is a string, without parsing it. */
export function filterText(value: unknown): string {
  if (typeof value !== 'string') throw invalid('filter must be a string')
  return value
}

function finiteNumbers(value: unknown, name: string): Float32Array<ArrayBuffer> {
  if (!Array.isArray(value) || !value.every((member) => typeof member === 'number' || typeof member === 'bigint')) {
    throw invalid(`${name} must be a list of numbers`)
  }
  const numbers = Float32Array.from(value, Number)
  if (!numbers.every(Number.isFinite)) throw invalid(`${name} must be within the range of float32`)
  return numbers
}

/** Whether a text has too many UTF-8 bytes. A code unit takes one to three, so few texts need to be encoded. */
export function isLonger(text: string, bytes: number): boolean {
  return text.length > bytes || (text.length * 3 > bytes && utf8(text).length > bytes)
}

/** The problem with a JSON value at any depth, if there is one. Iterative, because the sender controls the depth. */
export function problemWithin(value: unknown, depth: number): string | undefined {
  let level: unknown[] = [value]
  for (let reached = 0; level.length > 0; reached++) {
    if (reached > depth) return 'is nested too deeply'
    // Such as 1e400, which would be serialised as null.
    if (level.some((member) => typeof member === 'number' && !Number.isFinite(member))) {
      return 'holds a number out of range'
    }
    const objects = level.filter((member) => typeof member === 'object' && member !== null)
    // SQLite reads such a name up to there, so a filter would take it for another.
    if (objects.some((member) => Object.keys(member).some((name) => name.includes('\0')))) return 'has a name with NUL'
    level = objects.flatMap((member) => Object.values(member))
  }
  return undefined
}
