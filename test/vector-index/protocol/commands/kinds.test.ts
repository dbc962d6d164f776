import { describe, expect, test } from 'vitest'
import { testIndex } from '../../test-index.ts'

const sparseVector = { indices: [1, 1, -7], values: [1, 2, 0.1] }
const everything = { includeVectors: true, includeMetadata: true, includeData: true }

/** A row of each kind, and the parts of it that are vectors. */
const KINDS = [
  ['DENSE', { indexType: 'DENSE', dimension: 2 }, { vector: [0.1, 0.2] }],
  ['SPARSE', { indexType: 'SPARSE', sparseEmbeddingModel: null }, { sparseVector }],
  ['HYBRID', { indexType: 'HYBRID', dimension: 2 }, { vector: [0.1, 0.2], sparseVector }],
] as const

describe.each(KINDS)('a %s index without models', (kind, settings, vectors) => {
  const row = { id: 'a', ...vectors, metadata: { b: 1 }, data: 'text' }

  test('returns what was written, by every command that reads', () => {
    const tested = testIndex(settings)
    tested.resultOf('upsert', row)
    expect(tested.resultOf('fetch', { ids: ['a'], ...everything })).toEqual([row])
    expect(tested.resultOf('fetch', { prefix: '', ...everything })).toEqual([row])
    expect(tested.resultOf('range', { cursor: 0, limit: 1, ...everything })).toEqual({ nextCursor: '', vectors: [row] })
    expect(tested.resultOf('random')).toEqual({ id: 'a', ...vectors })
    const found = tested.resultOf('query', { ...vectors, topK: 1, ...everything })
    expect(found).toEqual([{ ...row, score: expect.any(Number) }])
    tested.restart()
    expect(tested.resultOf('query', { ...vectors, topK: 1, ...everything })).toEqual(found)
  })

  test('stores a new text beside the vectors, and keeps the vectors', () => {
    const tested = testIndex(settings)
    tested.resultOf('upsert', row)
    expect(tested.resultOf('update', { id: 'a', data: 'other' })).toEqual({ updated: 1 })
    expect(tested.resultOf('fetch', { ids: ['a'], ...everything })).toEqual([{ ...row, data: 'other' }])
  })

  test('describes itself', () => {
    const info = testIndex(settings).resultOf('info', []) as Record<string, unknown>
    expect(info).toMatchObject({ indexType: kind, pendingVectorCount: 0 })
    expect([info['dimension'], info['similarityFunction']]).toEqual(kind === 'SPARSE' ? [0, ''] : [2, 'COSINE'])
    const dense = { dimension: 2, similarityFunction: 'COSINE', embeddingModel: '' }
    expect(info['denseIndex']).toEqual(kind === 'SPARSE' ? undefined : dense)
    expect(info['sparseIndex']).toEqual(kind === 'DENSE' ? undefined : { embeddingModel: '' })
  })
})

describe.each([
  ['DENSE', { indexType: 'DENSE', embeddingModel: 'BGE_SMALL_EN_V1_5' }],
  ['SPARSE', { indexType: 'SPARSE' }],
  ['HYBRID', { embeddingModel: 'BGE_BASE_EN_V1_5', sparseEmbeddingModel: 'BM25' }],
])('a %s index with models', (kind, settings) => {
  const texts = [
    { id: '1', data: 'The capital of Japan is Tokyo' },
    { id: '2', data: 'The capital of France is Paris', metadata: { country: 'FR' } },
    { id: '3', data: 'The capital of Germany is Berlin' },
  ]

  test('finds texts by texts', () => {
    const tested = testIndex(settings)
    expect(tested.resultOf('upsert-data/ns', texts)).toBe('Success')
    const query = { data: 'What is the capital of France?', topK: 1, includeMetadata: true, includeData: true }
    expect(tested.resultOf('query-data/ns', query)).toMatchObject([texts[1]!])
  })

  test('embeds a changed text again', () => {
    const tested = testIndex(settings)
    tested.resultOf('upsert-data', texts)
    const before = tested.resultOf('fetch', { ids: ['1'], ...everything }) as object[]
    expect(tested.resultOf('update', { id: '1', data: 'A bridge in Lisbon' })).toEqual({ updated: 1 })
    const [after] = tested.resultOf('fetch', { ids: ['1'], ...everything }) as object[]
    expect(after).toMatchObject({ id: '1', data: 'A bridge in Lisbon' })
    for (const part of ['vector', 'sparseVector'].filter((name) => name in before[0]!)) {
      expect(after).toHaveProperty(part)
      expect(after).not.toHaveProperty(part, (before[0] as Record<string, unknown>)[part])
    }
    expect(tested.resultOf('query-data', { data: 'Lisbon', topK: 1 })).toMatchObject([{ id: '1' }])
  })

  test('rejects a missing text', () => {
    const tested = testIndex(settings)
    expect(tested.failureOf('upsert-data', { id: 'a' })).toContain('422 data is required')
    expect(tested.failureOf('upsert-data', [texts[0], { id: 'b', vector: [1, 2] }])).toContain('422 data is required')
    expect(tested.failureOf('query-data', { data: null, topK: 1 })).toContain('422 data is required')
  })

  test('searches its dense, sparse or both parts', () => {
    const tested = testIndex(settings)
    tested.resultOf('upsert-data', texts)
    for (const queryMode of ['DENSE', 'SPARSE', 'HYBRID']) {
      const query = { data: 'Paris', topK: 1, queryMode }
      if (kind === 'HYBRID' || queryMode === 'HYBRID' || queryMode === kind) {
        expect(tested.resultOf('query-data', query)).toMatchObject([{ id: '2' }])
      } else {
        expect(tested.failureOf('query-data', query)).toContain('422 This index requires')
      }
    }
  })
})

describe('an index that was filled', () => {
  const row = { id: 'a', vector: [1, 2] }

  test.each([
    ['BM25', null, 'SPARSE, sparse BM25, not for SPARSE, sparse no model'],
    [null, 'BM25', 'SPARSE, sparse no model, not for SPARSE, sparse BM25'],
  ])('with the model %s cannot be opened with %s', (sparseEmbeddingModel, other, difference) => {
    const settings = { indexType: 'SPARSE', sparseEmbeddingModel }
    const tested = testIndex(settings)
    tested.resultOf('upsert', { id: 'a', sparseVector: { indices: [1], values: [1] } })
    expect(() => tested.restart({ ...settings, sparseEmbeddingModel: other })).toThrow(
      `The index "default" holds vectors made for ${difference}. ` +
        'Configure what it was made for, or give the new settings another name.',
    )
  })

  test.each([
    ['dimension', { indexType: 'DENSE', dimension: 3 }],
    ['similarity', { indexType: 'DENSE', dimension: 2, similarityFunction: 'EUCLIDEAN' }],
    ['kind', { indexType: 'HYBRID', dimension: 2 }],
  ])('cannot be opened with another %s', (_name, settings) => {
    const tested = testIndex({ indexType: 'DENSE', dimension: 2 })
    tested.resultOf('upsert', row)
    expect(() => tested.restart(settings)).toThrow('holds vectors made for DENSE, 2 COSINE no model')
    tested.restart({ indexType: 'DENSE', dimension: 2 })
    tested.resultOf('reset', [])
    tested.restart(settings)
    expect(tested.resultOf('info')).toMatchObject({ vectorCount: 0 })
  })
})
