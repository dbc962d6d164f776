/** Values of fields that are nearly right: each is refused by name, and nothing is written or searched. */
import { beforeEach, expect, test } from 'vitest'
import { testIndex, type TestIndex } from '../test-index.ts'

let tested: TestIndex

const row = (others: object = {}) => ({
  id: 'a',
  vector: [1, 2],
  sparseVector: { indices: [1], values: [1] },
  ...others,
})

beforeEach(() => {
  tested = testIndex({ indexType: 'HYBRID', dimension: 2 })
})

test.each<[string, object, string]>([
  ['upsert', row({ vector: [1, '2'] }), 'vector must be a list of numbers'],
  ['upsert', row({ vector: '12' }), 'vector must be a list of numbers'],
  ['upsert', row({ sparseVector: [] }), 'sparseVector must be an object with indices and values'],
  ['upsert', row({ sparseVector: { indices: [1], values: 1 } }), 'sparseVector.values must be a list of numbers'],
  [
    'upsert',
    row({ sparseVector: { indices: [1, 1.5], values: [1, 1] } }),
    'sparseVector.indices must be signed 32-bit integers',
  ],
  [
    'upsert',
    row({ sparseVector: { indices: [1], values: [1, 2] } }),
    'sparseVector.indices and values must be of equal length',
  ],
  [
    'upsert',
    row({ sparseVector: { indices: [], values: [] } }),
    'sparseVector must have between 1 and 1000 dimensions',
  ],
  ['upsert', row({ metadata: { small: 1, large: Infinity } }), 'metadata holds a number out of range'],
  ['upsert', row({ metadata: { 'a\0': 1 } }), 'metadata has a name with NUL'],
  ['query', { vector: [1, 2], topK: 1.5 }, 'topK must be a whole number between 1 and 1000'],
  ['query', { vector: [1, 2], topK: '5' }, 'topK must be a whole number between 1 and 1000'],
  ['query', { vector: [1, 2], includeData: 1 }, 'includeData must be true or false'],
  ['query', { vector: [1, 2], fusionAlgorithm: 'MAX' }, 'fusionAlgorithm must be one of RRF, DBSF'],
  ['query', { vector: [1, 2], filter: 5 }, 'filter must be a string'],
  ['query', {}, 'Either vector or sparseVector must be given'],
  ['query', { queryMode: 'DENSE' }, 'This index requires dense vectors'],
  ['query', { queryMode: 'SPARSE', vector: [1, 2] }, 'This index requires sparse vectors'],
  ['range', { prefix: 5 }, 'prefix must be a string'],
  ['range', { prefix: 'a\0' }, 'prefix must be a string'],
  ['fetch', { ids: ['a'], prefix: 'a' }, 'Only one of ids or prefix must be provided.'],
  ['update', { id: 'a', metadataUpdateMode: 'MERGE', data: 'x' }, 'metadataUpdateMode must be one of OVERWRITE, PATCH'],
])('%s with %j is refused', (command, body, message) => {
  expect(tested.failureOf(command, body)).toBe(`422 ${message}`)
  expect(tested.resultOf('info')).toMatchObject({ vectorCount: 0 })
})

test.each([-1, 1.5, 2 ** 53, '-1', '1x', 'x1', '9007199254740992', true])('a page has no cursor %j', (cursor) => {
  expect(tested.failureOf('range', { cursor })).toBe('422 cursor must be one that was returned')
})

test.each([0, '', '0', null])('pages begin at the cursor %j', (cursor) => {
  tested.resultOf('upsert', row())
  expect(tested.resultOf('range', { cursor })).toMatchObject({ vectors: [{ id: 'a' }] })
})

test('the name of a namespace has at most 1024 characters', () => {
  tested.resultOf(`upsert/${'n'.repeat(1024)}`, row())
  expect(tested.failureOf(`upsert/${'n'.repeat(1025)}`, row())).toBe('422 namespace is longer than 1024 characters')
})

test('an update of one part leaves the others', () => {
  const all = { includeVectors: true, includeMetadata: true, includeData: true, ids: ['a'] }
  const written = row({ data: 'text', metadata: { a: 1 } })
  tested.resultOf('upsert', written)
  tested.resultOf('update', { id: 'a', metadata: { b: 2 } })
  expect(tested.resultOf('fetch', all)).toEqual([{ ...written, metadata: { b: 2 } }])
  tested.resultOf('update', { id: 'a', data: 'other' })
  expect(tested.resultOf('fetch', all)).toEqual([{ ...written, metadata: { b: 2 }, data: 'other' }])
  const vectors = { vector: [3, 4], sparseVector: { indices: [2], values: [1] } }
  tested.resultOf('update', { id: 'a', ...vectors })
  expect(tested.resultOf('fetch', all)).toEqual([{ id: 'a', ...vectors, metadata: { b: 2 }, data: 'other' }])
})
