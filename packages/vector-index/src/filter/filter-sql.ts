/** A filter as a condition of SQL over the column `metadata`, which holds JSON text or NULL. */
import { utf8 } from 'hono-rag-gate/core/lib'
import { invalid } from '../protocol-error.ts'
import { FILTER_LIMITS, type Filter, type Literal, type Path, type Term } from './filter.ts'

/**
 * The condition of a filter. Paths and values stand in it as literals: a statement may have only a hundred bindings.
 *
 * @throws `ProtocolError` 422 when it is too long for the platform
 */
export function conditionOf(filter: Filter): string {
  const sql = sqlOf(filter)
  if (utf8(sql).length <= FILTER_LIMITS.sqlBytes) return sql
  throw invalid(`Invalid filter. It becomes more than ${FILTER_LIMITS.sqlBytes} bytes of SQL`)
}

/** What stands before the first wildcard of a pattern, and the rest of it. */
export function splitPattern(pattern: string): { readonly literal: string; readonly rest: string } {
  const at = pattern.search(/[*?[]/)
  return at === -1 ? { literal: pattern, rest: '' } : { literal: pattern.slice(0, at), rest: pattern.slice(at) }
}

function sqlOf(filter: Filter): string {
  return 'filters' in filter ? joined(filter.filters.map(sqlOf), ` ${filter.kind} `) : termSql(filter)
}

/** Conditions joined by halves, so that they nest little. */
function joined(parts: readonly string[], by: string): string {
  if (parts.length === 1) return parts[0]!
  const half = parts.length >> 1
  return `(${joined(parts.slice(0, half), by)}${by}${joined(parts.slice(half), by)})`
}

function termSql(term: Term): string {
  const path = pathSql(term.path)
  const value = `json_extract(metadata, ${path})`
  const type = `json_type(metadata, ${path})`
  const not = 'negated' in term && term.negated ? 'NOT ' : ''
  switch (term.kind) {
    case 'equal':
      return `(${type} IN ${SCALARS} AND ${not}${value} = ${literalSql(term.literal)})`
    case 'order':
      return `(${type} IN ${NUMBERS} AND ${value} ${term.operator} ${literalSql(term.bound)})`
    case 'glob':
      return `(${type} = 'text' AND ${not}(${globSql(value, term.pattern)}))`
    case 'in':
      return `(${type} IN ${SCALARS} AND ${value} ${not}IN (${term.literals.map(literalSql).join(',')}))`
    case 'contains':
      return `(${type} = 'array' AND ${not}EXISTS (SELECT 1 FROM json_each(metadata, ${path}) AS element
        WHERE element.type IN ${SCALARS} AND element.value = ${literalSql(term.literal)}))`
    case 'has-field':
      return `(${type} IS ${term.negated ? '' : 'NOT '}NULL)`
  }
}

const NUMBERS = `('integer','real','true','false')`
const SCALARS = `('text','integer','real','true','false')`

/** The platform takes short patterns only, so what stands before the first wildcard is compared by itself. */
function globSql(value: string, pattern: string): string {
  const { literal, rest } = splitPattern(pattern)
  if (rest === '') return `${value} = ${textSql(literal)}`
  const length = Array.from(literal).length
  const matches = `substr(${value}, ${length + 1}) GLOB ${textSql(rest)}`
  return length === 0 ? matches : `substr(${value}, 1, ${length}) = ${textSql(literal)} AND ${matches}`
}

/** Names are quoted; an identifier has no character that ends a quotation. */
function pathSql(path: Path): string {
  const steps = path.map((step) => {
    if ('key' in step) return `."${step.key}"`
    return 'index' in step ? `[${step.index}]` : `[#-${step.fromEnd}]`
  })
  return textSql(`$${steps.join('')}`)
}

function literalSql(literal: Literal): string {
  if (typeof literal === 'string') return textSql(literal)
  // SQLite compares `true` as 1, and reads a whole number beyond 64 bits as a float.
  return typeof literal === 'boolean' ? String(Number(literal)) : String(literal)
}

function textSql(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
