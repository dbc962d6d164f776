/**
 * What a metadata filter says, after it was read.
 *
 * The service documents the operators and the kinds of value that each is for. Where it is silent, this is our choice:
 *
 * - An operator looks only at the kinds of value it is for. A field that is missing, is `null` or holds another kind is
 *   selected neither by the operator nor by its `!=` or `NOT` form, as with NULL in SQL. `HAS FIELD` finds a `null`.
 * - `true` and `1`, `false` and `0` are equal, in filters as in metadata. A number and a string never are.
 * - `<`, `<=`, `>` and `>=` compare numbers and booleans with a number; another literal is an error.
 * - `CONTAINS` compares with the elements of a list that are strings, numbers or booleans. An object's members are no
 *   elements.
 * - A row without metadata has no fields.
 * - In an identifier a dot leads to a member and never is part of a name; brackets hold digits or `#-` and digits, and
 *   follow a name or other brackets. A closing bracket that none opened is part of the name. An element that the list
 *   does not have is missing.
 * - The words of the grammar are no identifiers, in any case, unless more follows: `in.x`.
 * - Numbers may be negative and may have a fraction and an exponent; whole ones are compared exactly up to 2^63. Strings may span lines.
 * - `GLOB` has the details of SQLite: `]` first in a list is a member of it, `-` at either end of one too, and a list
 *   that does not end matches nothing. It sees Unicode characters, not code units.
 * - An empty filter counts as not given.
 * - Lines count from 1 and columns from 0 in messages, as far as those of the service are known.
 *
 * @see https://upstash.com/docs/vector/features/filtering
 */
export type Filter = Junction | Term

/** Two or more filters, all or one of which must hold. */
export interface Junction {
  readonly kind: 'and' | 'or'
  readonly filters: readonly Filter[]
}

/** What is asked of one field. */
export type Term = { readonly path: Path } & (
  | { readonly kind: 'equal'; readonly literal: Literal; readonly negated: boolean }
  | { readonly kind: 'order'; readonly operator: OrderOperator; readonly bound: number | bigint }
  | { readonly kind: 'glob'; readonly pattern: string; readonly negated: boolean }
  | { readonly kind: 'in'; readonly literals: readonly Literal[]; readonly negated: boolean }
  | { readonly kind: 'contains'; readonly literal: Literal; readonly negated: boolean }
  | { readonly kind: 'has-field'; readonly negated: boolean }
)

export type OrderOperator = '<' | '<=' | '>' | '>='

/** A bigint is a whole number that float64 does not hold. */
export type Literal = string | number | bigint | boolean

/** The way to a field: names of members, places in lists, places counted from a list's end. */
export type Path = readonly Step[]

export type Step = { readonly key: string } | { readonly index: number } | { readonly fromEnd: number }

/** How large a filter may be; all of them are our own. */
export const FILTER_LIMITS = {
  characters: 65_536,
  /** Bytes of the SQL that it becomes; a Durable Object allows 100,000. */
  sqlBytes: 90_000,
  /** Parentheses in parentheses: SQL may nest 100 deep, and a list of terms nests by the logarithm of its length. */
  depth: 16,
  terms: 256,
  /** Literals of all `IN` lists together. */
  listed: 1000,
  /** Bytes of a `GLOB` pattern from its first `*`, `?` or `[` on; the platform allows no more. */
  patternBytes: 50,
} as const
