/** What was taken can be searched, and what could not be searched is not taken. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { VectorStore } from '../../../packages/vector-index/src/store/store.ts'
import type { VectorRow } from '../../../packages/vector-index/src/store/vector-row.ts'
import { sqliteStorage } from '../sqlite-storage.ts'

const DIMENSION = 8
const FULL = expect.objectContaining({ status: 507 })

function rowOf(id: string, entries = 4): VectorRow {
  return {
    id,
    dense: Float32Array.from({ length: DIMENSION }, (_, at) => Math.sin(id.length + at)),
    sparse: { indices: Int32Array.from({ length: entries }, (_, at) => at), values: new Float32Array(entries).fill(1) },
  }
}

/** Writes rows until one is refused. @returns rows taken */
function fill(store: VectorStore, entries: number): number {
  for (let taken = 0; ; taken++) {
    try {
      store.upsert('n', [rowOf(`r${taken}`, entries)])
    } catch (thrown) {
      expect(thrown).toEqual(FULL)
      return taken
    }
  }
}

describe('a full namespace', () => {
  test('accepts replacements of its rows, and new rows only after deletions', () => {
    const store = new VectorStore(sqliteStorage(), { memoryBytes: 41_600 })
    const taken = fill(store, 4)
    expect(taken).toBe(41_600 / (64 + DIMENSION + 8 * 4))
    store.upsert('n', [rowOf('r0'), rowOf('r1')])
    expect(() => store.upsert('n', [rowOf('r0', 200)])).toThrow(FULL)
    expect(() => store.upsert('n', [rowOf('r0'), rowOf('new')])).toThrow(FULL)
    expect(store.delete(['r5', 'r6'])).toBe(2)
    store.upsert('n', [rowOf('new')])
    expect(store.counts().vectorCount).toBe(taken - 1)
    expect(store.searchable().count).toBe(taken - 1)
    store.reset()
    expect(store.counts().memoryBytes).toBe(0)
    expect(fill(store, 4)).toBe(taken)
  })

  test('rejects texts before embedding them when there is no room', () => {
    const store = new VectorStore(sqliteStorage(), { memoryBytes: 40_000 })
    fill(store, 4)
    const made: string[] = []
    const items = [{ id: 'r0' }, { id: 'r1' }, ...Array.from({ length: 500 }, (_, at) => ({ id: `new${at}` }))]
    expect(() => {
      store.upsert('n', items, ({ id }) => {
        made.push(id)
        return rowOf(id)
      })
    }).toThrow(FULL)
    expect(made).toEqual(['r0'])
    // A hundred rows without any sparse entries would just fit.
    const empty = new VectorStore(sqliteStorage(), { memoryBytes: 100 * (64 + DIMENSION) })
    const many = Array.from({ length: 100 }, (_, at) => ({ id: `r${at}` }))
    const madeOf = (entries: number): (() => void) => {
      made.length = 0
      return () =>
        empty.upsert('n', many, ({ id }) => {
          made.push(id)
          return rowOf(id, entries)
        })
    }
    expect(madeOf(1)).toThrow(FULL)
    expect(made).toEqual(['r0'])
    expect(madeOf(0)).not.toThrow()
    expect(made).toHaveLength(100)
  })

  test('is reported with advice', () => {
    const store = new VectorStore(sqliteStorage(), { memoryBytes: 1024 * 1024 })
    const rows = (name: string) => Array.from({ length: 1000 }, (_, at) => rowOf(`${name}${at}`, 100))
    store.upsert('n', rows('r'))
    expect(() => store.upsert('n', rows('s'))).toThrow(
      'Namespace "n" would take more than the 1 MiB of memory that there are to search it. ' +
        'Spread it over several namespaces, or move to an engine made for production with index:export',
    )
  })
})

test('memory is counted by the existing rows after writes, replacements and deletions', () => {
  const change = fc.record({
    ids: fc.array(fc.nat(60), { minLength: 1, maxLength: 30 }),
    entries: fc.nat(30),
    isDeleted: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(change, { maxLength: 25, size: 'max' }), (changes) => {
      const store = new VectorStore(sqliteStorage(), { memoryBytes: 12_000 })
      let there = new Map<string, number>()
      const bytesOf = (rows: ReadonlyMap<string, number>) =>
        [...rows.values()].reduce((sum, entries) => sum + 64 + DIMENSION + 8 * entries, 0)
      for (const { ids, isDeleted, entries } of changes) {
        const names = ids.map((id) => `r${id}`)
        if (isDeleted) {
          store.delete(names)
          for (const name of names) there.delete(name)
          continue
        }
        const after = new Map([...there, ...names.map((name) => [name, entries] as const)])
        try {
          store.upsert(
            'n',
            names.map((name) => rowOf(name, entries)),
          )
          there = after
        } catch (thrown) {
          expect(thrown).toEqual(FULL)
          expect(bytesOf(after)).toBeGreaterThan(12_000)
        }
        expect(store.counts()).toMatchObject({ memoryBytes: bytesOf(there), vectorCount: there.size })
      }
    }),
  )
})
