import { beforeEach, describe, expect, test } from 'vitest'
import { testIndex, type TestIndex } from '../test-index.ts'

const LAG = 500
let tested: TestIndex

beforeEach(() => {
  tested = testIndex({ indexType: 'DENSE', dimension: 2, visibilityLagMs: LAG })
})

const found = (namespace = ''): string[] =>
  (tested.resultOf(`query/${namespace}`, { vector: [1, 0], topK: 9 }) as { id: string }[]).map(({ id }) => id)
const read = (id: string): unknown => (tested.resultOf('fetch', { ids: [id], includeVectors: true }) as unknown[])[0]
const counts = (): unknown => {
  const { vectorCount, pendingVectorCount } = tested.resultOf('info', []) as Record<string, number>
  return [vectorCount, pendingVectorCount]
}

describe('a write', () => {
  test('is pending and found by no query until the lag passed; fetch and range see it at once', () => {
    tested.resultOf('upsert', { id: 'a', vector: [1, 0] })
    expect(counts()).toEqual([0, 1])
    tested.clock.nowMs += LAG - 1
    expect([found(), read('a'), tested.resultOf('range', { cursor: 0, limit: 9 })]).toEqual([
      [],
      { id: 'a', vector: [1, 0] },
      { nextCursor: '', vectors: [{ id: 'a' }] },
    ])
    tested.clock.nowMs += 1
    expect([found(), read('a')]).toEqual([['a'], { id: 'a', vector: [1, 0] }])
    expect(counts()).toEqual([1, 0])
  })

  test('stays pending over a restart, and is seen after one', () => {
    tested.resultOf('upsert', { id: 'a', vector: [1, 0] })
    tested.restart()
    expect([found(), counts()]).toEqual([[], [0, 1]])
    tested.clock.nowMs += LAG
    tested.restart()
    expect([found(), counts()]).toEqual([['a'], [1, 0]])
  })

  test('replaces at once for fetch; queries find the older version until the lag passed', () => {
    tested.resultOf('upsert', { id: 'a', vector: [1, 0] })
    tested.clock.nowMs += LAG
    expect(found()).toEqual(['a'])
    tested.resultOf('upsert', { id: 'a', vector: [0, 1] })
    expect([read('a'), counts()]).toEqual([{ id: 'a', vector: [0, 1] }, [1, 1]])
    expect(tested.resultOf('query', { vector: [1, 0], topK: 1 })).toEqual([{ id: 'a', score: 1 }])
    tested.clock.nowMs += LAG
    expect(tested.resultOf('query', { vector: [0, 1], topK: 1 })).toEqual([{ id: 'a', score: 1 }])
  })

  test('comes in the order of writing, also when all are seen at once', () => {
    for (const y of [1, 2, 3]) {
      tested.resultOf('upsert', { id: 'a', vector: [1, y] })
      tested.resultOf('upsert/other', { id: 'b', vector: [1, y] })
      tested.clock.nowMs += 1
    }
    expect(counts()).toEqual([0, 6])
    tested.clock.nowMs += LAG
    expect(read('a')).toEqual({ id: 'a', vector: [1, 3] })
    expect([found('other'), counts()]).toEqual([['b'], [2, 0]])
  })

  test('shows a namespace at once', () => {
    tested.resultOf('upsert/ns', { id: 'a', vector: [1, 0] })
    expect(tested.resultOf('list-namespaces')).toEqual(['', 'ns'])
  })
})

test('pages keep the insertion order, whether a write is pending, shown or replaces another', () => {
  const page = (body: object) =>
    (tested.resultOf('range', body) as { vectors: { id: string }[] }).vectors.map(({ id }) => id)
  for (const id of ['c', 'a']) tested.resultOf('upsert', { id, vector: [1, 0] })
  tested.clock.nowMs += LAG
  for (const id of ['b', 'c', 'b', 'd']) tested.resultOf('upsert', { id, vector: [0, 1] })
  expect(page({})).toEqual(['c', 'a', 'b', 'd'])
  expect(page({ cursor: '1', limit: 2 })).toEqual(['a', 'b'])
  tested.clock.nowMs += LAG
  expect(page({})).toEqual(['c', 'a', 'b', 'd'])
  tested.resultOf('delete', ['b'])
  tested.resultOf('upsert', { id: 'b', vector: [0, 1] })
  expect(page({})).toEqual(['c', 'a', 'd', 'b'])
})

test('a filter of delete reads metadata as it was last written', () => {
  tested.resultOf('upsert', { id: 'a', vector: [1, 0], metadata: { x: 1 } })
  tested.clock.nowMs += LAG
  tested.resultOf('upsert', { id: 'a', vector: [1, 0], metadata: { x: 2 } })
  expect(tested.resultOf('delete', { filter: 'x = 1' })).toEqual({ deleted: 0 })
  expect(tested.resultOf('delete', { filter: 'x = 2' })).toEqual({ deleted: 1 })
  expect([found(), read('a')]).toEqual([[], null])
})

test('an update builds on the newest of what is pending', () => {
  tested.resultOf('upsert', { id: 'a', vector: [1, 0], metadata: { x: 1 } })
  for (const metadata of [{ y: 2 }, { z: 3 }]) {
    const patch = { id: 'a', metadata, metadataUpdateMode: 'PATCH' }
    expect(tested.resultOf('update', patch)).toEqual({ updated: 1 })
  }
  tested.clock.nowMs += LAG
  expect(tested.resultOf('fetch', { ids: ['a'], includeMetadata: true })).toEqual([
    { id: 'a', metadata: { x: 1, y: 2, z: 3 } },
  ])
})

describe('what is pending', () => {
  beforeEach(() => {
    for (const name of ['', 'ns']) tested.resultOf(`upsert/${name}`, { id: 'a', vector: [1, 0] })
    tested.resultOf('upsert/ns', { id: 'a', vector: [1, 1], metadata: { x: 2 } })
  })

  test.each([
    ['delete/ns', ['a'], { deleted: 1 }, [0, 1]],
    ['delete/ns', { prefix: 'a' }, { deleted: 1 }, [0, 1]],
    ['delete/ns', { filter: 'x = 2' }, { deleted: 1 }, [0, 1]],
    ['reset/ns', [], 'Success', [0, 1]],
    ['delete-namespace/ns', [], 'Success', [0, 1]],
    ['reset?all', [], 'Success', [0, 0]],
  ])('/%s reaches too', (path, body, result, left) => {
    expect(tested.resultOf(path, body)).toEqual(result)
    expect(counts()).toEqual(left)
    tested.clock.nowMs += LAG
    expect(found('ns')).toEqual([])
  })

  test('moves with its namespace', () => {
    tested.resultOf('rename-namespace', { namespace: 'ns', newNamespace: 'new' })
    tested.clock.nowMs += LAG
    expect(found('new')).toEqual(['a'])
  })
})

test('without a lag nothing ever is pending', () => {
  tested = testIndex({ indexType: 'DENSE', dimension: 2 })
  tested.resultOf('upsert', { id: 'a', vector: [1, 0] })
  expect([found(), counts()]).toEqual([['a'], [1, 0]])
})
