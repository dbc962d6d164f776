import { describe, expect, test } from 'vitest'
import { DIMENSION, embed, termFrequencies } from '../../../packages/vector-index/src/embed/embedder.ts'
import { passageVector, questionVector } from '../../../packages/vector-index/src/embed/bm25.ts'
import { VectorStore } from '../../../packages/vector-index/src/store/store.ts'
import type { VectorRow } from '../../../packages/vector-index/src/store/vector-row.ts'
import { sqliteStorage } from '../sqlite-storage.ts'

function rowOf(id: string, data: string): VectorRow {
  const frequencies = termFrequencies(data)
  return { id, data, dense: embed(frequencies), sparse: passageVector(frequencies) }
}

const find = (store: VectorStore, namespace: string, text: string): string[] => {
  const resident = store.resident(namespace)
  const found = resident?.searchSparse(questionVector(termFrequencies(text)), { topK: 10, weighting: 'IDF' }) ?? []
  const ids = new Map(Array.from(store.foundAt(found.map(({ slot }) => resident!.positionAt(slot)))))
  return found.map(({ slot }) => ids.get(resident!.positionAt(slot))!.id)
}

describe('a namespace in memory', () => {
  test('follows every write as a freshly loaded one shows it', () => {
    const storage = sqliteStorage()
    const store = new VectorStore(storage)
    store.upsert('n', [rowOf('a', 'edge cache'), rowOf('b', 'weak evidence'), rowOf('c', 'edge gate')])
    expect(find(store, 'n', 'edge')).toEqual(['a', 'c'])
    store.upsert('n', [rowOf('b', 'edge evidence'), rowOf('d', 'edge model')])
    store.delete('n', ['a', 'unknown'])
    const fresh = new VectorStore(storage)
    for (const text of ['edge', 'evidence', 'weak', 'model', 'cache']) {
      expect(find(store, 'n', text)).toEqual(find(fresh, 'n', text))
    }
    expect(find(store, 'n', 'edge')).toEqual(['b', 'c', 'd'])
    expect(find(store, 'n', 'weak')).toEqual([])
  })

  test('survives the deletion of most of its rows', () => {
    const store = new VectorStore(sqliteStorage())
    const rows = Array.from({ length: 200 }, (_, at) => rowOf(`r${at}`, `edge number${at}`))
    store.upsert('n', rows)
    expect(find(store, 'n', 'number7')).toEqual(['r7'])
    expect(
      store.delete(
        'n',
        rows.slice(10).map(({ id }) => id),
      ),
    ).toBe(190)
    expect(find(store, 'n', 'number7')).toEqual(['r7'])
    expect(find(store, 'n', 'number150')).toEqual([])
  })
})

describe('writes', () => {
  test('of equal ids in one call the last counts', () => {
    const store = new VectorStore(sqliteStorage())
    store.upsert('n', [rowOf('a', 'first'), rowOf('a', 'second')])
    expect(store.fetch('n', ['a'])[0]?.data).toBe('second')
    expect(store.namespaces()).toContainEqual({
      name: 'n',
      vectorCount: 1,
      pendingVectorCount: 0,
      memoryBytes: expect.any(Number),
    })
  })

  test('fail as a whole, and leave memory as it was', () => {
    const storage = sqliteStorage()
    const store = new VectorStore(storage)
    store.upsert('n', [rowOf('a', 'edge')])
    expect(find(store, 'n', 'edge')).toEqual(['a'])
    const broken = {
      ...rowOf('c', 'edge'),
      metadata: {
        toJSON: () => {
          throw new Error('no')
        },
      } as never,
    }
    expect(() => store.upsert('n', [rowOf('b', 'edge'), broken])).toThrow('no')
    expect(find(store, 'n', 'edge')).toEqual(['a'])
    expect(find(new VectorStore(storage), 'n', 'edge')).toEqual(['a'])
    expect(store.namespaces()).toContainEqual({
      name: 'n',
      vectorCount: 1,
      pendingVectorCount: 0,
      memoryBytes: expect.any(Number),
    })
  })

  test('a replaced row keeps its place in the insertion order', () => {
    const store = new VectorStore(sqliteStorage())
    store.upsert('n', [rowOf('b', 'one'), rowOf('a', 'two'), rowOf('c', 'three')])
    store.upsert('n', [rowOf('b', 'four')])
    expect([...store.range('n', 0, 10, '')].map(({ id }) => id)).toEqual(['b', 'a', 'c'])
  })

  test('float32 vectors come back to the last bit', () => {
    const store = new VectorStore(sqliteStorage())
    const vector = Float32Array.from({ length: DIMENSION }, (_, at) => Math.sin(at))
    store.upsert('', [{ ...rowOf('a', 'x'), dense: vector }])
    expect(store.fetch('', ['a'])[0]!.dense).toEqual(vector)
  })
})

describe('namespaces', () => {
  test('do not see each other', () => {
    const store = new VectorStore(sqliteStorage())
    store.upsert('one', [rowOf('a', 'edge')])
    store.upsert('two', [rowOf('a', 'cache')])
    expect(find(store, 'one', 'cache')).toEqual([])
    expect(store.delete('one', ['a'])).toBe(1)
    expect(find(store, 'two', 'cache')).toEqual(['a'])
  })

  test('the default one is there from the start and stays when emptied', () => {
    const store = new VectorStore(sqliteStorage())
    store.upsert('n', [rowOf('a', 'edge')])
    store.resetAll()
    expect(store.namespaces()).toEqual([
      { name: '', vectorCount: 0, pendingVectorCount: 0, memoryBytes: 0 },
      { name: 'n', vectorCount: 0, pendingVectorCount: 0, memoryBytes: 0 },
    ])
    expect(find(store, 'n', 'edge')).toEqual([])
  })

  test('reading one that does not exist makes none', () => {
    const store = new VectorStore(sqliteStorage())
    expect(store.resident('nowhere')).toBeUndefined()
    expect(store.fetch('nowhere', ['a'])).toEqual([null])
    expect(store.namespaces()).toHaveLength(1)
  })
})
