/** What was taken can be searched, and what could not be searched is not taken. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { loadKernel } from '../../../scripts/load-kernel.ts'
import { VectorStore, type VectorStoreOptions } from '../../../packages/vector-index/src/store/store.ts'
import type { VectorRow } from '../../../packages/vector-index/src/store/vector-row.ts'
import { sqliteStorage } from '../sqlite-storage.ts'

const DIMENSION = 8
const MEMORY = 40_000
const FULL = expect.objectContaining({ status: 507 })
const options: VectorStoreOptions = { memoryBytes: MEMORY, dimension: DIMENSION, makeKernel: loadKernel() }

interface Shape {
  readonly entries?: number
  /** Where the sparse dimensions begin: rows with the same share them. */
  readonly first?: number
}

function rowOf(id: string, { entries = 4, first = 0 }: Shape = {}): VectorRow {
  const vector = Float32Array.from({ length: DIMENSION }, (_, at) => Math.sin(id.length + at))
  return {
    id,
    dense: vector,
    sparse: {
      indices: Int32Array.from({ length: entries }, (_, at) => first + at),
      values: new Float32Array(entries).fill(1),
    },
  }
}

/** Writes batches until one is refused. @returns rows taken */
function fill(store: VectorStore, batch: number, shape: (at: number) => Shape, namespace = 'n'): number {
  for (let taken = 0; ; taken += batch) {
    const rows = Array.from({ length: batch }, (_, at) => rowOf(`r${taken + at}`, shape(taken + at)))
    try {
      store.upsert(namespace, rows)
    } catch (thrown) {
      expect(thrown).toEqual(FULL)
      return taken
    }
  }
}

const countIn = (store: VectorStore) => store.namespaces().find(({ name }) => name === 'n')!

const nearest = (store: VectorStore, topK: number) =>
  store
    .resident('n')!
    .searchDense(Float32Array.of(1, 0, 0, 0, 0, 0, 0, 0), { topK, similarity: 'COSINE' }, (at) => store.denseAt(at))

describe('a full namespace', () => {
  test.each([
    ['rows that share their dimensions', () => ({})],
    ['rows that share none', (at: number) => ({ first: at * 10 })],
    ['dense rows', () => ({ entries: 0 })],
  ])('of %s is searched afresh, and is nearly as large as it may be', (_name, shape) => {
    for (const batch of [1, 40]) {
      const storage = sqliteStorage()
      const store = new VectorStore(storage, options)
      const taken = fill(store, batch, shape)
      const { vectorCount, memoryBytes } = countIn(store)
      expect(vectorCount).toBe(taken)
      expect(memoryBytes).toBeLessThanOrEqual(MEMORY)
      expect(memoryBytes).toBeGreaterThan(MEMORY - (batch + 1) * (MEMORY / taken))
      const fresh = new VectorStore(storage, options)
      expect(nearest(fresh, 2000)).toHaveLength(taken)
    }
  })

  test('takes what replaces its rows, and nothing more until some are deleted', () => {
    const store = new VectorStore(sqliteStorage(), options)
    const taken = fill(store, 1, () => ({}))
    store.upsert('n', [rowOf('r0'), rowOf('r1')])
    expect(() => store.upsert('n', [rowOf('r0', { entries: 200 })])).toThrow(FULL)
    expect(() => store.upsert('n', [rowOf('r0'), rowOf('new')])).toThrow(FULL)
    expect(store.delete('n', ['r5', 'r6'])).toBe(2)
    store.upsert('n', [rowOf('new')])
    expect(countIn(store).vectorCount).toBe(taken - 1)
    store.reset('n')
    expect(countIn(store).memoryBytes).toBe(0)
    expect(fill(store, 1, () => ({}))).toBe(taken)
  })

  test('leaves the others their room', () => {
    const store = new VectorStore(sqliteStorage(), options)
    const taken = fill(store, 10, () => ({}))
    const before = store.resident('n')
    expect(fill(store, 10, () => ({}), 'other')).toBe(taken)
    expect(store.resident('n')).toBe(before)
  })

  test('counts pending writes', () => {
    const clock = { nowMs: 0 }
    const storage = sqliteStorage()
    const lagging = { ...options, visibilityLagMs: 10, nowMs: () => clock.nowMs }
    const store = new VectorStore(storage, lagging)
    const taken = fill(store, 10, () => ({}))
    expect(taken).toBeGreaterThan(50)
    clock.nowMs = 10
    store.settle()
    expect(nearest(store, 2000)).toHaveLength(taken)
    expect(countIn(store)).toMatchObject({ vectorCount: taken, pendingVectorCount: 0 })
  })

  test('is refused in words that say what to do', () => {
    const store = new VectorStore(sqliteStorage(), { ...options, memoryBytes: 1024 * 1024 })
    expect(() => fill(store, 1000, () => ({ entries: 100 }))).not.toThrow()
    const rows = Array.from({ length: 2000 }, (_, at) => rowOf(`s${at}`, { entries: 100 }))
    expect(() => store.upsert('n', rows)).toThrow(
      'Namespace "n" would take more than the 1 MiB of memory that there are to search it. ' +
        'Spread it over several namespaces, or move to an engine made for production with index:export',
    )
  })
})

test('after writes, replacements and deletions memory is counted by what is there', () => {
  const change = fc.record({
    ids: fc.array(fc.nat(60), { minLength: 1, maxLength: 30 }),
    entries: fc.nat(30),
    delete: fc.boolean(),
    restart: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(change, { maxLength: 25, size: 'max' }), (changes) => {
      const storage = sqliteStorage()
      const small = { ...options, memoryBytes: 12_000 }
      let store = new VectorStore(storage, small)
      const there = new Map<string, number>()
      const bytes = () => [...there.values()].reduce((sum, entries) => sum + 64 + DIMENSION + 14 * entries, 0)
      for (const { ids, restart, delete: gone, entries } of changes) {
        if (restart) store = new VectorStore(storage, small)
        const names = ids.map((id) => `r${id}`)
        if (gone) {
          store.delete('n', names)
          for (const name of names) there.delete(name)
          continue
        }
        const before = new Map(there)
        try {
          for (const name of names) there.set(name, entries)
          store.upsert(
            'n',
            names.map((name) => rowOf(name, { entries })),
          )
        } catch (thrown) {
          expect(thrown).toEqual(FULL)
          expect(bytes()).toBeGreaterThan(12_000)
          there.clear()
          for (const [name, known] of before) there.set(name, known)
        }
        expect(countIn(store).memoryBytes).toBe(bytes())
      }
    }),
  )
})
