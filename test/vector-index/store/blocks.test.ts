/** Blocks are made, lost and made again; what is found is what the rows themselves give. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BoundedTop } from '../../../packages/vector-index/src/search/best.ts'
import { nearness, prepareQuestion } from '../../../packages/vector-index/src/search/similarity.ts'
import { BLOCK_ROWS } from '../../../packages/vector-index/src/search/block-rows.ts'
import type { IndexStorage } from '../../../packages/vector-index/src/store/schema.ts'
import { VectorStore, type VectorStoreOptions } from '../../../packages/vector-index/src/store/store.ts'
import type { VectorRow } from '../../../packages/vector-index/src/store/vector-row.ts'
import { sqliteStorage } from '../sqlite-storage.ts'

const DIMENSION = 3
const options: VectorStoreOptions = { dimension: DIMENSION }

const rowOf = (id: string, version = 0): VectorRow => ({
  id,
  dense: Float32Array.from({ length: DIMENSION }, (_, at) =>
    Math.sin(id.length * 7 + Number(id.slice(1)) + version + at),
  ),
  sparse: { indices: Int32Array.of(Number(id.slice(1)) % 7, -1), values: Float32Array.of(1 + version, 0.5) },
})
const named = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `r${from + at}`)
const question = Float32Array.of(1, -2, 0.5)
const asked = { indices: Int32Array.of(3, -1), values: Float32Array.of(1, 1) }

/** What both searches find, and their scores. */
function foundIn(store: VectorStore, topK = 12) {
  const resident = store.resident('n')!
  const dense = resident.searchDense(question, { topK, similarity: 'COSINE' }, (at) => store.denseAt(at))
  const sparse = resident.searchSparse(asked, { topK, weighting: 'IDF' })
  return [dense, sparse].map((ranking) => {
    const ids = new Map(Array.from(store.foundAt(ranking.map(({ slot }) => resident.positionAt(slot)))))
    return ranking.map(({ slot, score }) => ({ id: ids.get(resident.positionAt(slot))!.id, score }))
  })
}

const blocksIn = ({ sql }: IndexStorage) =>
  sql.exec('SELECT count(DISTINCT block) AS blocks FROM blocks').toArray()[0]!['blocks']

function makeBlocks(store: VectorStore): void {
  if (!store.isBehind('n')) return
  for (const _step of store.makeBlocks('n'));
}

/** A store over the rows alone. */
function withoutBlocks(storage: IndexStorage): VectorStore {
  const copy = sqliteStorage()
  const store = new VectorStore(copy, options)
  store.createNamespace('n')
  for (const { position: _position, ...row } of new VectorStore(storage, options).range('n', 0, 100_000, '')) {
    store.upsert('n', [row])
  }
  return store
}

describe('blocks', () => {
  test('are made of many rows, and hold what is found after a rest', () => {
    const storage = sqliteStorage()
    const store = new VectorStore(storage, options)
    store.upsert(
      'n',
      named(0, 100).map((id) => rowOf(id)),
    )
    makeBlocks(store)
    expect(blocksIn(storage)).toBe(0)
    store.upsert(
      'n',
      named(100, 2500).map((id) => rowOf(id)),
    )
    makeBlocks(store)
    expect(blocksIn(storage)).toBe(3)
    const reading = new VectorStore(storage, options)
    expect(foundIn(reading)).toEqual(foundIn(withoutBlocks(storage)))
    // Without the rows of the vectors the first search finds no less: it is blocks that are read.
    storage.sql.exec('UPDATE vectors SET sparse_indices = ?, sparse_values = ?', '', '')
    expect(foundIn(new VectorStore(storage, options))[1]).toEqual(foundIn(store)[1])
  })

  test('are not made anew of what is stored already', () => {
    const storage = sqliteStorage()
    const store = new VectorStore(storage, options)
    store.upsert(
      'n',
      named(0, 3 * BLOCK_ROWS).map((id) => rowOf(id)),
    )
    makeBlocks(store)
    storage.sql.exec(`CREATE TABLE written (block INTEGER)`)
    storage.sql.exec(`CREATE TRIGGER seen AFTER INSERT ON blocks BEGIN INSERT INTO written VALUES (NEW.block); END`)
    makeBlocks(store)
    store.upsert(
      'n',
      named(BLOCK_ROWS, BLOCK_ROWS + 70).map((id) => rowOf(id, 1)),
    )
    makeBlocks(new VectorStore(storage, options))
    expect(storage.sql.exec('SELECT block FROM written').toArray()).toEqual([{ block: 1 }])
    expect(foundIn(new VectorStore(storage, options))).toEqual(foundIn(withoutBlocks(storage)))
  })

  test('move together when most of their rows are gone', () => {
    const storage = sqliteStorage()
    const store = new VectorStore(storage, options)
    store.upsert(
      'n',
      named(0, 3000).map((id) => rowOf(id)),
    )
    makeBlocks(store)
    store.delete(
      'n',
      named(0, 3000).filter((_id, at) => at % 5 !== 0),
    )
    makeBlocks(store)
    expect(blocksIn(storage)).toBe(1)
    expect(foundIn(store)).toEqual(foundIn(withoutBlocks(storage)))
    expect(foundIn(new VectorStore(storage, options))).toEqual(foundIn(store))
    store.upsert('n', [rowOf('r9000')])
    expect(foundIn(store, 700)).toEqual(foundIn(withoutBlocks(storage), 700))
  })

  test('leave with the rows of their namespace', () => {
    const storage = sqliteStorage()
    const store = new VectorStore(storage, options)
    store.upsert(
      'n',
      named(0, 600).map((id) => rowOf(id)),
    )
    makeBlocks(store)
    store.reset('n')
    expect(blocksIn(storage)).toBe(0)
    store.upsert('n', [rowOf('r1')])
    expect(foundIn(new VectorStore(storage, options), 5)[0]).toHaveLength(1)
    store.deleteNamespace('n')
    expect(store.resident('n')).toBeUndefined()
  })

  test('give way to a row that belongs between theirs, as after a change of the lag', () => {
    const storage = sqliteStorage()
    const clock = { nowMs: 0 }
    const lagging = new VectorStore(storage, { ...options, visibilityLagMs: 10, nowMs: () => clock.nowMs })
    lagging.upsert('n', [rowOf('r5000')])
    const store = new VectorStore(storage, options)
    store.upsert(
      'n',
      named(0, 600).map((id) => rowOf(id)),
    )
    makeBlocks(store)
    expect(blocksIn(storage)).toBe(1)
    clock.nowMs = 10
    lagging.settle()
    const fresh = new VectorStore(storage, options)
    expect(foundIn(fresh, 700)[0]).toHaveLength(601)
    makeBlocks(fresh)
    expect(foundIn(new VectorStore(storage, options), 700)).toEqual(foundIn(withoutBlocks(storage), 700))
  })
})

test('storage of an earlier version is refused, with the way out', () => {
  const storage = sqliteStorage()
  storage.sql.exec('CREATE TABLE vectors (position INTEGER PRIMARY KEY, dense TEXT, dense_scale REAL)')
  expect(() => new VectorStore(storage)).toThrow('export it there with index:export')
})

test('after any writes and removals, and wherever making blocks breaks off: what is found is what the rows give', () => {
  const range = fc.tuple(fc.nat(1300), fc.integer({ min: 1, max: 700 }))
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('write' as const), range, version: fc.nat(3) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), range }) },
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant('blocks' as const), steps: fc.nat(6), write: fc.boolean() }),
    },
    { weight: 2, arbitrary: fc.constant({ kind: 'rest' as const }) },
    { weight: 2, arbitrary: fc.constant({ kind: 'search' as const }) },
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 10, size: 'max' }), (steps) => {
      const storage = sqliteStorage()
      let store = new VectorStore(storage, options)
      store.createNamespace('n')
      // In insertion order: a row that is replaced keeps its place.
      const rows = new Map<string, VectorRow>()
      const write = (ids: readonly string[], version: number): void => {
        const written = ids.map((id) => rowOf(id, version))
        store.upsert('n', written)
        for (const row of written) rows.set(row.id, row)
      }
      const check = (): void => {
        const best = new BoundedTop(12)
        const order = [...rows.values()]
        const prepared = prepareQuestion(question, 'COSINE')
        order.forEach((row, at) => best.offer(at, nearness(prepared, row.dense)))
        const [dense, sparse] = foundIn(store)
        expect(dense!.map(({ id }) => id)).toEqual(best.sorted().map(({ slot }) => order[slot]!.id))
        expect(sparse).toHaveLength(Math.min(12, order.length))
        const third = order.filter(({ id }) => Number(id.slice(1)) % 7 === 3)
        expect(sparse!.slice(0, third.length).every(({ id }) => Number(id.slice(1)) % 7 === 3)).toBe(true)
      }
      write(named(0, 900), 0)
      makeBlocks(store)
      for (const one of steps) {
        if (one.kind === 'write') write(named(one.range[0], one.range[0] + one.range[1]), one.version)
        else if (one.kind === 'remove') {
          const ids = named(one.range[0], one.range[0] + one.range[1])
          store.delete('n', ids)
          for (const id of ids) rows.delete(id)
        } else if (one.kind === 'search') check()
        else if (one.kind === 'rest') store = new VectorStore(storage, options)
        else {
          const making = store.makeBlocks('n')
          for (let at = 0; at < one.steps && making.next().done !== true; at++) {
            if (one.write) write(named(at * 400, at * 400 + 3), at)
          }
          // Broken off, it is gone on with by another object.
          if (one.steps < 6) store = new VectorStore(storage, options)
        }
      }
      check()
      store = new VectorStore(storage, options)
      check()
    }),
    { numRuns: 6 },
  )
})
