import { describe, expect, test } from 'vitest'
import { VectorStore } from '../../../packages/vector-index/src/store/store.ts'
import type { VectorRow } from '../../../packages/vector-index/src/store/vector-row.ts'
import { sqliteStorage } from '../sqlite-storage.ts'

const rowOf = (id: string, ...dense: number[]): VectorRow => ({
  id,
  dense: Float32Array.from(dense),
  sparse: { indices: Int32Array.of(-1), values: Float32Array.of(0.1) },
})

const rowIn = (store: VectorStore, id: string) => Array.from(store.withIds([id]))[0]
const idsIn = (store: VectorStore) => Array.from(store.range(0, 10, ''), ({ id }) => id)

describe('writes', () => {
  test('count the last of equal ids in one call', () => {
    const store = new VectorStore(sqliteStorage())
    store.upsert('n', [rowOf('a', 1), rowOf('a', 2)])
    expect(rowIn(store, 'a')?.dense).toEqual(Float32Array.of(2))
    expect(store.counts().vectorCount).toBe(1)
  })

  test('fail as a whole', () => {
    const storage = sqliteStorage()
    const store = new VectorStore(storage)
    store.upsert('n', [rowOf('a', 1)])
    const toJSON = () => {
      throw new Error('no')
    }
    const before = store.counts()
    expect(() => store.upsert('n', [rowOf('b', 1), { ...rowOf('c', 1), metadata: { toJSON } as never }])).toThrow('no')
    for (const reading of [store, new VectorStore(storage)]) {
      expect(idsIn(reading)).toEqual(['a'])
      expect(reading.counts()).toEqual(before)
    }
  })

  test('keep the place of a replaced row in the insertion order', () => {
    const store = new VectorStore(sqliteStorage())
    store.upsert('n', [rowOf('b', 1), rowOf('a', 2), rowOf('c', 3)])
    store.upsert('n', [rowOf('b', 4)])
    expect(idsIn(store)).toEqual(['b', 'a', 'c'])
  })

  test('never use a place again, so that a page continues after deleted rows', () => {
    const store = new VectorStore(sqliteStorage())
    store.upsert('n', [rowOf('a', 1), rowOf('b', 2)])
    store.delete(['b'])
    store.upsert('n', [rowOf('c', 3)])
    expect(Array.from(store.range(2, 10, ''), ({ id }) => id)).toEqual(['c'])
  })

  test('store both vectors exactly', () => {
    const storage = sqliteStorage()
    const row = rowOf('a', Math.sin(1), 1e-45, -0, 3e38)
    // A part of a larger array.
    const dense = Float32Array.of(9, ...row.dense, 9).subarray(1, 5)
    new VectorStore(storage).upsert('n', [{ ...row, dense }])
    expect(rowIn(new VectorStore(storage), 'a')).toEqual({ position: 1, ...row })
  })
})

test('a namespace keeps its first name until it is deleted', () => {
  const store = new VectorStore(sqliteStorage())
  expect(store.name).toBeUndefined()
  store.upsert('n', [rowOf('a', 1)])
  store.reset()
  expect([store.name, idsIn(store)]).toEqual(['n', []])
  store.reset(null)
  expect(store.name).toBeUndefined()
})
