import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../../bench/seeded-random.ts'
import { termFrequencies } from '../../../packages/vector-index/src/embed/embedder.ts'
import { dimensionOf, passageVector, questionVector } from '../../../packages/vector-index/src/embed/bm25.ts'
import { blockRow, packed, unpacked } from '../../../packages/vector-index/src/search/block.ts'
import { idfs, searchSparse, type Weighting } from '../../../packages/vector-index/src/search/sparse.ts'
import { NO_DENSE, type SparseVector } from '../../../packages/vector-index/src/search/vectors.ts'
import { examples } from '../../properties.ts'

const passage = (text: string) => passageVector(termFrequencies(text))
const question = (text: string) => questionVector(termFrequencies(text))
const explicit = (indices: number[], values: number[]): SparseVector => ({
  indices: Int32Array.from(indices),
  values: Float32Array.from(values),
})

/** Sparse rows: those of even positions below ten in a block, which also has what three others were before. */
function rowsOf(...vectors: readonly SparseVector[]) {
  const there = new Map(vectors.map((vector, position) => [position, vector]))
  const rows = () => {
    const inBlock = (position: number) => position % 2 === 0 && position < 10
    const row = (position: number, sparse: SparseVector) => blockRow(position, { dense: NO_DENSE, sparse })
    const before = [1, 3, 5].map((position) => row(position, explicit([1, -1], [9, 9])))
    const rowsWhere = (isIn: boolean) =>
      [...there].filter(([position]) => inBlock(position) === isIn).map(([position, sparse]) => row(position, sparse))
    const block = { ...unpacked(packed([...before, ...rowsWhere(true)])), stale: new Set([1, 3, 5]) }
    return { blocks: [block, unpacked(packed(rowsWhere(false)))], count: there.size, hits: new Map() }
  }
  return {
    put: (position: number, vector: SparseVector) => there.set(position, vector),
    remove: (position: number) => there.delete(position),
    idf: (dimension: number) => idfs([dimension], rows()).get(dimension)!,
    search: (vector: SparseVector, topK: number, weighting: Weighting, isFound = (_position: number) => true) =>
      searchSparse(vector, rows(), { topK, weighting, isFound }),
  }
}

const textsOf = (...texts: readonly string[]) => rowsOf(...texts.map(passage))

test('a passage has the BM25 weight of each of its terms', () => {
  // Three terms, one of them twice: 2.2·f / (f + 1.2·(.25 + .75·4/32)).
  const { indices, values } = passage('gate gate evidence retry')
  const damping = 1.2 * (0.25 + (0.75 * 4) / 32)
  expect(indices[0]).toBe(dimensionOf('gate'))
  expect(values[0]).toBeCloseTo((2 * 2.2) / (2 + damping), 6)
  expect(values[1]).toBeCloseTo(2.2 / (1 + damping), 6)
})

test.each([
  ['is in one of four rows', 'one', Math.log(1 + 3.5 / 1.5)],
  ['is in every row', 'common', Math.log(1 + 0.5 / 4.5)],
  ['is in no row', 'absent', Math.log(1 + 4.5 / 0.5)],
])('the idf of a term that %s is as computed', (_name, term, expected) => {
  const rows = textsOf('common one', 'common two', 'common three', 'common four')
  expect(rows.idf(dimensionOf([...termFrequencies(term).keys()][0]!))).toBeCloseTo(expected, 12)
})

describe('search', () => {
  const rows = textsOf('cache answers by confidence', 'refuse weak evidence', 'cache cache evidence')

  test('omits rows without a shared term', () => {
    expect(rows.search(question('cache'), 10, 'IDF').map(({ position }) => position)).toEqual([2, 0])
  })

  test('finds nothing for unknown words or none', () => {
    expect(rows.search(question('kubernetes'), 10, 'IDF')).toEqual([])
    expect(rows.search(question('?!'), 10, 'IDF')).toEqual([])
  })

  test('weights by idf only on request', () => {
    const plain = rows.search(question('cache'), 1, 'none')[0]!.score
    const weighted = rows.search(question('cache'), 1, 'IDF')[0]!.score
    expect(weighted / plain).toBeCloseTo(Math.log(1 + 1.5 / 2.5), 6)
  })

  test('scores by the float32 inner product', () => {
    const rows = rowsOf(explicit([1, 2, -7], [0.1, 0.2, 0.3]))
    const [found] = rows.search(explicit([2, -7, 9], [0.5, 0.25, 4]), 1, 'none')
    expect(found!.score).toBe(Math.fround(Math.fround(0.5 * Math.fround(0.2)) + Math.fround(0.25 * Math.fround(0.3))))
  })

  test('sums a repeated dimension', () => {
    const rows = rowsOf(explicit([5, 5], [1, 2]))
    expect(rows.search(explicit([5], [1]), 1, 'none')).toEqual([{ position: 0, score: 3 }])
    rows.remove(0)
    expect(rows.search(explicit([5], [1]), 1, 'none')).toEqual([])
  })
})

test('dimensions with the same last bits are told apart', () => {
  const rows = rowsOf(explicit([1], [1]), explicit([65_537], [1]), explicit([-65_535], [1]))
  expect(rows.search(explicit([65_537], [2]), 3, 'none')).toEqual([{ position: 1, score: 2 }])
  expect(rows.search(explicit([1, -65_535], [2, 1]), 3, 'none').map(({ position }) => position)).toEqual([0, 2])
})

test('products beyond float32 are summed in float64', () => {
  const rows = rowsOf(explicit([1, 2], [3e38, 3e38]), explicit([1], [3e38]))
  const [first, second] = rows.search(explicit([1, 2], [3e38, -3e38]), 2, 'none')
  expect([first, second]).toMatchObject([{ position: 1 }, { position: 0, score: 0 }])
  expect(first!.score).toBeCloseTo(Math.fround(3e38) ** 2, -70)
})

test('a dimension is looked up once for all queries that share the cache', () => {
  const block = unpacked(packed([blockRow(6, { dense: NO_DENSE, sparse: explicit([5], [2]) })]))
  const hits = new Map()
  const options = { topK: 1, weighting: 'none', isFound: () => true } as const
  const search = (asked: SparseVector, blocks = [block]) => searchSparse(asked, { blocks, count: 1, hits }, options)
  const found = [{ position: 6, score: 4 }]
  expect(search(explicit([5, 7], [2, 1]))).toEqual(found)
  expect(search(explicit([5, 7], [2, 1]), [])).toEqual(found)
  expect(hits.get(7)).toEqual({ positions: [], values: [] })
  expect(search(explicit([5, 8], [2, 1]))).toEqual(found)
  expect(hits.get(5)).toEqual({ positions: [6], values: [2] })
})

test('a removed row is not counted', () => {
  const rows = textsOf('alpha beta', 'beta gamma', 'beta delta')
  const without = textsOf('alpha beta', 'beta gamma')
  rows.remove(2)
  for (const text of ['alpha', 'beta', 'gamma', 'delta']) {
    expect(rows.search(question(text), 5, 'IDF')).toEqual(without.search(question(text), 5, 'IDF'))
  }
})

test('a row written again keeps its place among ties', () => {
  const rows = textsOf('same words', 'same words', 'same words')
  rows.put(1, passage('same words'))
  expect(rows.search(question('words'), 3, 'none').map(({ position }) => position)).toEqual([0, 1, 2])
})

test('near-duplicates keep their order, and their scores fall', () => {
  const random = seededRandom(5)
  const indices = Int32Array.from({ length: 300 }, (_, at) => at)
  const asked = Float32Array.from(indices, () => random())
  const vectors = Array.from({ length: 400 }, () => ({
    indices,
    values: asked.map((value) => value * (1 + 1e-6 * (random() - 0.5))),
  }))
  const exact = vectors.map(({ values }, position) => ({
    position,
    near: values.reduce((sum, value, at) => sum + value * asked[at]!, 0),
  }))
  const found = rowsOf(...vectors).search({ indices, values: asked }, 20, 'none')
  const expected = exact.sort((a, b) => b.near - a.near).slice(0, 20)
  expect(found.map(({ position }) => position)).toEqual(expected.map(({ position }) => position))
  found.forEach(({ score }, at) => expect(score).toBeLessThanOrEqual(found[at - 1]?.score ?? Infinity))
})

/** Few dimensions and positions, so that they meet. */
const vector = fc
  .uniqueArray(
    fc.record({ dimension: fc.integer({ min: -6, max: 6 }), value: fc.float({ min: -4, max: 4, noNaN: true }) }),
    { maxLength: 8, selector: ({ dimension }) => dimension },
  )
  .map((entries) =>
    explicit(
      entries.map(({ dimension }) => dimension),
      entries.map(({ value }) => value),
    ),
  )

test('every row is scored alike within and outside blocks, and idf counts existing rows', () => {
  fc.assert(
    fc.property(fc.array(vector, { maxLength: 16 }), vector, fc.boolean(), (vectors, asked, weighted) => {
      const rows = rowsOf(...vectors)
      const valueIn = ({ indices, values }: SparseVector, dimension: number) => values[indices.indexOf(dimension)]
      const weights = Array.from(asked.indices, (dimension, at): [number, number] => {
        const holding = vectors.filter((row) => valueIn(row, dimension) !== undefined).length
        const idf = Math.log(1 + (vectors.length - holding + 0.5) / (holding + 0.5))
        expect(rows.idf(dimension)).toBe(idf)
        return [dimension, weighted ? Math.fround(asked.values[at]! * idf) : asked.values[at]!]
      })
      const isFound = (position: number) => position % 5 !== 1
      const expected = vectors
        .map((row, position) => ({ position, row }))
        .filter(({ row }) => weights.some(([dimension]) => valueIn(row, dimension) !== undefined))
        .map(({ position, row }) => ({
          position,
          score: weights.reduce((sum, [dimension, weight]) => {
            const value = valueIn(row, dimension)
            return value === undefined ? sum : sum + weight * value
          }, 0),
        }))
        .sort((a, b) => b.score - a.score || a.position - b.position)
        .filter(({ position }) => isFound(position))
        .slice(0, 6)
      const found = rows.search(asked, 6, weighted ? 'IDF' : 'none', isFound)
      expect(found.map(({ position }) => position)).toEqual(expected.map(({ position }) => position))
      found.forEach(({ score }, at) => expect(score).toBeCloseTo(expected[at]!.score, 3))
    }),
    { numRuns: examples(400) },
  )
})
