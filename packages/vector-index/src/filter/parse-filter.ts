/** Reading the text of a filter. */
import { utf8 } from 'hono-rag-gate/core/lib'
import { ProtocolError } from '../protocol-error.ts'
import { splitPattern } from './filter-sql.ts'
import { FILTER_LIMITS, type Filter, type Junction, type Literal, type Path, type Term } from './filter.ts'
import { parsePath } from './path.ts'
import { TokenReader } from './tokens.ts'

/**
 * Reads a filter. `AND` binds tighter than `OR`.
 *
 * @throws `ProtocolError` of status 422 that names line and column
 */
export function parseFilter(text: string): Filter {
  if (text.length > FILTER_LIMITS.characters) {
    throw new ProtocolError(422, `Invalid filter. It is longer than ${FILTER_LIMITS.characters} characters`)
  }
  return new FilterParser(text).parse()
}

/** Recursive descent; parentheses may not nest deeper than the limit, so that the stack has an end too. */
class FilterParser {
  readonly #tokens: TokenReader
  #depth = 0
  #terms = 0
  #listed = 0

  constructor(text: string) {
    this.#tokens = new TokenReader(text)
  }

  parse(): Filter {
    const filter = this.#anyOf()
    if (this.#tokens.next.kind !== 'end') throw this.#tokens.mismatch('<EOF>')
    return filter
  }

  #anyOf(): Filter {
    return this.#junction('or', 'OR', () => this.#allOf())
  }

  #allOf(): Filter {
    return this.#junction('and', 'AND', () => this.#operand())
  }

  #junction(kind: Junction['kind'], keyword: string, part: () => Filter): Filter {
    const first = part()
    const filters = [first]
    while (this.#tokens.takeIf(keyword)) filters.push(part())
    return filters.length === 1 ? first : { kind, filters }
  }

  #operand(): Filter {
    const tokens = this.#tokens
    if (tokens.next.text !== '(' || tokens.next.kind !== 'symbol') return this.#term()
    if (this.#depth === FILTER_LIMITS.depth) throw tokens.problem(`more than ${FILTER_LIMITS.depth} nested parentheses`)
    tokens.take()
    this.#depth += 1
    const filter = this.#anyOf()
    tokens.expect(')')
    this.#depth -= 1
    return filter
  }

  #term(): Term {
    const tokens = this.#tokens
    this.#terms += 1
    if (this.#terms > FILTER_LIMITS.terms) throw tokens.problem(`more than ${FILTER_LIMITS.terms} comparisons`)
    if (!tokens.takeIf('HAS')) return this.#comparison(this.#path())
    const negated = tokens.takeIf('NOT')
    tokens.expect('FIELD')
    return { path: this.#path(), kind: 'has-field', negated }
  }

  #path(): Path {
    const tokens = this.#tokens
    if (tokens.next.kind !== 'word') throw tokens.mismatch('an identifier')
    const path = parsePath(tokens.next.text)
    if (path === undefined) throw tokens.mismatch('an identifier such as a.b, a[0] or a[#-1]')
    tokens.take()
    return path
  }

  #comparison(path: Path): Term {
    const tokens = this.#tokens
    const { kind, text } = tokens.next
    if (kind !== 'symbol') return this.#wordOperator(path)
    switch (text) {
      case '=':
      case '!=':
        tokens.take()
        return { path, kind: 'equal', literal: this.#literal(), negated: text === '!=' }
      case '<':
      case '<=':
      case '>':
      case '>=':
        tokens.take()
        return { path, kind: 'order', operator: text, bound: this.#number() }
      default:
        throw tokens.mismatch('an operator')
    }
  }

  #wordOperator(path: Path): Term {
    const tokens = this.#tokens
    const negated = tokens.takeIf('NOT')
    if (tokens.takeIf('GLOB')) return { path, kind: 'glob', pattern: this.#pattern(), negated }
    if (tokens.takeIf('IN')) return { path, kind: 'in', literals: this.#list(), negated }
    if (tokens.takeIf('CONTAINS')) return { path, kind: 'contains', literal: this.#literal(), negated }
    throw tokens.mismatch(negated ? 'GLOB, IN or CONTAINS' : 'an operator')
  }

  #list(): readonly Literal[] {
    const tokens = this.#tokens
    const literals: Literal[] = []
    tokens.expect('(')
    do {
      this.#listed += 1
      if (this.#listed > FILTER_LIMITS.listed) throw tokens.problem(`more than ${FILTER_LIMITS.listed} listed values`)
      literals.push(this.#literal())
    } while (tokens.takeIf(','))
    tokens.expect(')')
    return literals
  }

  #pattern(): string {
    const tokens = this.#tokens
    const { kind, text } = tokens.next
    if (kind !== 'string') throw tokens.mismatch('a string')
    if (utf8(splitPattern(text).rest).length > FILTER_LIMITS.patternBytes) {
      throw tokens.problem(`a pattern of more than ${FILTER_LIMITS.patternBytes} bytes from its first *, ? or [ on`)
    }
    return tokens.take().text
  }

  #literal(): Literal {
    const tokens = this.#tokens
    if (tokens.takeIf('TRUE')) return true
    if (tokens.takeIf('FALSE')) return false
    if (tokens.next.kind === 'string') return tokens.take().text
    if (tokens.next.kind === 'number') return this.#number()
    throw tokens.mismatch('a string, a number, true or false')
  }

  #number(): number | bigint {
    const tokens = this.#tokens
    const { kind, text } = tokens.next
    if (kind !== 'number') throw tokens.mismatch('a number')
    const number = Number(text)
    if (!Number.isFinite(number)) throw tokens.problem('a number out of range')
    tokens.take()
    if (Number.isSafeInteger(number) || !/^-?\d+$/.test(text)) return number
    return BigInt(number) === BigInt(text) ? number : BigInt(text)
  }
}
