/** Blocks are made, broken off and made again; what is found is what the rows themselves give. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BLOCK_BYTES } from '../../../packages/vector-index/src/search/block.ts'
import { BoundedTop } from '../../../packages/vector-index/src/search/best.ts'
import { searchDense } from '../../../packages/vector-index/src/search/dense.ts'
import { nearness, prepareQuestion } from '../../../packages/vector-index/src/search/similarity.ts'
import { searchSparse } from '../../../packages/vector-index/src/search/sparse.ts'
import type { IndexStorage, SqlRow, SqlValue } from '../../../packages/vector-index/src/store/schema.ts'
import { VectorStore } from '../../../packages/vector-index/src/store/store.ts'
import type { VectorRow } from '../../../packages/vector-index/src/store/vector-row.ts'
import { loadKernel } from '../../../scripts/load-kernel.ts'
import { sqliteStorage } from '../sqlite-storage.ts'
import { examples } from '../../properties.ts'

const DIMENSION = 3
/** Sparse entries that make a block full with some 160 rows. */
const ENTRIES = 400
const ROWS_A_BLOCK = Math.ceil(BLOCK_BYTES / (28 + 16 + 8 * ENTRIES))

const rowOf = (id: string, version = 0): VectorRow => ({
  id,
  dense: Float32Array.from({ length: DIMENSION }, (_, at) => Math.sin(Number(id.slice(1)) * 7 + version + at)),
  sparse: {
    indices: Int32Array.from({ length: ENTRIES }, (_, at) => (at === 0 ? Number(id.slice(1)) % 7 : -at)),
    values: new Float32Array(ENTRIES).fill(1 + version),
  },
})
const named = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `r${from + at}`)
const question = Float32Array.of(1, -2, 0.5)
const asked = { indices: Int32Array.of(3, -1), values: Float32Array.of(1, 1) }
const kernel = loadKernel()

/** Ids that both searches find, best first. */
function foundIn(store: VectorStore, topK = 12): readonly (readonly string[])[] {
  const searched = store.searchable()
  const dense = searchDense(question, {
    ...searched,
    similarity: 'COSINE',
    topK,
    isFound: () => true,
    read: (positions) => store.denseAt(positions),
    kernel,
  })
  const sparse = searchSparse(asked, searched, { topK, weighting: 'IDF', isFound: () => true })
  return [dense, sparse].map((ranking) => {
    const ids = new Map(Array.from(store.at(ranking.map(({ position }) => position)), (row) => [row.position, row.id]))
    return ranking.map(({ position }) => ids.get(position)!)
  })
}

const write = (store: VectorStore, ids: readonly string[], version = 0) =>
  store.upsert(
    'n',
    ids.map((id) => rowOf(id, version)),
  )

const blocksIn = ({ sql }: IndexStorage) => Number(sql.exec('SELECT count(*) AS n FROM blocks').toArray()[0]!['n'])

/** What is found without blocks. */
function expected(rows: ReadonlyMap<string, VectorRow>, topK = 12): readonly (readonly string[])[] {
  const order = [...rows.values()]
  const rank = (scoreOf: (row: VectorRow) => number): readonly string[] => {
    const best = new BoundedTop(topK)
    order.forEach((row, at) => best.offer(at, scoreOf(row)))
    return best.sorted().map(({ position }) => order[position]!.id)
  }
  const third = order.filter(({ sparse }) => sparse.indices[0] === 3).length
  const [ofThird, ofAll] = [third, order.length].map((n) => Math.log(1 + (order.length - n + 0.5) / (n + 0.5)))
  const prepared = prepareQuestion(question, 'COSINE')
  return [
    rank((row) => nearness(prepared, row.dense)),
    rank(
      ({ sparse: { indices, values } }) =>
        values[0]! * ((indices[0] === 3 ? Math.fround(ofThird!) : 0) + Math.fround(ofAll!)),
    ),
  ]
}

const rowsOf = (ids: readonly string[]) => new Map(ids.map((id) => [id, rowOf(id)]))

describe('blocks of rows', () => {
  test('are built once there are enough rows, and are searched after a restart', () => {
    const storage = sqliteStorage()
    const store = new VectorStore(storage)
    write(store, named(0, 255))
    expect(blocksIn(storage)).toBe(0)
    write(store, named(255, 256))
    expect(blocksIn(storage)).toBe(Math.ceil(256 / ROWS_A_BLOCK))
    write(store, named(256, 1000))
    expect(blocksIn(storage)).toBe(Math.ceil(1000 / ROWS_A_BLOCK))
    expect(foundIn(store)).toEqual(expected(rowsOf(named(0, 1000))))
    // Without the sparse vectors of the rows the search finds no less: it is blocks that are read.
    storage.sql.exec(`UPDATE vectors SET sparse = NULL`)
    expect(foundIn(new VectorStore(storage))).toEqual(foundIn(store))
  })

  test('are rebuilt only for changed rows', () => {
    const storage = sqliteStorage()
    const store = new VectorStore(storage)
    write(store, named(0, 1000))
    storage.sql.exec(`CREATE TABLE made (first INTEGER)`)
    storage.sql.exec(`CREATE TRIGGER seen AFTER INSERT ON blocks BEGIN INSERT INTO made VALUES (NEW.first); END`)
    write(store, named(ROWS_A_BLOCK, ROWS_A_BLOCK + 300), 1)
    const made = [1, 2].map((block) => ({ first: block * ROWS_A_BLOCK + 1 }))
    expect(storage.sql.exec('SELECT * FROM made').toArray()).toEqual(made)
  })

  test('are rebuilt one after another, so that they do not fill the memory twice', () => {
    const storage = sqliteStorage()
    const store = new VectorStore(storage)
    write(store, named(0, 2000))
    store.searchable()
    const before = blocksIn(storage)
    storage.sql.exec(`CREATE TABLE left (blocks INTEGER)`)
    storage.sql.exec(
      `CREATE TRIGGER taken AFTER DELETE ON blocks BEGIN INSERT INTO left SELECT count(*) FROM blocks; END`,
    )
    const spread = named(0, 2000).filter((_id, at) => at % 6 === 0)
    write(store, spread, 1)
    const [{ least } = {}] = storage.sql.exec('SELECT min(blocks) AS least FROM left').toArray()
    expect(before).toBeGreaterThan(10)
    expect(least).toBe(before - 1)
    const rows = rowsOf(named(0, 2000))
    expect(foundIn(store)).toEqual(expected(new Map([...rows, ...spread.map((id) => [id, rowOf(id, 1)] as const)])))
  })

  test('are merged when most of their rows are deleted', () => {
    const storage = sqliteStorage()
    const store = new VectorStore(storage)
    write(store, named(0, 1500))
    const before = blocksIn(storage)
    store.delete(named(0, 1500).filter((_id, at) => at % 10 !== 0))
    expect(before).toBeGreaterThan(8)
    expect(blocksIn(storage)).toBeLessThanOrEqual(2)
    const left = named(0, 1500).filter((_id, at) => at % 10 === 0)
    for (const reading of [store, new VectorStore(storage)]) expect(foundIn(reading)).toEqual(expected(rowsOf(left)))
    write(store, ['r9000'])
    expect(foundIn(store, 700)[0]).toHaveLength(151)
  })

  test('leave the rest of a block to the next one, also if that did not change', () => {
    const storage = sqliteStorage()
    const store = new VectorStore(storage)
    write(store, named(0, 1000))
    const before = blocksIn(storage)
    write(store, named(900, 1000), 1)
    store.delete(named(0, 156))
    expect(blocksIn(storage)).toBe(before - 1)
    const left = new Map(named(156, 1000).map((id, at) => [id, rowOf(id, at < 744 ? 0 : 1)]))
    for (const reading of [store, new VectorStore(storage)]) expect(foundIn(reading, 844)).toEqual(expected(left, 844))
    // Each row is in the block of its place: the next change finds it there.
    write(store, named(700, 1000), 2)
    for (const id of named(700, 1000)) left.set(id, rowOf(id, 2))
    for (const reading of [store, new VectorStore(storage)]) expect(foundIn(reading, 900)).toEqual(expected(left, 900))
  })

  test('do not hide what was written and deleted since', () => {
    const store = new VectorStore(sqliteStorage())
    write(store, named(0, 1000))
    const rows = rowsOf(named(0, 1000))
    expect(foundIn(store)).toEqual(expected(rows))
    const [[best] = []] = expected(rows)
    store.delete([best!])
    rows.delete(best!)
    write(store, named(100, 110), 2)
    for (const id of named(100, 110)) rows.set(id, rowOf(id, 2))
    expect(foundIn(store, 999)).toEqual(expected(rows, 999))
  })

  test('are loaded in steps, once', () => {
    const storage = sqliteStorage()
    write(new VectorStore(storage), named(0, 3000))
    const store = new VectorStore(storage)
    expect(store.isLoaded).toBe(false)
    expect(Array.from(store.load())).toHaveLength(Math.floor(blocksIn(storage) / 8))
    expect(store.isLoaded).toBe(true)
    expect(Array.from(store.load())).toEqual([])
  })

  test('are deleted with the rows', () => {
    const storage = sqliteStorage()
    const store = new VectorStore(storage)
    write(store, named(0, 600))
    store.reset()
    expect(blocksIn(storage)).toBe(0)
    write(store, ['r1'])
    expect(foundIn(new VectorStore(storage), 5)).toEqual([['r1'], ['r1']])
  })
})

test('after any writes, deletions and failures while building blocks, a search finds what the rows contain', () => {
  const range = fc.tuple(fc.nat(900), fc.integer({ min: 1, max: 400 }))
  const step = fc.record({
    kind: fc.constantFrom('write', 'remove', 'rest', 'search', 'break off'),
    range,
    version: fc.nat(5),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 6, size: 'max' }), (steps) => {
      const storage = sqliteStorage()
      let breaks = false
      const broken: IndexStorage = {
        ...storage,
        sql: {
          databaseSize: 0,
          exec<Row extends SqlRow>(query: string, ...bindings: SqlValue[]) {
            if (breaks && query.startsWith('INSERT INTO blocks')) throw new Error('broken off')
            return storage.sql.exec<Row>(query, ...bindings)
          },
        },
      }
      let store = new VectorStore(broken)
      // In insertion order: a row that is replaced keeps its place.
      const rows = new Map<string, VectorRow>()
      const put = (ids: readonly string[], version: number) => {
        for (const id of ids) rows.set(id, rowOf(id, version))
        try {
          write(store, ids, version)
        } catch {
          // The rows stand, and blocks are made of them later.
        }
      }
      put(named(0, 500), 0)
      for (const { kind, range, version } of steps) {
        const ids = named(range[0], range[0] + range[1])
        breaks = kind === 'break off'
        if (kind === 'write' || breaks) put(ids, version)
        else if (kind === 'remove') {
          store.delete(ids)
          for (const id of ids) rows.delete(id)
        } else if (kind === 'rest') store = new VectorStore(broken)
        else expect(foundIn(store)).toEqual(expected(rows))
      }
      expect(foundIn(store)).toEqual(expected(rows))
      expect(foundIn(new VectorStore(storage))).toEqual(expected(rows))
      expect(store.counts().vectorCount).toBe(rows.size)
    }),
    { numRuns: examples(5) },
  )
})
