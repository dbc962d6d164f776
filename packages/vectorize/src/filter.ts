/** Filters of Vectorize: a conjunction of conditions on properties with a metadata index. */
import { checkPassageFilter, type PassageFilter, valuesOf } from 'hono-rag-gate/core/evidence'
import { filteredMember, type PassageFields } from '@hono-rag-gate/upstream/rows'
import { isRecord } from 'hono-rag-gate/core/lib'
import { RagGateError } from 'hono-rag-gate/errors'
import { byteLength, LIMITS } from './limits.ts'

/** Value that a property is compared with. */
export type FilterValue = string | number | boolean | null

/** One comparison, or a range of two. */
export type FilterCondition =
  | { readonly $eq: FilterValue }
  | { readonly $ne: FilterValue }
  | { $in: (string | number | boolean)[] }
  | { $nin: (string | number | boolean)[] }
  | {
      readonly $lt?: string | number
      readonly $lte?: string | number
      readonly $gt?: string | number
      readonly $gte?: string | number
    }

/** Conditions by property, nested ones by dotted path. Vectorize has no OR, no patterns and no test for existence. */
export type VectorizeFilter = Readonly<Record<string, FilterValue | FilterCondition>>

const SETS: ReadonlySet<string> = new Set(['$in', '$nin'])
const EQUALITIES: ReadonlySet<string> = new Set(['$eq', '$ne'])
const BOUNDS: ReadonlySet<string> = new Set(['$lt', '$lte', '$gt', '$gte'])

/**
 * Validates a filter.
 *
 * @throws `config_invalid` if it uses operators that Vectorize lacks, or its JSON has 2,048 bytes or more
 */
export function checkedFilter(filter: VectorizeFilter): VectorizeFilter {
  for (const [property, condition] of Object.entries(filter)) {
    if (property === '' || /^\$|["]|^\.|\.$|\.\./.test(property)) throw invalid(`${property} is no property`)
    if (!isValue(condition)) checkCondition(property, condition)
  }
  if (byteLength(JSON.stringify(filter)) >= LIMITS.filterBytes) {
    throw invalid(`its JSON must be shorter than ${LIMITS.filterBytes} bytes`)
  }
  return filter
}

/**
 * Combines the adapter's own filter with that of a request; both must hold.
 *
 * @param fields maps fields of passages to properties of rows that others wrote; `undefined` for rows written by this
 *   package, which use the same names
 * @throws `retriever_misconfigured` for a member of `metadata` in rows of this package, which store it as one JSON
 *   string; for a field read by a function; for a string longer than the index compares; for a property in both
 *   filters; for a filter too large for the service
 */
export function joinedFilter(
  own: VectorizeFilter,
  asked: PassageFilter | undefined,
  fields?: PassageFields,
): VectorizeFilter {
  if (asked === undefined) return own
  const joined: Record<string, FilterValue | FilterCondition> = { ...own }
  for (const [field, allowed] of Object.entries(checkPassageFilter(asked))) {
    const values = [...valuesOf(allowed)]
    if (fields === undefined && field.startsWith('metadata.')) throw cannotFilter('by members of metadata')
    const property = fields === undefined ? field : filteredMember(field, fields)
    if (property === undefined) throw cannotFilter(`by ${field} as fields says it is read`)
    if (Object.hasOwn(joined, property)) throw cannotFilter(`by ${property} twice`)
    if (values.some((value) => byteLength(String(value)) > LIMITS.indexedBytes)) {
      throw cannotFilter(`by a string of more than ${LIMITS.indexedBytes} bytes`)
    }
    // `checkPassageFilter` rejects empty lists.
    joined[property] = values.length === 1 ? { $eq: values[0]! } : { $in: values }
  }
  if (byteLength(JSON.stringify(joined)) >= LIMITS.filterBytes) {
    throw cannotFilter(`by ${LIMITS.filterBytes} bytes of JSON and more`)
  }
  return joined
}

function checkCondition(property: string, condition: unknown): void {
  if (!isRecord(condition)) throw invalid(`${property} must be compared with a value or by operators`)
  const operators = Object.entries(condition)
  const ranged = operators.every(([operator]) => BOUNDS.has(operator))
  if (operators.length === 0 || operators.length > (ranged ? 2 : 1)) {
    throw invalid(`${property} must have one operator, or two bounds`)
  }
  for (const [operator, operand] of operators) {
    const fits = SETS.has(operator)
      ? Array.isArray(operand) && operand.length > 0 && operand.every((value) => value !== null && isValue(value))
      : EQUALITIES.has(operator)
        ? isValue(operand)
        : BOUNDS.has(operator) && (typeof operand === 'string' || Number.isFinite(operand))
    if (!fits) throw invalid(`${property} ${operator}`)
  }
}

function isValue(value: unknown): value is FilterValue {
  return value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)
}

function invalid(why: string): RagGateError {
  return new RagGateError('config_invalid', `Vectorize does not know this filter: ${why}`, { param: 'filter' })
}

function cannotFilter(how: string): RagGateError {
  return new RagGateError('retriever_misconfigured', `Vectorize cannot filter ${how}`, { param: 'filter' })
}
