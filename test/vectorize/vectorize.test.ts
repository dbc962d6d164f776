import { describe, expect, test } from 'vitest'
import {
  createVectorizeChunkIndex,
  createVectorizeRetriever,
  type VectorizeBinding,
  type VectorizeMetric,
  type VectorizeRetrieverOptions,
} from '../../packages/vectorize/src/index.ts'
import type { Passage } from '../../src/core/evidence/chunk.ts'
import type { PassageFilter } from '../../src/core/evidence/passage-filter.ts'
import type { ChunkTexts } from '../../src/ports/chunk-texts.ts'
import type { Embedder } from '../../src/ports/embedder.ts'
import { retrieverContract } from '../contracts/retriever.ts'
import { hashedEmbedder } from '../fixtures/hashed-embedder.ts'
import { fakeVectorize } from '../fixtures/vectorize.ts'

const EMBEDDER = hashedEmbedder()
const DIMENSIONS = EMBEDDER.dimension

/** Keeps passages in a Map. */
function mapOfTexts(): ChunkTexts {
  const kept = new Map<string, Passage>()
  return {
    put: async (namespace, passages) => passages.forEach((passage) => kept.set(`${namespace}/${passage.id}`, passage)),
    get: async (namespace, ids) => ids.map((id) => kept.get(`${namespace}/${id}`) ?? null),
    delete: async (namespace, ids) => ids.forEach((id) => kept.delete(`${namespace}/${id}`)),
  }
}

function over(
  given: { metric?: VectorizeMetric; scores?: 'exact' | 'approximate'; texts?: ChunkTexts; seenAfter?: number } = {},
) {
  const { metric = 'cosine', scores = 'exact', texts, seenAfter } = given
  const index = fakeVectorize({ dimensions: DIMENSIONS, metric, ...(seenAfter === undefined ? {} : { seenAfter }) })
  const shared = { index, embedder: EMBEDDER, ...(texts === undefined ? {} : { texts }) }
  return {
    fake: index,
    retriever: createVectorizeRetriever({
      ...shared,
      metric,
      scores,
      filledBy: 'gate',
      // The contract names its namespaces, and calls the collection by the same name.
      namespace: (_tenant, collection) => (collection === 'docs' ? 'n1' : collection),
    }),
    index: createVectorizeChunkIndex({ ...shared, settlePollMs: 1 }),
  }
}

retrieverContract('the Vectorize adapter', async () => over())
retrieverContract('the Vectorize adapter over late writes', async () => over({ seenAfter: 2 }))
retrieverContract('the Vectorize adapter with texts kept elsewhere', async () => over({ texts: mapOfTexts() }))
retrieverContract('the Vectorize adapter over distances, approximate', async () =>
  over({ metric: 'euclidean', scores: 'approximate' }),
)
retrieverContract('the Vectorize adapter over dot products', async () => over({ metric: 'dot-product' }))

/** Retrieves from a binding that answers a query with this. */
function retrieveFrom(
  answer: unknown,
  options: Partial<VectorizeRetrieverOptions> = {},
  topK = 3,
  filter?: PassageFilter,
) {
  const asked: unknown[] = []
  const unexpected = () => Promise.reject(new Error('not expected'))
  const index: VectorizeBinding = {
    query: async (_vector, query) => {
      asked.push(query)
      return typeof answer === 'function' ? (answer as () => Promise<unknown>)() : answer
    },
    describe: unexpected,
    upsert: unexpected,
    deleteByIds: unexpected,
    getByIds: unexpected,
  }
  const retriever = createVectorizeRetriever({
    index,
    embedder: EMBEDDER,
    metric: 'cosine',
    scores: 'approximate',
    timeoutMs: 50,
    upstream: { retries: 0 },
    filledBy: 'gate',
    namespace: () => 'n1',
    ...options,
  })
  const rankings = retriever.retrieve({
    tenant: 'acme',
    collection: 'docs',
    namespace: 'n1',
    question: 'why red?',
    topK,
    signal: new AbortController().signal,
    ...(filter === undefined ? {} : { filter }),
  })
  return { rankings, asked }
}

const match = (id: string, score: unknown, more: object = {}) => ({
  id: `n1:${id}`,
  score,
  namespace: 'n1',
  metadata: { text: `text of ${id}` },
  ...more,
})

describe('a query', () => {
  test('requests at most fifty matches with all metadata', async () => {
    const { rankings, asked } = retrieveFrom({ count: 0, matches: [] }, {}, 100)
    expect(await rankings).toEqual([{ kind: 'cosine', entries: [] }])
    expect(asked).toEqual([{ topK: 50, namespace: 'n1', returnValues: false, returnMetadata: 'all' }])
  })

  test('passes on the filter of the adapter', async () => {
    const filter = { team: 'edge', year: { $gte: 2020, $lt: 2026 } }
    expect(retrieveFrom({ matches: [] }, { filter }).rankings).toBeInstanceOf(Promise)
    const { rankings, asked } = retrieveFrom({ matches: [] }, { filter })
    await rankings
    expect(asked).toMatchObject([{ filter }])
  })

  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['an error-shaped object', { error: 'Aborted' }],
    ['matches that are not a list', { matches: {} }],
    ['a match of another namespace', { matches: [match('a', 0.9, { namespace: 'n2' })] }],
    ['a match with an id of another namespace', { matches: [match('a', 0.9, { id: 'n2:a' })] }],
    ['a match without id', { matches: [match('a', 0.9, { id: undefined })] }],
    ['a match without text', { matches: [match('a', 0.9, { metadata: {} })] }],
    [
      'a match with metadata that is broken',
      { matches: [match('a', 0.9, { metadata: { text: 'x', metadata: '{' } })] },
    ],
    ['values that are strings', { matches: [match('a', 0.9, { values: ['x'] })] }],
  ])('answered with %s causes an error', async (_name, answer) => {
    await expect(retrieveFrom(answer).rankings).rejects.toMatchObject({ code: 'retriever_bad_response' })
  })

  test('passes malformed scores on as NaN', async () => {
    const [ranking] = await retrieveFrom({ matches: [match('a', null), match('b', 1.5), match('c', 0.5)] }).rankings
    expect(ranking!.entries.map(({ score }) => score)).toEqual([0.5, Number.NaN, Number.NaN])
  })

  test('that throws or never ends causes a declared error', async () => {
    const failing = retrieveFrom(() => Promise.reject(new Error('VECTOR_QUERY_ERROR secret')))
    await expect(failing.rankings).rejects.toMatchObject({ code: 'retriever_unavailable' })
    const late = retrieveFrom(() => new Promise(() => undefined))
    await expect(late.rankings).rejects.toMatchObject({ code: 'retriever_timeout' })
  })

  test('with exact scores of another metric than configured is rejected', async () => {
    const { retriever, index } = over({ metric: 'cosine' })
    await index.upsert('n1', [{ id: 'a', documentId: 'd', text: 'red paint' }])
    const fake = fakeVectorize({ dimensions: DIMENSIONS, metric: 'dot-product' })
    await createVectorizeChunkIndex({ index: fake, embedder: EMBEDDER }).upsert('n1', [
      { id: 'a', documentId: 'd', text: 'red paint' },
    ])
    const wrong = createVectorizeRetriever({
      index: fake,
      embedder: EMBEDDER,
      metric: 'cosine',
      filledBy: 'gate',
      namespace: () => 'n1',
    })
    const request = {
      tenant: 'acme',
      collection: 'docs',
      namespace: 'n1',
      question: 'red paint?',
      topK: 3,
      signal: new AbortController().signal,
    }
    expect((await retriever.retrieve(request))[0]!.entries[0]!.score).toBeCloseTo(1, 5)
    await expect(wrong.retrieve(request)).rejects.toMatchObject({ code: 'retriever_misconfigured' })
  })
})

describe('a filter of the search', () => {
  const search = (filter: PassageFilter, own?: VectorizeRetrieverOptions['filter']) =>
    retrieveFrom({ matches: [] }, own === undefined ? {} : { filter: own }, 3, filter)

  test('is combined with the filter of the adapter', async () => {
    const { rankings, asked } = search({ documentId: ['a', 'b'], version: '3' }, { team: 'edge' })
    await rankings
    expect(asked).toMatchObject([{ filter: { team: 'edge', documentId: { $in: ['a', 'b'] }, version: { $eq: '3' } } }])
  })

  test.each<[string, PassageFilter, string]>([
    ['by a member of metadata', { 'metadata.team': 'edge' }, 'retriever_misconfigured'],
    ['by a property that the adapter filters by', { source: 'x' }, 'retriever_misconfigured'],
    ['by more text than the index compares', { title: 'ü'.repeat(33) }, 'retriever_misconfigured'],
    [
      'longer than the service takes',
      { documentId: Array.from({ length: 60 }, (_, at) => `${at}`.padStart(40, '-')) },
      'retriever_misconfigured',
    ],
    ['by a field that passages do not have', { namespace: 'other' }, 'config_invalid'],
  ])('%s is rejected, not omitted', async (_name, filter, code) => {
    const { rankings, asked } = search(filter, { source: 'y' })
    await expect(rankings).rejects.toMatchObject({ code })
    expect(asked).toEqual([])
  })
})

describe('a filter', () => {
  test.each<[string, object]>([
    ['an operator that is unknown', { a: { $or: [] } }],
    ['two equalities', { a: { $eq: 1, $ne: 2 } }],
    ['an empty set', { a: { $in: [] } }],
    ['null in a set', { a: { $in: [null] } }],
    ['a bound that is NaN', { a: { $lt: Number.NaN } }],
    ['a value that is an object', { a: { b: 1 } }],
    ['a list', { a: [1] }],
    ['a property that begins with $', { $a: 1 }],
    ['a property without name', { '': 1 }],
    ['2,048 bytes and more', { a: 'ä'.repeat(1024) }],
  ])('with %s is rejected', (_name, filter) => {
    // What is wrong here is wrong for the compiler too, where it can tell.
    const options = { filter: filter as VectorizeRetrieverOptions['filter'] & object }
    expect(() => retrieveFrom({}, options)).toThrow(
      expect.objectContaining({ code: 'config_invalid', param: 'filter' }),
    )
  })
})

describe('the chunk index', () => {
  const passage = (id: string, text = 'red paint'): Passage => ({ id, documentId: 'd', text })

  test('rejects what the index would not accept, before writing anything', async () => {
    const { index, fake } = over()
    const ns = 'n'.repeat(27)
    await expect(index.upsert(ns, [passage('i'.repeat(37))])).rejects.toMatchObject({ code: 'retriever_misconfigured' })
    await expect(index.upsert('a:b', [passage('i')])).rejects.toMatchObject({ code: 'retriever_misconfigured' })
    await expect(index.upsert('n'.repeat(65), [passage('i')])).rejects.toMatchObject({
      code: 'retriever_misconfigured',
    })
    await expect(index.upsert(ns, [passage('i', 'x'.repeat(11_000))])).rejects.toMatchObject({
      code: 'retriever_misconfigured',
    })
    expect(fake.calls).toEqual({})
    await index.upsert(ns, [passage('i'.repeat(36))])
    expect(fake.calls).toEqual({ upsert: 1 })
  })

  test.each<[string, readonly unknown[], string]>([
    ['too few', [[0.6, 0.8]], 'retriever_bad_response'],
    ['of another dimension', [[0.6, 0.8], [1]], 'embedding_mismatch'],
    [
      'not all numbers',
      [
        [0.6, 0.8],
        [1, Number.NaN],
      ],
      'retriever_bad_response',
    ],
  ])('writes no vectors of an embedder that are %s', async (_, vectors, code) => {
    const fake = fakeVectorize({ dimensions: 2 })
    const embedder: Embedder = { model: 'own', dimension: 2, embed: async () => vectors as number[][] }
    const index = createVectorizeChunkIndex({ index: fake, embedder, upstream: { retries: 0 } })
    await expect(index.upsert('n1', [passage('a'), passage('b')])).rejects.toMatchObject({ code })
    expect(await index.fetch('n1', ['a', 'b'])).toEqual([null, null])
  })

  test('writes the typed arrays of an embedder', async () => {
    const fake = fakeVectorize({ dimensions: 2 })
    const embed = async () => [new Float32Array([3, 4])] as unknown as number[][]
    const index = createVectorizeChunkIndex({ index: fake, embedder: { model: 'own', dimension: 2, embed } })
    await index.upsert('n1', [passage('a')])
    expect(await fake.getByIds(['n1:a'])).toMatchObject([{ values: Float32Array.from([0.6, 0.8]) }])
  })

  test('accepts a passage over 10 KiB when texts are stored elsewhere', async () => {
    const { index } = over({ texts: mapOfTexts() })
    const long = passage('a', 'red '.repeat(5000))
    await index.upsert('n1', [long])
    expect(await index.fetch('n1', ['a'])).toEqual([long])
  })

  test('causes an error when all texts are missing, and returns the others when one is', async () => {
    const texts = mapOfTexts()
    const { index, retriever } = over({ texts })
    await index.upsert('n1', [passage('a'), passage('b')])
    const request = {
      tenant: 'acme',
      collection: 'docs',
      namespace: 'n1',
      question: 'red paint?',
      topK: 3,
      signal: new AbortController().signal,
    }
    await texts.delete('n1', ['a'])
    expect((await retriever.retrieve(request))[0]!.entries.map(({ passage: { id } }) => id)).toEqual(['b'])
    await texts.delete('n1', ['b'])
    await expect(retriever.retrieve(request)).rejects.toMatchObject({ code: 'retriever_bad_response' })
  })

  test('writes, reads and deletes in batches that the service accepts', async () => {
    const { index, fake } = over()
    const passages = Array.from({ length: 1201 }, (_, at) => passage(`p${at}`))
    const ids = passages.map(({ id }) => id)
    await index.upsert('n1', passages)
    expect((await index.fetch('n1', ids.slice(0, 45))).map((read) => read?.id)).toEqual(ids.slice(0, 45))
    await index.delete('n1', ids.slice(0, 250))
    expect(fake.calls).toEqual({ upsert: 2, getByIds: 3, deleteByIds: 3 })
  })

  test('settles only when its last write is visible', async () => {
    const { index, fake } = over({ seenAfter: 1000 })
    await index.upsert('n1', [passage('a')])
    let settled = false
    const settling = index.settle('n1').then(() => (settled = true))
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(settled).toBe(false)
    fake.process()
    await settling
    expect(settled).toBe(true)
  })

  test('settles when a later write of another program is the last', async () => {
    const { index, fake } = over({ seenAfter: 1000 })
    await index.upsert('n1', [passage('a')])
    await index.delete('n1', ['b'])
    await fake.deleteByIds(['n2:x'])
    fake.process()
    await expect(index.settle('n1')).resolves.toBeUndefined()
  })

  test('stops waiting after a time limit', async () => {
    const fake = fakeVectorize({ dimensions: DIMENSIONS, seenAfter: 1000 })
    const index = createVectorizeChunkIndex({ index: fake, embedder: EMBEDDER, settleTimeoutMs: 5, settlePollMs: 1 })
    await index.upsert('n1', [passage('a')])
    await expect(index.settle('n1')).rejects.toMatchObject({ code: 'index_not_settled' })
  })

  test('with another dimension than the embedder is rejected', async () => {
    const index = createVectorizeChunkIndex({ index: fakeVectorize({ dimensions: 384 }), embedder: EMBEDDER })
    await expect(index.describe()).rejects.toMatchObject({ code: 'embedding_mismatch' })
    const large: Embedder = { ...EMBEDDER, dimension: 1537 }
    const made = () => createVectorizeChunkIndex({ index: fakeVectorize({ dimensions: 1537 }), embedder: large })
    expect(made).toThrow(expect.objectContaining({ code: 'config_invalid' }))
  })

  test('with a store that can only be read is rejected', () => {
    const texts = { get: async () => [] } as never
    const made = () =>
      createVectorizeChunkIndex({ index: fakeVectorize({ dimensions: 384 }), embedder: EMBEDDER, texts })
    expect(made).toThrow(expect.objectContaining({ code: 'config_invalid', param: 'texts' }))
  })
})

test.each([Number.NaN, -1, Infinity])('a chunk index rejects a wait of %s milliseconds', (settleTimeoutMs) => {
  const made = () =>
    createVectorizeChunkIndex({
      index: fakeVectorize({ dimensions: DIMENSIONS }),
      embedder: EMBEDDER,
      settleTimeoutMs,
    })
  expect(made).toThrow(expect.objectContaining({ code: 'config_invalid', param: 'settleTimeoutMs' }))
})
