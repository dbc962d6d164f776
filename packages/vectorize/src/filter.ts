/** The filters that Vectorize knows: every member must hold, on properties that have a metadata index. */
import { checkPassageFilter, type PassageFilter, valuesOf } from 'hono-rag-gate/core/evidence'
import { filteredMember, type PassageFields } from '@hono-rag-gate/upstream/rows'
import { isRecord } from 'hono-rag-gate/core/lib'
import { RagGateError } from 'hono-rag-gate/errors'
import { byteLength, LIMITS } from './limits.ts'

/** What a property is compared with. */
export type FilterValue = string | number | boolean | null

/** One comparison, or two that make a range. */
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

/** By property; a nested one by its path with dots. There is no OR, no pattern and no test for existence. */
export type VectorizeFilter = Readonly<Record<string, FilterValue | FilterCondition>>

const SETS: ReadonlySet<string> = new Set(['$in', '$nin'])
const EQUALITIES: ReadonlySet<string> = new Set(['$eq', '$ne'])
const BOUNDS: ReadonlySet<string> = new Set(['$lt', '$lte', '$gt', '$gte'])

/**
 * A filter that the service takes.
 *
 * @throws `config_invalid` when it uses what Vectorize does not know, or its JSON has 2,048 bytes and more
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
 * The adapter's own filter and a request's, both of which must hold.
 *
 * @param fields which properties of rows that others wrote the fields of passages are; `undefined` for rows as this
 *   package writes them, where they have the same name
 * @throws `retriever_misconfigured` for a member of `metadata` where this package wrote it, as one text; for a field that
 *   a function reads; for a text longer than the index compares; for a property that both name; for more than the service
 *   takes
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
    // A list that `checkPassageFilter` took is not empty.
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
