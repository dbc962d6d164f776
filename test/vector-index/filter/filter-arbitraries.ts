import * as fc from 'fast-check'
import type { Json } from '../../../src/core/lib/json.ts'
import type { Filter, Literal, Path, Term } from './filter-ast.ts'
import { printFilter } from './print-filter.ts'

/** A filter, and one of the many ways to write it. */
export interface WrittenFilter {
  readonly filter: Filter
  readonly text: string
}

type Metadata = Readonly<Record<string, Json>> | undefined

// Few names and values, so that filters find something.
const key = fc.constantFrom('a', 'b', 'c_1', 'x-y', 'Z#', '_0', 'd#-1]')
const text = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom('', 'a', 'b', 'ab', 'abc', 'B', 'a]b', '[', '1', '-', 'é', '😀x', "it's", '"'),
  },
  {
    weight: 1,
    arbitrary: fc.string({ unit: fc.constantFrom('a', 'b', 'c', ']', '^', '*', '\\', '漢'), maxLength: 6 }),
  },
)
const number = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(0, 1, 2, -1, 1.5, -2.5, 0.1, 1e21, 1e-7, 2 ** 53) },
  {
    weight: 1,
    arbitrary: fc
      .double({ noNaN: true, noDefaultInfinity: true })
      .map((value) => value + 0)
      // JavaScript prints whole numbers between 2^53 and 10^21 with digits that are not theirs.
      .filter((value) => !Number.isInteger(value) || Number.isSafeInteger(value) || Math.abs(value) >= 1e21),
  },
)
const scalar = fc.oneof(text, number, fc.boolean())
const writable = fc.oneof(
  text.filter((value) => !(value.includes("'") && value.includes('"'))),
  number,
  fc.boolean(),
)

const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    { weight: 6, arbitrary: scalar },
    { weight: 1, arbitrary: fc.constant(null) },
    { weight: 3, arbitrary: fc.array(tie('value'), { maxLength: 3 }) },
    { weight: 3, arbitrary: fc.dictionary(key, tie('value'), { maxKeys: 3 }) },
  ),
}))

/** Metadata of a row; sometimes there is none. */
export const metadataArbitrary: fc.Arbitrary<Metadata> = fc.option(fc.dictionary(key, value, { maxKeys: 6 }), {
  nil: undefined,
  freq: 15,
})

const place = fc.nat(3)
const step = fc.oneof(
  key.map((name) => ({ key: name })),
  place.map((index) => ({ index })),
  place.map((fromEnd) => ({ fromEnd })),
)
const path: fc.Arbitrary<Path> = fc
  .tuple(key, fc.array(step, { maxLength: 2, size: 'max' }))
  .map(([first, rest]) => [{ key: first }, ...rest])

const pattern = fc.oneof(
  text.filter((value) => !(value.includes("'") && value.includes('"'))),
  fc
    .array(
      fc.constantFrom(
        '*',
        '?',
        '[ab]',
        '[a-c]',
        '[^a-b]',
        '[]]',
        '[^]x]',
        '[a-]',
        '[',
        ']',
        'a',
        'b',
        '^',
        '-',
        'é',
        '[é-😀]',
      ),
      { maxLength: 5 },
    )
    .map((pieces) => pieces.join('')),
)

const negated = fc.boolean()
const term: fc.Arbitrary<Term> = fc.oneof(
  fc.record({ kind: fc.constant('equal'), path, literal: writable, negated }),
  fc.record({
    kind: fc.constant('order'),
    path,
    operator: fc.constantFrom('<', '<=', '>', '>='),
    bound: number,
  }),
  fc.record({ kind: fc.constant('glob'), path, pattern, negated }),
  fc.record({
    kind: fc.constant('in'),
    path,
    literals: fc.array<Literal>(writable, { minLength: 1, maxLength: 4 }),
    negated,
  }),
  fc.record({ kind: fc.constant('contains'), path, literal: writable, negated }),
  fc.record({ kind: fc.constant('has-field'), path, negated }),
)

const { filter } = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    { weight: 3, arbitrary: term },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constantFrom('and', 'or'),
        filters: fc.array(tie('filter'), { minLength: 2, maxLength: 4 }),
      }),
    },
  ),
}))

/** Filters of the whole grammar, with random spaces, capitals, quotes, parentheses and forms of numbers. */
export const filterArbitrary: fc.Arbitrary<WrittenFilter> = fc
  .tuple(filter, fc.array(fc.nat(0xff_ff), { minLength: 40, maxLength: 40 }))
  .map(([made, choices]) => {
    let chosen = 0
    return { filter: made, text: printFilter(made, (ways) => choices[chosen++ % choices.length]! % ways) }
  })
