/** Which passages a question may be answered from, beside tenant and collection. Set by the server, never by a request. */
import { RagGateError } from '../../errors.ts'
import { canonicalJson } from '../lib/canonical.ts'
import { memberAt } from '../lib/guards.ts'
import type { Passage } from './chunk.ts'

/** A value that a field may have. */
export type PassageFilterValue = string | number | boolean

/**
 * Fields of passages and the values that each may have: one, or any of a list. All fields must agree.
 *
 * A field is `documentId`, `title`, `section`, `source`, `version`, or a member of the passage's metadata such as
 * `metadata.team` or `metadata.access.level`. A passage without the field is left out. `true` and 1 are equal, and so
 * are `false` and 0, as in the index.
 */
export type PassageFilter = Readonly<Record<string, PassageFilterValue | readonly PassageFilterValue[]>>

const FIELD = /^(?:documentId|title|section|source|version|metadata(?:\.[a-zA-Z_0-9-]+)+)$/

/** Quotes and backslashes could end a string in the language of an index; the rest may be changed on the way. */
const UNSAFE = /['"\\]|\p{Cc}|\p{Surrogate}/u

const MAX_FIELDS = 16
const MAX_VALUES = 100
const MAX_CHARACTERS = 256

/**
 * Checks a filter. Values that cannot be sent safely to every index are refused, not escaped.
 *
 * @throws `config_invalid` for an unknown field, an empty or long list, or a value with quotes, backslashes or control
 *   characters
 */
export function checkPassageFilter(filter: PassageFilter): PassageFilter {
  // From a function written without types anything may come.
  const fields = Object.entries((filter as PassageFilter | null) ?? {})
  if (fields.length === 0 || fields.length > MAX_FIELDS) throw invalid(`must name 1 to ${MAX_FIELDS} fields`)
  for (const [field, given] of fields) {
    if (!FIELD.test(field)) throw invalid(`names ${field}, which is no field`)
    const values = valuesOf(given)
    if (values.length === 0 || values.length > MAX_VALUES) throw invalid(`${field} must have 1 to ${MAX_VALUES} values`)
    if (!values.every(isSafe)) throw invalid(`${field} has an unsafe value`)
  }
  return filter
}

/** The filter as it joins the answer key; empty for none. */
export function filterKey(filter: PassageFilter | undefined): string {
  return filter === undefined ? '' : canonicalJson(filter)
}

/** Whether a passage may be used. */
export function passesFilter(passage: Passage, filter: PassageFilter): boolean {
  return Object.entries(filter).every(([field, allowed]) => {
    const value = comparable(memberAt(passage, ...field.split('.')))
    return value !== undefined && valuesOf(allowed).some((one) => comparable(one) === value)
  })
}

/** The values of a field, as a list. */
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
