/** Which rows a filter selects, decided column by column. */
import type { ExactJson } from '../exact-json.ts'
import type { Filter, Junction, Literal, Path, Term } from './filter.ts'
import { compileGlob } from './glob.ts'

/** Values of one field, by row; `undefined` where a row does not have it. */
export type Column = readonly (ExactJson | undefined)[]

/**
 * Selects rows.
 *
 * @param rowCount length of every column
 * @param columnOf the values of a field
 * @returns 1 for every row that is selected, else 0
 */
export type RowSelection = (rowCount: number, columnOf: (path: Path) => Column) => Uint8Array<ArrayBuffer>

/** Prepares a filter for any number of selections. */
export function compileFilter(filter: Filter): RowSelection {
  if ('filters' in filter) return compileJunction(filter)
  const holds = testOf(filter)
  return function selectByTerm(rowCount, columnOf) {
    const column = columnOf(filter.path)
    const selected = new Uint8Array(rowCount)
    for (let row = 0; row < rowCount; row++) if (holds(column[row])) selected[row] = 1
    return selected
  }
}

function compileJunction({ kind, filters }: Junction): RowSelection {
  const parts = filters.map(compileFilter)
  const all = kind === 'and'
  return function selectByJunction(rowCount, columnOf) {
    const selected = new Uint8Array(rowCount).fill(all ? 1 : 0)
    for (const part of parts) {
      const rows = part(rowCount, columnOf)
      for (let row = 0; row < rowCount; row++) {
        selected[row] = all ? selected[row]! & rows[row]! : selected[row]! | rows[row]!
      }
    }
    return selected
  }
}

/** What a term asks of a field's value. */
function testOf(term: Term): (value: ExactJson | undefined) => boolean {
  switch (term.kind) {
    case 'equal': {
      const wanted = scalarOf(term.literal)
      const { negated } = term
      return (value) => {
        const given = scalarOf(value)
        return given !== undefined && (given === wanted) !== negated
      }
    }
    case 'order':
      return orderTest(term)
    case 'glob': {
      const globMatches = compileGlob(term.pattern)
      return (value) => typeof value === 'string' && globMatches(value) !== term.negated
    }
    case 'in': {
      const wanted = new Set(term.literals.map(scalarOf))
      return (value) => {
        const given = scalarOf(value)
        return given !== undefined && wanted.has(given) !== term.negated
      }
    }
    case 'contains': {
      const wanted = scalarOf(term.literal)
      return (value) => Array.isArray(value) && value.some((element) => scalarOf(element) === wanted) !== term.negated
    }
    case 'has-field':
      return (value) => (value !== undefined) !== term.negated
  }
}

function orderTest({ operator, bound }: Extract<Term, { kind: 'order' }>): (value: ExactJson | undefined) => boolean {
  // NaN compares false with every number.
  const numberOf = (value: ExactJson | undefined) => {
    const given = scalarOf(value)
    return typeof given === 'number' || typeof given === 'bigint' ? given : Number.NaN
  }
  switch (operator) {
    case '<':
      return (value) => numberOf(value) < bound
    case '<=':
      return (value) => numberOf(value) <= bound
    case '>':
      return (value) => numberOf(value) > bound
    case '>=':
      return (value) => numberOf(value) >= bound
  }
}

/**
 * A value as it is compared: booleans are 1 and 0, whole numbers beyond 2^53 are bigints however they were written, and
 * other values that are no string or number are nothing.
 */
function scalarOf(value: ExactJson | Literal | undefined): string | number | bigint | undefined {
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value) ? BigInt(value) : value
  return typeof value === 'string' || typeof value === 'bigint' ? value : undefined
}
