/**
 * Translates a metadata filter to an SQL condition on the column `metadata`, which holds JSONB or NULL.
 *
 * The service documents the operators and the types of value that each applies to. Where it is silent, this is our
 * choice:
 *
 * - An operator only applies to its types of value. A field that is missing, is `null` or has another type matches
 *   neither the operator nor its `!=` or `NOT` form, as with NULL in SQL. `HAS FIELD` matches a `null`.
 * - `true` equals `1` and `false` equals `0`, in filters and in metadata. A number never equals a string.
 * - `<`, `<=`, `>` and `>=` compare numbers and booleans with a number; another literal is an error.
 * - `CONTAINS` compares with the elements of a list that are strings, numbers or booleans, not with members of an
 *   object.
 * - A row without metadata has no fields.
 * - A dot in an identifier always separates members; brackets contain digits, or `#-` and digits, and follow a name or
 *   other brackets. An unmatched closing bracket is part of the name. An index beyond the list is a missing field.
 * - Keywords are not identifiers, in any case, unless more follows: `in.x`.
 * - Numbers may have a sign, a fraction and an exponent; integers are compared exactly up to 2^63. Strings may span
 *   lines.
 * - `GLOB` is that of SQLite: `]` at the start of a set is a member of it, `-` at either end too, and an unclosed set
 *   matches nothing. It matches Unicode characters, not code units. A value with NUL, of which SQLite would read the
 *   part before, matches neither it nor its `NOT` form.
 * - `AND` binds tighter than `OR`. An empty filter counts as absent.
 * - Lines in messages count from 1 and columns from 0, as far as the service's messages are known.
 *
 * @see https://upstash.com/docs/vector/features/filtering
 */
import { utf8 } from 'hono-rag-gate/core/lib'
import { invalid } from '../protocol-error.ts'
import { TokenReader } from './tokens.ts'

/** Limits of a filter, all chosen by us. */
export const FILTER_LIMITS = {
  characters: 65_536,
  /** Size of the resulting SQL; a Durable Object allows 100,000. */
  sqlBytes: 90_000,
  /** Nesting of parentheses: SQL may nest 100 deep, and a list of terms nests by the logarithm of its length. */
  depth: 16,
  terms: 256,
  /** Total number of literals in `IN` lists. */
  listed: 1000,
  /** Length of a `GLOB` pattern from its first `*`, `?` or `[`, bytes; the platform's limit. */
  patternBytes: 50,
} as const

const NUMBERS = `('integer','real','true','false')`
const SCALARS = `('text','integer','real','true','false')`

const IDENTIFIER = /^[^.[]+(?:\[(?:#-)?\d+\])*(?:\.[^.[]+(?:\[(?:#-)?\d+\])*)*$/
const STEP = /\[(#-)?0*(\d+)\]|([^.[]+)/g

/**
 * The condition of a filter. Paths and values are literals in it, because a statement may only have a hundred bindings.
 *
 * @throws `ProtocolError` of status 422 with line and column, or that it is too long
 */
export function filterCondition(text: string): string {
  if (text.length > FILTER_LIMITS.characters) {
    throw invalid(`Invalid filter. It is longer than ${FILTER_LIMITS.characters} characters`)
  }
  const sql = new FilterReader(text).read()
  if (utf8(sql).length <= FILTER_LIMITS.sqlBytes) return sql
  throw invalid(`Invalid filter. It becomes more than ${FILTER_LIMITS.sqlBytes} bytes of SQL`)
}

/** Recursive descent parser; the limit of nested parentheses also bounds the stack. */
class FilterReader {
  readonly #tokens: TokenReader
  #depth = 0
  #terms = 0
  #listed = 0

  constructor(text: string) {
    this.#tokens = new TokenReader(text)
  }

  read(): string {
    const condition = this.#anyOf()
    if (this.#tokens.next.kind !== 'end') throw this.#tokens.mismatch('<EOF>')
    return condition
  }

  #anyOf(): string {
    return this.#junction('OR', () => this.#junction('AND', () => this.#operand()))
  }

  #junction(keyword: string, part: () => string): string {
    const parts = [part()]
    while (this.#tokens.takeIf(keyword)) parts.push(part())
    return joined(parts, keyword)
  }

  #operand(): string {
    const tokens = this.#tokens
    if (tokens.next.text !== '(' || tokens.next.kind !== 'symbol') return this.#term()
    if (this.#depth === FILTER_LIMITS.depth) throw tokens.problem(`more than ${FILTER_LIMITS.depth} nested parentheses`)
    tokens.take()
    this.#depth += 1
    const condition = this.#anyOf()
    tokens.expect(')')
    this.#depth -= 1
    return condition
  }

  #term(): string {
    const tokens = this.#tokens
    this.#terms += 1
    if (this.#terms > FILTER_LIMITS.terms) throw tokens.problem(`more than ${FILTER_LIMITS.terms} comparisons`)
    if (!tokens.takeIf('HAS')) return this.#comparison(this.#path())
    const not = tokens.takeIf('NOT') ? '' : 'NOT '
    tokens.expect('FIELD')
    return `(json_type(metadata, ${this.#path()}) IS ${not}NULL)`
  }

  /** A quoted SQLite path. Its names are quoted as well: identifiers cannot contain the quote characters. */
  #path(): string {
    const tokens = this.#tokens
    const { kind, text } = tokens.next
    if (kind !== 'word') throw tokens.mismatch('an identifier')
    if (!IDENTIFIER.test(text)) throw tokens.mismatch('an identifier such as a.b, a[0] or a[#-1]')
    tokens.take()
    // No list reaches 15 digits, and SQLite rejects `1e+21`.
    const steps = Array.from(text.matchAll(STEP), ([, fromEnd = '', digits = '', key]) =>
      key === undefined ? `[${fromEnd}${digits.slice(0, 15)}]` : `."${key}"`,
    )
    return quoted(`$${steps.join('')}`)
  }

  /** The value is compared before its type, because that excludes most rows and spares reading their type. */
  #comparison(path: string): string {
    const tokens = this.#tokens
    const value = `json_extract(metadata, ${path})`
    const kind = `json_type(metadata, ${path})`
    const takeOneOf = (...operators: readonly string[]) => operators.find((operator) => tokens.takeIf(operator))
    const equality = takeOneOf('=', '!=')
    if (equality !== undefined) return `(${value} ${equality} ${this.#literal()} AND ${kind} IN ${SCALARS})`
    const order = takeOneOf('<', '<=', '>', '>=')
    if (order !== undefined) return `(${value} ${order} ${this.#number()} AND ${kind} IN ${NUMBERS})`
    const negated = tokens.takeIf('NOT')
    const not = negated ? 'NOT ' : ''
    if (tokens.takeIf('GLOB')) {
      return `(${not}(${this.#pattern(value)}) AND ${kind} = 'text' AND instr(${value}, char(0)) = 0)`
    }
    if (tokens.takeIf('IN')) return `(${value} ${not}IN (${this.#list()}) AND ${kind} IN ${SCALARS})`
    if (tokens.takeIf('CONTAINS')) {
      return `(${kind} = 'array' AND ${not}EXISTS (SELECT 1 FROM json_each(metadata, ${path}) AS element
        WHERE element.value = ${this.#literal()} AND element.type IN ${SCALARS}))`
    }
    throw tokens.mismatch(negated ? 'GLOB, IN or CONTAINS' : 'an operator')
  }

  #list(): string {
    const tokens = this.#tokens
    const literals: string[] = []
    tokens.expect('(')
    do {
      this.#listed += 1
      if (this.#listed > FILTER_LIMITS.listed) throw tokens.problem(`more than ${FILTER_LIMITS.listed} listed values`)
      literals.push(this.#literal())
    } while (tokens.takeIf(','))
    tokens.expect(')')
    return literals.join()
  }

  /** The platform only allows short patterns, so the part before the first wildcard is compared separately. */
  #pattern(value: string): string {
    const tokens = this.#tokens
    const { kind, text } = tokens.next
    if (kind !== 'string') throw tokens.mismatch('a string')
    const [, literal = '', rest = ''] = /^([^*?[]*)(.*)$/su.exec(text) ?? []
    if (utf8(rest).length > FILTER_LIMITS.patternBytes) {
      throw tokens.problem(`a pattern of more than ${FILTER_LIMITS.patternBytes} bytes from its first *, ? or [ on`)
    }
    tokens.take()
    if (rest === '') return `${value} = ${quoted(literal)}`
    const length = Array.from(literal).length
    const matches = `substr(${value}, ${length + 1}) GLOB ${quoted(rest)}`
    return length === 0 ? matches : `substr(${value}, 1, ${length}) = ${quoted(literal)} AND ${matches}`
  }

  /** SQLite represents `true` as 1. */
  #literal(): string {
    const tokens = this.#tokens
    if (tokens.takeIf('TRUE')) return '1'
    if (tokens.takeIf('FALSE')) return '0'
    if (tokens.next.kind === 'string') return quoted(tokens.take().text)
    if (tokens.next.kind === 'number') return this.#number()
    throw tokens.mismatch('a string, a number, true or false')
  }

  /** SQLite parses integers beyond 64 bits as floats. */
  #number(): string {
    const tokens = this.#tokens
    const { kind, text } = tokens.next
    if (kind !== 'number') throw tokens.mismatch('a number')
    const number = Number(text)
    if (!Number.isFinite(number)) throw tokens.problem('a number out of range')
    tokens.take()
    if (Number.isSafeInteger(number) || !/^-?\d+$/.test(text)) return String(number)
    return BigInt(number) === BigInt(text) ? String(number) : String(BigInt(text))
  }
}

/** Joins conditions as a balanced tree, to limit nesting. */
function joined(parts: readonly string[], by: string): string {
  if (parts.length === 1) return parts[0]!
  const half = parts.length >> 1
  return `(${joined(parts.slice(0, half), by)} ${by} ${joined(parts.slice(half), by)})`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
