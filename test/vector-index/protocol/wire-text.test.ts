import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { wireText } from '../../../packages/vector-index/src/protocol/wire-text.ts'
import { anyText } from '../../fixtures/any-text.ts'

test('whole float32 numbers are written with a decimal point in any member', () => {
  const row = { id: '7', score: 1, vector: [5, -3, 0.25, 0], sparseVector: { indices: [4, -2], values: [1, 20] } }
  const printed =
    '{"id":"7","score":1.0,"vector":[5.0,-3.0,0.25,0.0],"sparseVector":{"indices":[4,-2],"values":[1.0,20.0]}}'
  expect(wireText(row)).toBe(printed)
  expect(wireText({ result: [[row], [null]] })).toBe(`{"result":[[${printed}],[null]]}`)
})

test.each([
  [[1e-7, 1e21, 123456, 1.5e30, -4e-9], '[1e-7,1e+21,123456.0,1.5e+30,-4e-9]'],
  [[3], '[3.0]'],
  [[], '[]'],
])('a vector of %j is written as floats', (vector, printed) => {
  expect(wireText({ vector })).toBe(`{"vector":${printed}}`)
})

test('values stored by clients are written unchanged, under any name', () => {
  const metadata = { score: 1, vector: [2], values: [3], in: { score: 4 } }
  expect(wireText({ metadata, data: '[5]' })).toBe(JSON.stringify({ metadata, data: '[5]' }))
})

test('counts are written as integers, even in namespaces named like float members', () => {
  const namespaces = { score: { vectorCount: 1 }, vector: { vectorCount: 2 }, metadata: { vectorCount: 3 } }
  expect(wireText({ dimension: 2, namespaces })).toBe(JSON.stringify({ dimension: 2, namespaces }))
})

describe('like JSON.stringify', () => {
  test('omits undefined members', () => {
    expect(wireText({ id: 'a', score: undefined, result: null })).toBe('{"id":"a","result":null}')
  })

  test('writes JSON that parses to the same values', () => {
    const row = fc.record({
      id: anyText(),
      score: fc.float({ noNaN: true, noDefaultInfinity: true }),
      vector: fc.array(fc.oneof(fc.float({ noNaN: true, noDefaultInfinity: true }), fc.integer())),
      metadata: fc.dictionary(fc.string(), fc.jsonValue()),
    })
    fc.assert(
      fc.property(fc.array(fc.option(row)), (result) => {
        expect(JSON.parse(wireText({ result }))).toEqual(JSON.parse(JSON.stringify({ result })))
      }),
    )
  })
})
