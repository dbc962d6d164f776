import { beforeEach, describe, expect, test } from 'vitest'
import { DIMENSION } from '../../../packages/vector-index/src/embed/embedder.ts'
import { testIndex, type TestIndex } from '../test-index.ts'

let tested: TestIndex

beforeEach(() => {
  tested = testIndex()
})

const resultOf: TestIndex['resultOf'] = (...command) => tested.resultOf(...command)
const failureOf: TestIndex['failureOf'] = (...command) => tested.failureOf(...command)

/** The vector along one axis. */
const unit = (at: number): number[] => Array.from({ length: DIMENSION }, (_, axis) => (axis === at ? 1 : 0))

const counts = (): number[] => {
  const { namespaces } = resultOf('info') as { namespaces: Record<string, { vectorCount: number }> }
  return Object.values(namespaces).map(({ vectorCount }) => vectorCount)
}

const TEXTS = [
  { id: 'gate', data: 'The gate refuses weak evidence.', metadata: { page: 1 } },
  { id: 'cache', data: 'The cache keeps strong answers longer.' },
  { id: 'log', data: 'Every decision of the gate is counted.' },
]

describe('query-data', () => {
  beforeEach(() => resultOf('upsert-data/docs', TEXTS))

  test('one query returns a flat list, also in a list of one, and several return a list of lists', () => {
    const query = { data: 'gate', topK: 1 }
    const [row] = resultOf('query-data/docs', query) as { id: string }[]
    expect(row).toMatchObject({ id: 'gate' })
    expect(resultOf('query-data/docs', [query])).toEqual([row])
    expect(resultOf('query-data/docs', [query, query])).toEqual([[row], [row]])
  })

  test.each([
    ['DENSE', 3],
    ['SPARSE', 2],
    ['HYBRID', 3],
    [undefined, 3],
  ])('in mode %s finds %i rows', (queryMode, count) => {
    expect(resultOf('query-data/docs', { data: 'gate', topK: 5, queryMode })).toHaveLength(count)
  })

  test('omits fields of a row that were not requested', () => {
    const rows = resultOf('query-data/docs', { data: 'gate evidence', topK: 1 }) as object[]
    expect(Object.keys(rows[0]!)).toEqual(['id', 'score'])
  })

  test('includes requested fields that exist', () => {
    const include = { includeData: true, includeMetadata: true, includeVectors: true }
    const [gate, cache] = ['gate evidence', 'cache answers'].map(
      (data) => (resultOf('query-data/docs', { data, topK: 1, ...include }) as Record<string, unknown>[])[0]!,
    )
    expect(gate).toMatchObject({ id: 'gate', data: TEXTS[0]!.data, metadata: { page: 1 } })
    expect(gate!['vector']).toHaveLength(DIMENSION)
    expect(cache).not.toHaveProperty('metadata')
  })

  test('the best row of both parts has the sum of two first ranks', () => {
    const [best] = resultOf('query-data/docs', { data: 'weak evidence', topK: 1 }) as { score: number }[]
    expect(best!.score).toBe(0.033333335)
  })

  test('returns nothing for a namespace that does not exist', () => {
    expect(resultOf('query-data/nowhere', { data: 'gate', topK: 3 })).toEqual([])
    expect(resultOf('list-namespaces')).toEqual(['', 'docs'])
  })

  test.each([
    ['a filter that is no text', { data: 'x', topK: 1, filter: { page: 1 } }, '422 filter must be a string'],
    ['a filter in brackets', { data: 'x', topK: 1, filter: 'page IN [1]' }, '422 Invalid filter. At line 1:8 token'],
    ['topK of 0', { data: 'x', topK: 0 }, '422 topK'],
    ['topK of 1001', { data: 'x', topK: 1001 }, '422 topK'],
    ['topK that is no number', { data: 'x', topK: '5' }, '422 topK'],
    ['no text', { topK: 1 }, '422 data'],
    ['a number for text', { data: 5, topK: 1 }, '422 data'],
    ['an unknown mode', { data: 'x', topK: 1, queryMode: 'dense' }, '422 queryMode'],
    ['an unknown weighting', { data: 'x', topK: 1, weightingStrategy: 'BM25' }, '422 weightingStrategy'],
    ['an unknown fusion', { data: 'x', topK: 1, fusionAlgorithm: 'SUM' }, '422 fusionAlgorithm'],
    ['a flag that is no boolean', { data: 'x', topK: 1, includeData: 1 }, '422 includeData'],
    ['no query at all', [], '422 Between'],
    ['null', null, '422 Every item'],
    ['a list in a list', [[{ data: 'x' }]], '422 Every item'],
  ])('rejects %s', (_name, body, message) => {
    expect(failureOf('query-data/docs', body)).toContain(message)
  })
})

describe('explicit vectors', () => {
  const sparseVector = { indices: [3, -4], values: [0.5, 0.1] }

  test('are returned as they were written', () => {
    resultOf('upsert', { id: 1, vector: unit(0).map((x) => x * 0.1), sparseVector, data: 'beside' })
    const [row] = resultOf('fetch', { ids: [1], includeVectors: true, includeData: true }) as Record<string, unknown>[]
    expect(row).toEqual({ id: '1', vector: unit(0).map((x) => x * 0.1), sparseVector, data: 'beside' })
  })

  test('are searched by the given part, without fusion', () => {
    resultOf(
      'upsert',
      [0, 1].map((at) => ({ id: at, vector: unit(at), sparseVector: { indices: [at], values: [2] } })),
    )
    expect(resultOf('query', { vector: unit(1), topK: 2 })).toEqual([
      { id: '1', score: 1 },
      { id: '0', score: 0.5 },
    ])
    expect(resultOf('query', { sparseVector: { indices: [0], values: [0.3] }, topK: 2 })).toEqual([
      { id: '0', score: 0.6 },
    ])
  })

  test.each([
    ['another dimension', { id: 'a', vector: [1, 2], sparseVector }, '422 Invalid vector dimension: 2, expected: 1024'],
    ['no dense part', { id: 'a', sparseVector }, '422 This index requires dense vectors'],
    ['no sparse part', { id: 'a', vector: unit(0) }, '422 This index requires sparse vectors'],
    ['an infinite number', { id: 'a', vector: unit(0).with(0, Infinity), sparseVector }, '422 vector'],
    ['a number beyond float32', { id: 'a', vector: unit(0).with(0, 1e300), sparseVector }, '422 vector'],
    [
      'fractions for indices',
      { id: 'a', vector: unit(0), sparseVector: { indices: [0.5], values: [1] } },
      '422 sparse',
    ],
    [
      'lists of unequal length',
      { id: 'a', vector: unit(0), sparseVector: { indices: [1, 2], values: [1] } },
      '422 sparse',
    ],
  ])('rejects %s', (_name, body, message) => {
    expect(failureOf('upsert', body)).toContain(message)
    expect(failureOf('upsert', [{ id: 'good', vector: unit(0), sparseVector }, body])).toContain(message)
    expect(resultOf('info')).toMatchObject({ vectorCount: 0 })
  })
})

describe('upsert-data', () => {
  test.each([
    ['no id', { data: 'x' }, '422 id'],
    ['an empty id', { id: '', data: 'x' }, '422 id'],
    ['an id with half a surrogate pair', { id: 'a\ud800', data: 'x' }, '422 id'],
    ['an id with a NUL', { id: 'a\0b', data: 'x' }, '422 id'],
    ['no data', { id: 'a' }, '422 data'],
    ['data with half a surrogate pair', { id: 'a', data: '\udfff' }, '422 data'],
    ['data over a megabyte', { id: 'a', data: 'é'.repeat(600_000) }, '422 data'],
    ['metadata that is a list', { id: 'a', data: 'x', metadata: ['page'] }, '422 metadata'],
    ['metadata over 48 KB', { id: 'a', data: 'x', metadata: { a: 'x'.repeat(50_000) } }, '422 metadata'],
    // SQLite would read the name as `a`, in filters and when merging.
    ['a name with NUL in metadata', { id: 'a', data: 'x', metadata: { b: [{ 'a\0b': 1 }] } }, '422 metadata'],
    [
      'metadata nested deeply',
      { id: 'a', data: 'x', metadata: JSON.parse('{"a":'.repeat(5000) + '1' + '}'.repeat(5000)) },
      '422 metadata',
    ],
    ['1,001 items', Array.from({ length: 1001 }, (_, at) => ({ id: at, data: 'x' })), '422 Between'],
  ])('rejects %s', (_name, body, message) => {
    expect(failureOf('upsert-data', body)).toContain(message)
    expect(resultOf('info')).toMatchObject({ vectorCount: 0 })
  })

  test.each(['__proto__', 'constructor', 'ns/with/slashes', '🦀 crab', "'; DROP TABLE vectors; --", '%'])(
    'accepts %j as an id',
    (id) => {
      resultOf('upsert-data', { id, data: 'x', metadata: JSON.parse('{"__proto__": {"polluted": true}}') as object })
      const [row] = resultOf('fetch', { ids: [id], includeMetadata: true }) as { id: string; metadata: object }[]
      expect(row!.id).toBe(id)
      expect(JSON.stringify(row!.metadata)).toBe('{"__proto__":{"polluted":true}}')
      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
    },
  )

  test('stores a text with a NUL character unchanged', () => {
    resultOf('upsert-data', { id: 'a', data: 'before\0after' })
    expect(resultOf('fetch', { ids: ['a'], includeData: true })).toEqual([{ id: 'a', data: 'before\0after' }])
  })
})

describe('fetch, range and delete', () => {
  beforeEach(() =>
    resultOf(
      'upsert-data',
      ['b1', 'a1', 'b2', 'c1', 'b3'].map((id) => ({ id, data: `text ${id}` })),
    ),
  )

  test('fetch keeps the order of ids, with null for missing ones', () => {
    expect(resultOf('fetch', { ids: ['c1', 'x', 'a1', 'c1'] })).toEqual([
      { id: 'c1' },
      null,
      { id: 'a1' },
      { id: 'c1' },
    ])
  })

  test('fetch can select by prefix', () => {
    expect(resultOf('fetch', { prefix: 'b' })).toEqual([{ id: 'b1' }, { id: 'b2' }, { id: 'b3' }])
    expect(failureOf('fetch', { prefix: 'b', ids: ['a1'] })).toBe('422 Only one of ids or prefix must be provided.')
  })

  test('range returns rows in insertion order, without an empty last page', () => {
    const first = resultOf('range', { cursor: '', limit: 3 })
    expect(first).toEqual({ nextCursor: '3', vectors: [{ id: 'b1' }, { id: 'a1' }, { id: 'b2' }] })
    expect(resultOf('range', { cursor: '3', limit: 2 })).toEqual({
      nextCursor: '',
      vectors: [{ id: 'c1' }, { id: 'b3' }],
    })
    expect(resultOf('range', { cursor: 0, limit: 5, prefix: 'c' })).toEqual({ nextCursor: '', vectors: [{ id: 'c1' }] })
    expect(failureOf('range', { cursor: 0, limit: 0 })).toContain('422 limit')
    expect(failureOf('range', { cursor: '-1', limit: 1 })).toContain('422 cursor')
  })

  test.each([
    [{ ids: ['a1', 'x', 'a1'] }, 1],
    [['b1', 'b2'], 2],
    [{ prefix: 'b' }, 3],
    [{ prefix: '_' }, 0],
    [{ ids: ['a1'], prefix: '', filter: '' }, 1],
  ])('delete %j removes %i', (body, deleted) => {
    expect(resultOf('delete', body)).toEqual({ deleted })
    expect(resultOf('info')).toMatchObject({ vectorCount: 5 - deleted })
  })

  test.each([[{}], [{ ids: ['a1'], prefix: 'b' }], [{ prefix: '' }], [{ filter: '' }]])(
    'delete %j is rejected, and removes nothing',
    (body) => {
      expect(failureOf('delete', body)).toBe('422 Only and only one of the ids, prefix, or filter must be provided.')
      expect(resultOf('info')).toMatchObject({ vectorCount: 5 })
    },
  )

  test.each([
    [' ', "422 Invalid filter. At line 1:1 mismatched input '<EOF>'"],
    ['a = ', "422 Invalid filter. At line 1:4 mismatched input '<EOF>'"],
    [1, '422 filter must be a string'],
  ])('delete with the filter %j is rejected, and removes nothing', (filter, message) => {
    expect(failureOf('delete', { filter })).toContain(message)
    expect(resultOf('info')).toMatchObject({ vectorCount: 5 })
  })
})

describe('namespaces', () => {
  test.each([
    ['upsert-data/a%20b', 'a b'],
    ['upsert-data/a/b', 'a/b'],
    ['upsert-data/a%2Fb', 'a/b'],
    ['upsert-data/100%', '100%'],
    ['upsert-data/', ''],
  ])('%s writes to %j', (path, namespace) => {
    resultOf(path, { id: 'a', data: 'x' })
    expect(resultOf('info')).toMatchObject({ namespaces: { [namespace]: { vectorCount: 1, pendingVectorCount: 0 } } })
  })

  test('reset empties one and keeps it, and reset?all empties all', () => {
    for (const name of ['', '/one', '/two']) resultOf(`upsert-data${name}`, { id: 'a', data: 'x' })
    expect(resultOf('reset/one', [])).toBe('Success')
    expect(counts()).toEqual([1, 0, 1])
    expect(resultOf('reset/one?all=false', [])).toBe('Success')
    expect(counts()).toEqual([1, 0, 1])
    expect(resultOf('reset?all', [])).toBe('Success')
    expect(counts()).toEqual([0, 0, 0])
  })

  test('one can be deleted, but not the default one', () => {
    resultOf('upsert-data/one', { id: 'a', data: 'x' })
    expect(resultOf('delete-namespace/one', [])).toBe('Success')
    expect(resultOf('list-namespaces', [])).toEqual([''])
    expect(failureOf('delete-namespace/one', [])).toContain('404 Namespace one')
    expect(failureOf('delete-namespace', [])).toContain('422')
  })
})

test('info describes a hybrid index with its embedding model', () => {
  expect(resultOf('info', undefined, 'GET')).toEqual({
    capacity: { memoryBytesPerNamespace: 88 * 1024 * 1024, namespaces: { '': { memoryBytes: 0 } } },
    vectorCount: 0,
    pendingVectorCount: 0,
    indexSize: expect.any(Number),
    dimension: DIMENSION,
    similarityFunction: 'COSINE',
    indexType: 'HYBRID',
    denseIndex: { dimension: DIMENSION, similarityFunction: 'COSINE', embeddingModel: 'hashed-words-trigrams-1024' },
    sparseIndex: { embeddingModel: 'BM25' },
    namespaces: { '': { vectorCount: 0, pendingVectorCount: 0 } },
  })
})

test.each([
  ['', 'POST', '400 Unsupported command'],
  ['favicon.ico', 'GET', '400 Unsupported command'],
  ['query', 'GET', '405 Method Not Allowed'],
  ['upsert', 'PATCH', '405 Method Not Allowed'],
  ['upsert', 'HEAD', '405 Method Not Allowed'],
  ['update', 'GET', '405 Method Not Allowed'],
  ['resumable-query-next', 'DELETE', '405 Method Not Allowed'],
])('/%s by %s answers %s', (path, method, message) => {
  expect(failureOf(path, {}, method)).toBe(message)
})

test('PUT works like POST, and HEAD like GET', () => {
  expect(resultOf('upsert-data', { id: 'a', data: 'x' }, 'PUT')).toBe('Success')
  expect(resultOf('range', { limit: 1 }, 'HEAD')).toEqual({ nextCursor: '', vectors: [{ id: 'a' }] })
})
