/**
 * Filters as SQLite conditions: a second meaning of the grammar to hold the first one against. Values and paths are
 * bound, never written into the statement.
 */
import type { Filter, Literal, Path, Term } from '../../../packages/vector-index/src/filter/filter.ts'

export interface SqlCondition {
  readonly sql: string
  readonly bindings: readonly (string | number)[]
}

/** @param column of JSON text, or NULL */
export function sqlCondition(filter: Filter, column: string): SqlCondition {
  const bindings: (string | number)[] = []
  const bind = (value: string | number) => `?${bindings.push(value)}`
  return { sql: conditionOf(filter, column, bind), bindings }
}

type Bind = (value: string | number) => string

function conditionOf(filter: Filter, column: string, bind: Bind): string {
  if (!('filters' in filter)) return termCondition(filter, column, bind)
  return `(${filter.filters.map((part) => conditionOf(part, column, bind)).join(` ${filter.kind.toUpperCase()} `)})`
}

function termCondition(term: Term, column: string, bind: Bind): string {
  const path = bind(jsonPath(term.path))
  const value = `json_extract(${column}, ${path})`
  const type = `json_type(${column}, ${path})`
  const isScalar = `${type} IN ('text', 'integer', 'real', 'true', 'false')`
  const not = 'negated' in term && term.negated ? 'NOT ' : ''
  switch (term.kind) {
    case 'equal':
      return `(${isScalar} AND ${value} ${term.negated ? '!=' : '='} ${bind(bound(term.literal))})`
    case 'order':
      return `(${isScalar} AND ${type} != 'text' AND ${value} ${term.operator} ${bind(bound(term.bound))})`
    case 'glob':
      return `(${type} = 'text' AND ${value} ${not}GLOB ${bind(term.pattern)})`
    case 'in':
      return `(${isScalar} AND ${value} ${not}IN (${term.literals.map((literal) => bind(bound(literal))).join(', ')}))`
    case 'contains':
      return `(${type} = 'array' AND ${not}EXISTS (SELECT 1 FROM json_each(${column}, ${path}) AS element
        WHERE element.type NOT IN ('array', 'object') AND element.value = ${bind(bound(term.literal))}))`
    case 'has-field':
      return `(${type} IS ${term.negated ? '' : 'NOT '}NULL)`
  }
}

/** SQLite would hold larger numbers as float64, so no filter that is compared with it has any. */
function bound(literal: Literal): string | number {
  return typeof literal === 'string' ? literal : Number(literal)
}

/** Names are quoted; an identifier has no character that ends a quotation. */
function jsonPath(path: Path): string {
  const steps = path.map((step) => {
    if ('key' in step) return `."${step.key}"`
    return 'index' in step ? `[${step.index}]` : `[#-${step.fromEnd}]`
  })
  return `$${steps.join('')}`
}
