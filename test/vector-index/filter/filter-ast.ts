/** Filters as tests make them: printed they are read by the index, and evaluated they say what it should select. */
export type Filter = Junction | Term

/** Two or more filters, all or one of which must hold. */
export interface Junction {
  readonly kind: 'and' | 'or'
  readonly filters: readonly Filter[]
}

/** What is asked of one field. */
export type Term = { readonly path: Path } & (
  | { readonly kind: 'equal'; readonly literal: Literal; readonly negated: boolean }
  | { readonly kind: 'order'; readonly operator: '<' | '<=' | '>' | '>='; readonly bound: number }
  | { readonly kind: 'glob'; readonly pattern: string; readonly negated: boolean }
  | { readonly kind: 'in'; readonly literals: readonly Literal[]; readonly negated: boolean }
  | { readonly kind: 'contains'; readonly literal: Literal; readonly negated: boolean }
  | { readonly kind: 'has-field'; readonly negated: boolean }
)

export type Literal = string | number | boolean

/** The way to a field: names of members, places in lists, places counted from a list's end. */
export type Path = readonly ({ readonly key: string } | { readonly index: number } | { readonly fromEnd: number })[]
