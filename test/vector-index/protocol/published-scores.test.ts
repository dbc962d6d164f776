/**
 * Scores that the service's own clients are tested with, to the last digit: three small indexes, the questions asked of
 * them, and what came back.
 */
import { beforeEach, describe, expect, test } from 'vitest'
import { testIndex, type TestIndex } from '../test-index.ts'

const ROWS = [
  { id: 'id0', vector: [0.1, 0.2], sparseVector: { indices: [0, 1], values: [0.1, 0.2] } },
  { id: 'id1', vector: [0.2, 0.3], sparseVector: { indices: [1, 2], values: [0.2, 0.3] } },
  { id: 'id2', vector: [0.3, 0.4], sparseVector: { indices: [2, 3], values: [0.3, 0.4] } },
]
const withoutDense = ROWS.map(({ id, sparseVector }) => ({ id, sparseVector }))
const withoutSparse = ROWS.map(({ id, vector }) => ({ id, vector }))

describe('scores of a hybrid index', () => {
  let tested: TestIndex
  beforeEach(() => {
    tested = testIndex({ dimension: 2 })
    tested.resultOf('upsert', ROWS)
  })

  test('are fused by reciprocal rank, counted from 0, over more rows than are returned', () => {
    const found = tested.resultOf('query', [
      { topK: 1, vector: [0.1, 0.1], sparseVector: { indices: [3, 4], values: [0.1, 0.2] }, fusionAlgorithm: 'RRF' },
      { topK: 1, vector: [0.5, 0.1], sparseVector: { indices: [0, 1], values: [0.5, 0.1] } },
    ])
    expect(found).toEqual([[{ id: 'id2', score: 0.033333335 }], [{ id: 'id0', score: 0.032795697 }]])
  })

  test('of a query with one part are the scores of that part, with every fusion', () => {
    const sparseVector = { indices: [2, 3], values: [0.5, 0.5] }
    expect(
      tested.resultOf('query', { topK: 1, sparseVector, weightingStrategy: 'IDF', fusionAlgorithm: 'DBSF' }),
    ).toEqual([{ id: 'id2', score: 0.26666638 }])
    expect(tested.resultOf('query', { topK: 3, vector: [0.1, 0.2] })).toMatchObject([{ id: 'id0', score: 1 }, {}, {}])
  })

  test('in batches are fused again from as many rows of each part as the batch has', () => {
    const query = {
      vector: [0.1, 0.1],
      sparseVector: { indices: [0], values: [0.1] },
      topK: 2,
      weightingStrategy: 'IDF',
      fusionAlgorithm: 'DBSF',
    }
    const { uuid, scores } = tested.resultOf('resumable-query', query) as { uuid: string; scores: unknown }
    expect(scores).toEqual([
      { id: 'id2', score: 0.617851 },
      { id: 'id0', score: 0.5 },
    ])
    expect(tested.resultOf('resumable-query-next', { uuid, additionalK: 1 })).toEqual([{ id: 'id1', score: 0.5 }])
  })
})

test('scores of a sparse index are weighted by idf', () => {
  const tested = testIndex({ indexType: 'SPARSE', sparseEmbeddingModel: null })
  tested.resultOf('upsert', withoutDense)
  const query = { sparseVector: { indices: [0, 1], values: [0.1, 0.2] }, topK: 1, weightingStrategy: 'IDF' }
  const { uuid, scores } = tested.resultOf('resumable-query', query) as { uuid: string; scores: unknown }
  expect(scores).toEqual([{ id: 'id0', score: 0.028608438 }])
  expect(tested.resultOf('resumable-query-next', { uuid, additionalK: 5 })).toEqual([{ id: 'id1', score: 0.018800145 }])
})

describe('scores of a dense index', () => {
  const scores = (similarityFunction: string, vector: number[], rows: readonly object[] = withoutSparse) => {
    const tested = testIndex({ indexType: 'DENSE', dimension: vector.length, similarityFunction })
    tested.resultOf('upsert', rows)
    const found = tested.resultOf('query', { vector, topK: 10 }) as { id: string; score: number }[]
    return Object.fromEntries(found.map(({ id, score }) => [id, score]))
  }
  const axes = [
    { id: 'same', vector: [1, 0] },
    { id: 'right angle', vector: [0, 1] },
    { id: 'opposite', vector: [-1, 0] },
    { id: 'halfway', vector: [0.6, 0.8] },
  ]

  test('by cosine are (1 + cosine) / 2', () => {
    expect(scores('COSINE', [1, 0], axes)).toEqual({ same: 1, 'right angle': 0.5, opposite: 0, halfway: 0.8 })
  })

  test('by distance are 1 / (1 + squared distance)', () => {
    expect(scores('EUCLIDEAN', [1, 0], axes)).toEqual({
      same: 1,
      'right angle': 0.33333334,
      opposite: 0.2,
      halfway: 0.5555556,
    })
  })

  test('by inner product are (1 + inner product) / 2', () => {
    expect(scores('DOT_PRODUCT', [1, 0], axes)).toEqual({ same: 1, 'right angle': 0.5, opposite: 0, halfway: 0.8 })
  })

  test('of a zero vector are missing with cosine, and present with distance and inner product', () => {
    expect(scores('COSINE', [0, 0], axes)).toEqual({})
    expect(scores('EUCLIDEAN', [0, 0], axes)).toEqual({ same: 0.5, 'right angle': 0.5, opposite: 0.5, halfway: 0.5 })
    expect(scores('DOT_PRODUCT', [0, 0], axes)).toMatchObject({ same: 0.5 })
  })
})

test('scores of equal texts under a model of the service are 1', () => {
  for (const embeddingModel of ['BGE_SMALL_EN_V1_5', 'BGE_BASE_EN_V1_5', 'BGE_LARGE_EN_V1_5', 'BGE_M3']) {
    const tested = testIndex({ indexType: 'DENSE', embeddingModel })
    tested.resultOf('upsert-data', [
      { id: 'a', data: 'testing-data, and more words than that' },
      { id: 'b', data: 'something else' },
    ])
    const [best] = tested.resultOf('query-data', {
      data: 'testing-data, and more words than that',
      topK: 1,
    }) as unknown[]
    expect(best).toEqual({ id: 'a', score: 1 })
  }
})

test('scores of equal texts without a word under a model of the service are 1', () => {
  const tested = testIndex({ indexType: 'DENSE', embeddingModel: 'BGE_SMALL_EN_V1_5' })
  const texts = ['😀', '!?', ' ', 'the', 'word'].map((data, id) => ({ id, data }))
  tested.resultOf('upsert-data', texts)
  for (const { id, data } of texts) {
    expect(tested.resultOf('query-data', { data, topK: 1 })).toEqual([{ id: String(id), score: 1 }])
  }
})

test('scores of equal texts in a hybrid index under a model of the service are 1, beside any other rows', () => {
  const tested = testIndex({ embeddingModel: 'BGE_M3', sparseEmbeddingModel: 'BM25' })
  const data = ['edge cache', 'edge gate', 'edge model cache'].map((text, id) => ({ id, data: text }))
  tested.resultOf('upsert-data', data)
  for (const row of data) {
    const query = { data: row.data, topK: 1, queryMode: 'DENSE' }
    expect(tested.resultOf('query-data', query)).toEqual([{ id: String(row.id), score: 1 }])
  }
})

test('scores by inner product are at most 1 for vectors stored in bytes', () => {
  const tested = testIndex({ indexType: 'DENSE', similarityFunction: 'DOT_PRODUCT' })
  const texts = Array.from({ length: 200 }, (_, id) => ({ id, data: `word${id} other${id * 7} third${id % 5}` }))
  tested.resultOf('upsert-data', texts)
  for (const { data } of texts) {
    const [best] = tested.resultOf('query-data', { data, topK: 1 }) as { score: number }[]
    expect(best!.score).toBeLessThanOrEqual(1)
    expect(best!.score).toBeGreaterThan(0.99)
  }
})

test('scores of sparse vectors beyond float32 are the largest float32, because JSON has no infinity', () => {
  const sparse = testIndex({ indexType: 'SPARSE', sparseEmbeddingModel: null })
  sparse.resultOf('upsert', { id: 'a', sparseVector: { indices: [1], values: [3e38] } })
  const query = { sparseVector: { indices: [1], values: [3e38] }, topK: 1 }
  expect(sparse.resultOf('query', query)).toEqual([{ id: 'a', score: 3.4028235e38 }])
})

test('of products beyond float32 that cancel out, the scores are those of float64', () => {
  const [values, asked] = [
    [3e38, 3e38],
    [3e38, -2e38],
  ]
  const sparse = testIndex({ indexType: 'SPARSE', sparseEmbeddingModel: null })
  sparse.resultOf('upsert', { id: 'a', sparseVector: { indices: [1, 2], values } })
  sparse.resultOf('upsert', { id: 'b', sparseVector: { indices: [1, 1, 2], values: [3e38, 3e38, 3e38] } })
  const scores = (indices: number[], values: number[]) =>
    sparse.resultOf('query', { sparseVector: { indices, values }, topK: 2 })
  const most = 3.4028235e38
  expect(scores([1, 2], asked)).toEqual([
    { id: 'b', score: most },
    { id: 'a', score: most },
  ])
  expect(scores([1], [0])).toEqual([
    { id: 'a', score: 0 },
    { id: 'b', score: 0 },
  ])
  const dense = testIndex({ indexType: 'DENSE', dimension: 2, similarityFunction: 'DOT_PRODUCT' })
  dense.resultOf('upsert', { id: 'a', vector: values })
  expect(dense.resultOf('query', { vector: asked, topK: 1 })).toEqual([{ id: 'a', score: 1 }])
})

test.each([
  ['DOT_PRODUCT', [3e38, 3e38], 1],
  ['DOT_PRODUCT', [-3e38, -3e38], 0],
  ['DOT_PRODUCT', [2, 2], 1],
  ['DOT_PRODUCT', [-1, -0.5], 0],
  ['COSINE', [0.1, 0.1], 1],
  ['EUCLIDEAN', [3e38, 3e38], 0],
])('scores of dense vectors are between 0 and 1: %s of %j', (similarityFunction, vector, score) => {
  const dense = testIndex({ indexType: 'DENSE', dimension: 2, similarityFunction })
  dense.resultOf('upsert', { id: 'a', vector: [0.7, 0.7] })
  expect(dense.resultOf('query', { vector, topK: 1 })).toEqual([{ id: 'a', score }])
})
