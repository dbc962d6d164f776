/**
 * What a filter means, written from the service's page alone and with no thought of speed: three-valued, as SQL, and
 * sharing no code with the index.
 *
 * @see https://upstash.com/docs/vector/features/filtering
 */
import type { Json } from '../../../src/core/lib/json.ts'
import type { Filter, Term, Literal } from './filter-ast.ts'
import { printPath } from './print-filter.ts'

type Truth = boolean | null

/** Whether a row is selected: unknown is not. */
export function isSelected(filter: Filter, metadata: Readonly<Record<string, Json>> | undefined): boolean {
  return truthOf(filter, metadata) === true
}

function truthOf(filter: Filter, metadata: Readonly<Record<string, Json>> | undefined): Truth {
  if ('filters' in filter) {
    const truths = filter.filters.map((part) => truthOf(part, metadata))
    const deciding = filter.kind === 'or'
    if (truths.includes(deciding)) return deciding
    return truths.includes(null) ? null : !deciding
  }
  const field = lookUp(printPath(filter.path), metadata)
  if (filter.kind === 'has-field') return filter.negated ? field === undefined : field !== undefined
  const truth = positiveTruth(filter, field)
  return truth !== null && 'negated' in filter && filter.negated ? !truth : truth
}

function positiveTruth(term: Exclude<Term, { kind: 'has-field' }>, field: Json | undefined): Truth {
  const one = comparable(field)
  switch (term.kind) {
    case 'equal':
      return one === null ? null : one === comparable(term.literal)
    case 'in':
      return one === null ? null : term.literals.some((literal) => one === comparable(literal))
    case 'order': {
      if (typeof one !== 'number') return null
      const sign = Math.sign(one - term.bound)
      return (term.operator.includes('<') && sign < 0) || (term.operator.includes('>') && sign > 0)
        ? true
        : term.operator.includes('=') && sign === 0
    }
    case 'glob':
      return typeof field === 'string' ? glob(Array.from(term.pattern), Array.from(field)) : null
    case 'contains':
      return Array.isArray(field) ? field.some((element) => comparable(element) === comparable(term.literal)) : null
  }
}

function comparable(value: Json | Literal | undefined): string | number | null {
  if (value === true) return 1
  if (value === false) return 0
  return typeof value === 'string' || typeof value === 'number' ? value : null
}

function lookUp(identifier: string, metadata: Json | undefined): Json | undefined {
  let found: unknown = metadata
  for (const part of identifier.replaceAll('[', '.[').split('.')) {
    if (typeof found !== 'object' || found === null) return undefined
    const members = new Map<string, unknown>(Object.entries(found))
    const place = part.startsWith('[') ? part.slice(1, -1) : undefined
    if (Array.isArray(found) !== (place !== undefined)) return undefined
    found = members.get(
      place?.startsWith('#-') === true ? String(members.size - Number(place.slice(2))) : (place ?? part),
    )
  }
  return found as Json | undefined
}

/** By trying every way that a star can go. */
function glob(pattern: readonly string[], text: readonly string[]): boolean {
  const [first, ...rest] = pattern
  if (first === undefined) return text.length === 0
  if (first === '*') return glob(rest, text) || (text.length > 0 && glob(pattern, text.slice(1)))
  if (text.length === 0) return false
  if (first !== '[') return (first === '?' || first === text[0]) && glob(rest, text.slice(1))
  const closing = rest.indexOf(']', rest[0] === '^' ? 2 : 1)
  if (closing === -1) return false
  return inList(rest.slice(0, closing), text[0]!) && glob(rest.slice(closing + 1), text.slice(1))
}

function inList(list: readonly string[], character: string): boolean {
  return list[0] === '^' ? !isMember(list.slice(1), character) : isMember(list, character)
}

function isMember(list: readonly string[], character: string): boolean {
  const [one, dash, other] = list
  if (one === undefined) return false
  if (one === character) return true
  if (dash !== '-' || other === undefined || one === ']') return isMember(list.slice(1), character)
  const [low, code, high] = [one, character, other].map((each) => each.codePointAt(0)!) as [number, number, number]
  return (low <= code && code <= high) || isMember(list.slice(3), character)
}
