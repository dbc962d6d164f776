import type { Filter, Junction, Literal, Path, Term } from './filter-ast.ts'

/** Picks one of several ways to write the same thing: 0 is the plain one. */
export type Choose = (ways: number) => number

const plain: Choose = () => 0

/** Writes a filter; with `choose` in any way that the grammar allows. */
export function printFilter(filter: Filter, choose: Choose = plain): string {
  return join(tokensOf(filter, choose), choose)
}

export function printPath(path: Path): string {
  return path
    .map((step, at) => {
      if ('key' in step) return at === 0 ? step.key : `.${step.key}`
      return 'index' in step ? `[${step.index}]` : `[#-${step.fromEnd}]`
    })
    .join('')
}

function tokensOf(filter: Filter, choose: Choose): string[] {
  const tokens = 'filters' in filter ? junctionTokens(filter, choose) : termTokens(filter, choose)
  return choose(6) === 1 ? ['(', ...tokens, ')'] : tokens
}

function junctionTokens({ kind, filters }: Junction, choose: Choose): string[] {
  return filters.flatMap((part, at) => {
    const tokens = tokensOf(part, choose)
    // AND binds tighter; a list in a list of the same kind would become one list.
    const needed = 'filters' in part && (kind === 'and' || part.kind === 'or')
    const grouped = needed ? ['(', ...tokens, ')'] : tokens
    return at === 0 ? grouped : [keyword(kind, choose), ...grouped]
  })
}

function termTokens(term: Term, choose: Choose): string[] {
  const path = printPath(term.path)
  const not = 'negated' in term && term.negated ? [keyword('not', choose)] : []
  switch (term.kind) {
    case 'equal':
      return [path, term.negated ? '!=' : '=', literal(term.literal, choose)]
    case 'order':
      return [path, term.operator, literal(term.bound, choose)]
    case 'glob':
      return [path, ...not, keyword('glob', choose), literal(term.pattern, choose)]
    case 'contains':
      return [path, ...not, keyword('contains', choose), literal(term.literal, choose)]
    case 'in': {
      const list = term.literals.flatMap((member, at) => [at === 0 ? '(' : ',', literal(member, choose)])
      return [path, ...not, keyword('in', choose), ...list, ')']
    }
    case 'has-field':
      return [keyword('has', choose), ...not, keyword('field', choose), path]
  }
}

function keyword(word: string, choose: Choose): string {
  const way = choose(3)
  if (way === 0) return word.toUpperCase()
  return way === 1 ? word : word.replace(/^./, (first) => first.toUpperCase())
}

function literal(value: Literal, choose: Choose): string {
  if (typeof value === 'boolean') return keyword(String(value), choose)
  if (typeof value === 'number') {
    const ways = [String(value).replace('e+', 'e'), value.toExponential(), value.toExponential().toUpperCase()]
    return ways[choose(ways.length)]!
  }
  const quotes = [`'`, `"`].filter((quote) => !value.includes(quote))
  const quote = quotes[choose(quotes.length)]!
  return `${quote}${value}${quote}`
}

/** Puts space between tokens: some where two words would become one, else any or none. */
function join(tokens: readonly string[], choose: Choose): string {
  const [first = '', ...rest] = tokens
  let text = ['', ' ', '\n'][choose(3)]! + first
  for (const token of rest) {
    const apart = /[\w.[\]#-]$/.test(text) && /^[\w-]/.test(token)
    const spaces = apart || choose(2) === 0 ? [' ', '  ', '\t', '\r\n'] : ['']
    text += spaces[choose(spaces.length)]! + token
  }
  return text + ['', ' '][choose(2)]!
}
