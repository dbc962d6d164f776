import { beforeEach, describe, expect, test } from 'vitest'
import { testIndex, type TestIndex } from '../../test-index.ts'

let tested: TestIndex

beforeEach(() => {
  tested = testIndex({ indexType: 'DENSE', dimension: 2 })
  tested.resultOf('upsert', [
    { id: 'a', vector: [1, 0], metadata: { field: 'value', deep: { x: 1, y: 2 }, list: [1, 2] }, data: 'text' },
    { id: 'b', vector: [0, 1] },
  ])
})

const metadataOf = (id: string): unknown =>
  (tested.resultOf('fetch', { ids: [id], includeMetadata: true }) as { metadata?: unknown }[])[0]?.metadata

test('a changed vector is found at its new place', () => {
  expect(tested.resultOf('update', { id: 'a', vector: [0, 2] })).toEqual({ updated: 1 })
  expect(tested.resultOf('query', { vector: [0, 1], topK: 2 })).toEqual([
    { id: 'a', score: 1 },
    { id: 'b', score: 1 },
  ])
  expect(metadataOf('a')).toMatchObject({ field: 'value' })
})

test('accepts an unknown id, a number as an id, and members that are null', () => {
  expect(tested.resultOf('update', { id: 'z', vector: [1, 1] })).toEqual({ updated: 0 })
  expect(tested.resultOf('update/nowhere', { id: 'a', vector: [1, 1] })).toEqual({ updated: 0 })
  expect(tested.resultOf('list-namespaces')).toEqual([''])
  tested.resultOf('upsert', { id: 7, vector: [1, 1] })
  const nothing = { sparseVector: null, data: null, metadata: null, metadataUpdateMode: null }
  expect(tested.resultOf('update', { id: 7, vector: [2, 2], ...nothing })).toEqual({ updated: 1 })
})

describe('metadata', () => {
  test('is replaced unless it is to be merged', () => {
    tested.resultOf('update', { id: 'a', metadata: { field: 'other' } })
    expect(metadataOf('a')).toEqual({ field: 'other' })
    tested.resultOf('update', { id: 'a', metadata: { more: 1 }, metadataUpdateMode: 'OVERWRITE' })
    expect(metadataOf('a')).toEqual({ more: 1 })
  })

  test.each([
    ['adds and replaces', { field: 1, more: 2 }, { field: 1, deep: { x: 1, y: 2 }, list: [1, 2], more: 2 }],
    ['removes by null', { field: null, absent: null }, { deep: { x: 1, y: 2 }, list: [1, 2] }],
    ['merges objects', { deep: { y: null, z: 3 } }, { field: 'value', deep: { x: 1, z: 3 }, list: [1, 2] }],
    ['replaces lists whole', { list: [9] }, { field: 'value', deep: { x: 1, y: 2 }, list: [9] }],
    [
      'puts an object for a value',
      { field: { a: null, b: 1 } },
      { field: { b: 1 }, deep: { x: 1, y: 2 }, list: [1, 2] },
    ],
  ])('is merged so that a patch %s', (_name, metadata, expected) => {
    tested.resultOf('update', { id: 'a', metadata, metadataUpdateMode: 'PATCH' })
    expect(metadataOf('a')).toEqual(expected)
  })

  test('is created by merging into none', () => {
    tested.resultOf('update', { id: 'b', metadata: { a: { b: null, c: 1 } }, metadataUpdateMode: 'PATCH' })
    expect(metadataOf('b')).toEqual({ a: { c: 1 } })
  })

  test('is rejected when merging makes it too large', () => {
    tested.resultOf('update', { id: 'b', metadata: { a: 'x'.repeat(40_000) } })
    const more = { id: 'b', metadata: { b: 'x'.repeat(40_000) }, metadataUpdateMode: 'PATCH' }
    expect(tested.failureOf('update', more)).toContain('422 metadata is larger than')
    expect(metadataOf('b')).not.toHaveProperty('b')
  })
})

test.each([
  ['an unknown mode', { id: 'a', metadata: {}, metadataUpdateMode: 'MERGE' }, '422 metadataUpdateMode'],
  ['another dimension', { id: 'a', vector: [1] }, '422 Invalid vector dimension: 1, expected: 2'],
  ['no id', { vector: [1, 2] }, '422 id'],
  ['a list', [{ id: 'a', vector: [1, 2] }], '422 The body must be an object'],
])('rejects %s', (_name, body, message) => {
  expect(tested.failureOf('update', body)).toContain(message)
})
