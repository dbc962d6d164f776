import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../../src/core/lib/json.ts'
import { filterCondition } from '../../../packages/vector-index/src/filter/filter-condition.ts'

const database = new DatabaseSync(':memory:')

function selects(text: string, metadata: Readonly<Record<string, Json>> | undefined): boolean {
  const query = `SELECT ${filterCondition(text)} AS selected FROM (SELECT jsonb(?) AS metadata)`
  return database.prepare(query).get(metadata === undefined ? null : JSON.stringify(metadata))!['selected'] === 1
}

const ISTANBUL: Readonly<Record<string, Json>> = {
  city: 'Istanbul',
  country: 'Turkey',
  is_capital: false,
  population: 15_460_000,
  geography: { continent: 'Asia', coordinates: { latitude: 41.0082, longitude: 28.9784 } },
  economy: { currency: 'TRY', major_industries: ['Tourism', 'Textiles', 'Finance'] },
}

test.each([
  "country = 'Turkey' AND population = 15460000 AND is_capital = false",
  "country != 'Germany' AND population != 12500000 AND is_capital != true",
  'population < 20000000 OR geography.coordinates.longitude < 30.0',
  'population >= 10000000 OR geography.coordinates.latitude >= 39.5',
  "city GLOB '?[sz]*[^m-z]'",
  "city NOT GLOB 'A*'",
  "country IN ('Germany', 'Turkey', 'France')",
  "economy.currency NOT IN ('USD', 'EUR')",
  "economy.major_industries CONTAINS 'Tourism'",
  "economy.major_industries NOT CONTAINS 'Steel Production'",
  'HAS FIELD geography.coordinates',
  'HAS NOT FIELD mayor',
  "country = 'Turkey' AND (population > 10000000 OR is_capital = true)",
  "economy.major_industries[0] = 'Tourism' AND economy.major_industries[#-1] = 'Finance'",
])("the service's own example %s selects the expected rows", (text) => {
  expect(selects(text, ISTANBUL)).toBe(true)
})

test('a closing bracket without an opening one is part of a name', () => {
  expect(selects("a#-1] = 'x'", { a: ['x'] })).toBe(false)
  expect(selects("a#-1] = 'x' AND b.c][0] = 1", { 'a#-1]': 'x', b: { 'c]': [1] } })).toBe(true)
})

/** The field `a` of a row, or none. */
type Value = Json | undefined

const MISSING: readonly Value[] = [undefined, null]
const COMPOUND: readonly Value[] = [[1, 'x'], { b: 1 }]

describe.each<[filter: string, selected: readonly Value[], left: readonly Value[]]>([
  ["a = 'x'", ['x'], ['X', '', 0, ...MISSING, ...COMPOUND, '["x"]']],
  ["a = '1'", ['1'], [1, true]],
  ['a = "it\'s"', ["it's"], ['its', 'it', "it''s"]],
  ['a = 1', [1, true], ['1', 0, false, ...MISSING, ...COMPOUND]],
  ['a = true', [1, true], ['true', 2, false]],
  ['a = FALSE', [0, false, -0], ['', ...MISSING, [], {}]],
  ['a = -0', [0, false], [1]],
  ['a = 0.30000000000000004', [0.1 + 0.2], [0.3]],
  ["a != 'x'", ['X', 1, true], ['x', ...MISSING, ...COMPOUND]],
  ['a != 1', ['1', 0, false], [1, true, ...MISSING, ...COMPOUND]],
  ['a < 2', [1, -1, true, false], [2, 3, '1', '', ...MISSING, ...COMPOUND]],
  ['a <= 2', [1, 2, true], [2.0001, '2', ...MISSING]],
  ['a > 1', [1.5, 1e21], [1, true, 'x', ...MISSING, ...COMPOUND]],
  ['a >= 1', [1, true], [0.999, '2', ...MISSING]],
  ["a GLOB '1*'", ['1', '10'], [1, 10, 'x', ...MISSING, ['1']]],
  ["a NOT GLOB '1*'", ['x', ''], ['1', 5, true, ...MISSING, ...COMPOUND]],
  ["a GLOB '?'", ['x'], ['x\0y', '\0', '']],
  ["a NOT GLOB '*secret*'", ['x'], ['x\0secret', '\0']],
  ["a IN ('x', 1)", ['x', 1, true], ['1', 0, ...MISSING, ...COMPOUND]],
  ["a NOT IN ('x', 1)", ['1', 0, false], ['x', 1, true, ...MISSING, ...COMPOUND]],
  ["a CONTAINS 'x'", [['x'], [1, 'x']], [[], ['X'], [['x']], 'x', { b: 'x' }, ...MISSING]],
  ['a CONTAINS 1', [[1], [true]], [['1'], [null], 1]],
  ["a NOT CONTAINS 'x'", [[], ['X'], [null], [['x']]], [['x'], 'y', { b: 'y' }, ...MISSING]],
  ['HAS FIELD a', [null, 0, '', [], {}], [undefined]],
  ['HAS NOT FIELD a', [undefined], [null, 0, '', [], {}]],
  ['a[0] = 1', [[1], [true, 2]], [[2, 1], [], 1, { '0': 1 }, { 0: 1 }]],
  ['a[#-1] = 1', [[1], [2, 1]], [[1, 2], [], { '#-1': 1 }]],
  ['a[#-2][0] = 1', [[[1], 2]], [[1, 2], [[1]]]],
  ['HAS FIELD a[#-0]', [], [[1], []]],
  ['HAS FIELD a[1000000000000000000000]', [], [[1], []]],
  ['HAS FIELD a[4294967296]', [], [[1], []]],
  ['HAS FIELD a[#-18446744073709551617]', [], [[1], []]],
  ['a[00000000000000000000001] = 1', [[0, 1]], [[1, 0]]],
  ['a.b = 1', [{ b: 1 }], [{ b: 2 }, { c: 1 }, [1], 1]],
  ['a.0 = 1', [{ '0': 1 }], [[1]]],
  ['HAS FIELD a.length', [{ length: 1 }], [[1], 'x', {}]],
  ['HAS FIELD a.toString', [{ toString: 1 }], [{}, []]],
  ['HAS FIELD a.__proto__', [JSON.parse('{"__proto__": 1}') as Json], [{}, []]],
])('the filter %s', (filter, selected, left) => {
  const rowOf = (value: Value) => (value === undefined ? {} : { a: value })

  test('selects the rows that match', () => {
    expect(selected.filter((value) => !selects(filter, rowOf(value)))).toEqual([])
  })

  test('does not select others', () => {
    expect(left.filter((value) => selects(filter, rowOf(value)))).toEqual([])
  })
})

test.each([
  ['a = 1', false],
  ['a != 1', false],
  ['HAS FIELD a', false],
  ['HAS NOT FIELD a', true],
])('for a row without metadata, %s is %j', (filter, selected) => {
  expect(selects(filter, undefined)).toBe(selected)
})

test('a name with a dot is a path, never a member with a dot', () => {
  expect(selects('a.b = 1', { 'a.b': 1 })).toBe(false)
})

test('a field name is matched whole and in its case', () => {
  expect(selects('a-b#c = 1 AND a = 2', { 'a-b#c': 1, a: 2 })).toBe(true)
  expect(selects('A = 2', { a: 2 })).toBe(false)
})

test.each([
  ['a = 1 OR b = 1 AND c = 1', { a: 1, b: 0, c: 0 }, true],
  ['(a = 1 OR b = 1) AND c = 1', { a: 1, b: 0, c: 0 }, false],
  ['a = 1 AND b = 1 OR c = 1', { a: 0, b: 0, c: 1 }, true],
  ['a != 1 OR c = 1', { c: 1 }, true],
  ['a != 1 AND c = 1', { c: 1 }, false],
])('the filter %s over %j gives %j', (filter, metadata, selected) => {
  expect(selects(filter, metadata)).toBe(selected)
})
