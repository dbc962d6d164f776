/** Filters on passages, within tenant and collection. Set by the server, never by a request. */
import { RagGateError } from '../../errors.ts'
import { canonicalJson } from '../lib/canonical.ts'
import { memberAt } from '../lib/guards.ts'
import type { Passage } from './chunk.ts'

/** An allowed value of a field. */
export type PassageFilterValue = string | number | boolean

/**
 * Fields of passages with their allowed values: one, or a list. All fields must match.
 *
 * A field is `documentId`, `title`, `section`, `source`, `version`, or a member of the passage's metadata such as
 * `metadata.team` or `metadata.access.level`. A passage without the field is excluded. In metadata `true` equals 1, and
 * `false` equals 0, as in the index; the other fields are texts, to which a number is equal as text.
 */
export type PassageFilter = Readonly<Record<string, PassageFilterValue | readonly PassageFilterValue[]>>

const FIELD = /^(?:documentId|title|section|source|version|metadata(?:\.[a-zA-Z_0-9-]+)+)$/

/** Quotes and backslashes could end a string in an index's filter syntax; the others may be changed in transit. */
const UNSAFE = /['"\\]|\p{Cc}|\p{Surrogate}/u

const MAX_FIELDS = 16
const MAX_VALUES = 100
const MAX_CHARACTERS = 256

/**
 * Checks a filter. Values that cannot be sent safely to every index are rejected rather than escaped.
 *
 * @throws `config_invalid` for an unknown field, an empty or long list, or a value with quotes, backslashes or control
 *   characters
 */
export function checkPassageFilter(filter: PassageFilter): PassageFilter {
  // An untyped function may return anything.
  const fields = Object.entries((filter as PassageFilter | null) ?? {})
  if (fields.length === 0 || fields.length > MAX_FIELDS) throw invalid(`must name 1 to ${MAX_FIELDS} fields`)
  for (const [field, given] of fields) {
    if (!FIELD.test(field)) throw invalid(`must name fields of passages, not ${field}`)
    const values = valuesOf(given)
    if (values.length === 0 || values.length > MAX_VALUES) throw invalid(`${field} must have 1 to ${MAX_VALUES} values`)
    if (!values.every(isSafe)) throw invalid(`${field} is unsafe`)
  }
  return filter
}

/** The filter as part of the answer key; empty for none. */
export function filterKey(filter: PassageFilter | undefined): string {
  return filter === undefined ? '' : canonicalJson(filter)
}

/** Whether a passage matches the filter. */
export function passesFilter(passage: Passage, filter: PassageFilter): boolean {
  return Object.entries(filter).every(([field, allowed]) => {
    const value = comparable(memberAt(passage, ...field.split('.')))
    // Fields of the passage itself are texts, also where an index has numbers.
    return (
      value !== undefined && valuesOf(allowed).some((one) => comparable(field in passage ? String(one) : one) === value)
    )
  })
}

/** The allowed values of a field, as a list. */
export function valuesOf(given: PassageFilter[string]): readonly PassageFilterValue[] {
  return Array.isArray(given) ? given : [given as PassageFilterValue]
}

function isSafe(value: PassageFilterValue): boolean {
  if (typeof value === 'string') return value.length <= MAX_CHARACTERS && !UNSAFE.test(value)
  return typeof value === 'boolean' || Number.isFinite(value)
}

function comparable(value: unknown): string | number | undefined {
  if (typeof value === 'boolean') return value ? 1 : 0
  return typeof value === 'string' || typeof value === 'number' ? value : undefined
}

function invalid(problem: string): RagGateError {
  return new RagGateError('config_invalid', `The filter ${problem}`, { param: 'filter' })
}
