/** Bodies as the clients for other languages send them, where they differ from those of the JavaScript client. */
import { beforeEach, expect, test } from 'vitest'
import { testIndex, type TestIndex } from '../../test-index.ts'

const sparseVector = { indices: [1, 2], values: [5, 6] }
let tested: TestIndex

beforeEach(() => {
  tested = testIndex({ indexType: 'HYBRID', dimension: 2 })
  tested.resultOf('upsert', { id: '1', vector: [0.1, 0.2], sparseVector })
})

test('PHP: accepts empty lists for an absent vector and for empty metadata, and an empty filter', () => {
  tested.resultOf('upsert', [{ id: '2', vector: [0.1, 0.2], sparseVector, metadata: [], data: null }])
  expect(tested.resultOf('fetch', { ids: ['2'], includeMetadata: true, includeData: true })).toEqual([{ id: '2' }])
  const query = { vector: [], sparseVector, topK: 1, filter: '', includeVectors: false }
  expect(tested.resultOf('query', query)).toEqual([{ id: '1', score: 61 }])
})

test('Python: accepts null for missing values, `null` as no body, and ids alone as the body', () => {
  const nothing = { data: null, metadata: null, filter: null, queryMode: null, weightingStrategy: null }
  const query = { vector: [0.1, 0.2], sparseVector: null, topK: 1, fusionAlgorithm: null, ...nothing }
  expect(tested.resultOf('query', query)).toEqual([{ id: '1', score: 1 }])
  expect(tested.resultOf('info', null)).toMatchObject({ vectorCount: 1 })
  expect(tested.resultOf('list-namespaces', null)).toEqual([''])
  expect(tested.resultOf('range', { cursor: '', limit: 1, prefix: null })).toMatchObject({ nextCursor: '' })
  expect(tested.resultOf('fetch', { ids: ['1'], prefix: null })).toEqual([{ id: '1' }])
  expect(tested.resultOf('delete', ['1'])).toEqual({ deleted: 1 })
  expect(tested.resultOf('delete', { ids: ['1'], prefix: null, filter: null })).toEqual({ deleted: 0 })
  expect(tested.resultOf('reset', null)).toBe('Success')
})

test('JavaScript: accepts `[]` for commands without a body', () => {
  for (const command of ['info', 'list-namespaces', 'reset', 'reset?all', 'random']) tested.resultOf(command, [])
  tested.resultOf('upsert/ns', { id: '1', vector: [0.1, 0.2], sparseVector })
  expect(tested.resultOf('delete-namespace/ns', [])).toBe('Success')
})

test('accepts a number as an id, and a single id in place of a list', () => {
  tested.resultOf('upsert', { id: 7, vector: [1, 0], sparseVector })
  expect(tested.resultOf('fetch', { ids: [7, '7'] })).toEqual([{ id: '7' }, { id: '7' }])
  expect(tested.resultOf('delete', { ids: 7 })).toEqual({ deleted: 1 })
})

test('the last of equal ids in one request is kept, in the place of the first', () => {
  const rows = ['a', 'b', 'a'].map((id, at) => ({ id, vector: [at + 1, 0], sparseVector }))
  tested.resultOf('upsert/ns', rows)
  expect(tested.resultOf('range/ns', { cursor: 0, limit: 9, includeVectors: true })).toMatchObject({
    vectors: [
      { id: 'a', vector: [3, 0] },
      { id: 'b', vector: [2, 0] },
    ],
  })
})

test('a repeated dimension in a sparse vector is accepted and returned', () => {
  const twice = { indices: [4, 4, 4], values: [1, 2, 0.5] }
  tested.resultOf('upsert', { id: 'x', vector: [1, 0], sparseVector: twice })
  expect(tested.resultOf('fetch', { ids: ['x'], includeVectors: true })).toMatchObject([{ sparseVector: twice }])
  const query = { sparseVector: { indices: [4], values: [2] }, topK: 1 }
  expect(tested.resultOf('query', query)).toEqual([{ id: 'x', score: 7 }])
})

test('whole numbers that are not exact are rejected as ids, because two of them could be one', () => {
  for (const id of [2 ** 53, -(2 ** 53), 1e21]) {
    const message = '422 id is a number too large to be exact'
    expect(tested.failureOf('upsert', { id, vector: [1, 0], sparseVector })).toBe(message)
    expect(tested.failureOf('fetch', { ids: [id] })).toBe(message)
  }
  const rows = [2 ** 53 - 1, -3, 1.5, -0].map((id) => ({ id, vector: [1, 0], sparseVector }))
  tested.resultOf('upsert/numbers', rows)
  const ids = ['9007199254740991', '-3', '1.5', '0'].map((id) => ({ id }))
  expect(tested.resultOf('range/numbers', { limit: 9 })).toEqual({ nextCursor: '', vectors: ids })
})

test('metadata with a number that JSON cannot represent is rejected, not stored as null', () => {
  for (const metadata of ['{"a":1e400}', '{"a":[{"b":-1e999}]}']) {
    const item = { id: 'x', vector: [1, 0], sparseVector, metadata: JSON.parse(metadata) as unknown }
    expect(tested.failureOf('upsert', item)).toBe('422 metadata holds a number out of range')
  }
})
