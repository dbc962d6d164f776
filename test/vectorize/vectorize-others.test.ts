/** Vectorize indexes that others filled, in the documented shapes. */
import { describe, expect, test } from 'vitest'
import {
  createVectorizeRetriever,
  type VectorizeMetric,
  type VectorizeRetrieverOptions,
} from '../../packages/vectorize/src/index.ts'
import type { Passage } from '../../src/core/evidence/chunk.ts'
import type { RetrieverWarning } from '../../packages/upstream/src/rows/retriever-warnings.ts'
import type { Embedder } from '../../src/ports/embedder.ts'
import type { RetrievalRequest } from '../../src/ports/retriever.ts'
import { fakeVectorize, type StoredVector } from '../fixtures/vectorize.ts'

const QUESTION = [0.6, 0.8, 0.1]

const embedderOf = (vector: readonly number[]): Embedder => ({
  model: 'theirs',
  dimension: vector.length,
  embed: async ({ texts }) => texts.map(() => vector),
})

/** Vectors of other lengths than 1, with ids and metadata of their own. */
const VECTORS: readonly StoredVector[] = [
  {
    id: '17',
    values: [3, 4, 0],
    metadata: { content: 'Red paint dries in an hour.', url: 'https://a.test/red', page: 3 },
  },
  { id: '18', values: [0, 1, 0], metadata: { content: 'Blue paint dries in a day.', team: 'edge' } },
  { id: '19', values: [-2, 0, 2], metadata: { content: 'Brushes are cleaned with soap.' } },
]

const cosine = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, value, at) => sum + value * b[at]!, 0) / (Math.hypot(...a) * Math.hypot(...b))

function over(options: Partial<VectorizeRetrieverOptions> & { made?: VectorizeMetric; dimensions?: number } = {}) {
  const { made, dimensions = 3, ...given } = options
  const metric = given.metric ?? 'cosine'
  const warnings: RetrieverWarning[] = []
  const fake = fakeVectorize({ dimensions, metric: made ?? metric })
  const retriever = createVectorizeRetriever({
    index: fake,
    embedder: embedderOf(QUESTION),
    metric,
    upstream: { retries: 0 },
    onWarning: (warning) => void warnings.push(warning),
    ...given,
  })
  const retrieve = async (more: Partial<RetrievalRequest> = {}) => {
    const [ranking] = await retriever.retrieve({
      tenant: 'default',
      collection: 'docs',
      namespace: 'n-unused',
      question: 'How long does red paint dry?',
      topK: 10,
      signal: new AbortController().signal,
      ...more,
    })
    return ranking!
  }
  const ids = async (more: Partial<RetrievalRequest> = {}) =>
    (await retrieve(more)).entries.map(({ passage }) => passage.id)
  return { fake, retrieve, ids, warnings }
}

describe('an index filled by others', () => {
  test.each(['cosine', 'euclidean', 'dot-product'] as const)(
    'gives raw cosines by %s, for vectors of any length',
    async (metric) => {
      const { fake, retrieve } = over({ metric })
      fake.hold(VECTORS)
      const { kind, entries } = await retrieve()
      expect(kind).toBe('cosine')
      expect(entries.map(({ passage }) => passage.id)).toEqual(['17', '18', '19'])
      entries.forEach(({ score }, at) => expect(score).toBeCloseTo(cosine(QUESTION, VECTORS[at]!.values), 5))
    },
  )

  test("is queried with the embedder's vector unchanged, because its length counts by distance", async () => {
    const { fake, ids } = over({ metric: 'euclidean', embedder: embedderOf([10, 0, 0]) })
    fake.hold([
      { id: 'far', values: [1, 0, 0], metadata: { text: 'Of one direction with the question, and far from it.' } },
      { id: 'near', values: [10, 0.5, 0], metadata: { text: 'Near the question.' } },
    ])
    expect(await ids({ topK: 1 })).toEqual(['near'])
  })

  test('returns passages from its metadata, under its own ids', async () => {
    const { fake, retrieve } = over()
    fake.hold(VECTORS)
    expect((await retrieve({ topK: 1 })).entries[0]!.passage).toEqual({
      id: '17',
      documentId: 'https://a.test/red',
      text: 'Red paint dries in an hour.',
      source: 'https://a.test/red',
      metadata: { url: 'https://a.test/red', page: 3 },
    })
  })

  test('is searched whole without a namespace, and in one with it', async () => {
    const vectors = [
      { ...VECTORS[0]!, id: 'a', namespace: 'prod' },
      { ...VECTORS[1]!, id: 'b', namespace: 'test' },
      { ...VECTORS[2]!, id: 'c' },
    ]
    for (const [namespace, found] of [
      [undefined, ['a', 'b', 'c']],
      ['prod', ['a']],
      [(tenant: string) => (tenant === 'default' ? 'test' : 'prod'), ['b']],
    ] as const) {
      const { fake, ids } = over(namespace === undefined ? {} : { namespace })
      fake.hold(vectors)
      expect(await ids()).toEqual(found)
    }
  })

  test('answers no second tenant from one namespace', async () => {
    const { ids, fake } = over({ namespace: 'prod' })
    await expect(ids({ tenant: 'acme' })).rejects.toMatchObject({ code: 'retriever_misconfigured' })
    expect(fake.calls).toEqual({})
    expect(await over({ namespace: 'prod', tenants: 'any' }).ids({ tenant: 'acme' })).toEqual([])
  })

  test('with a match from another namespace causes an error', async () => {
    const { fake, ids } = over({ namespace: 'prod' })
    fake.query = async () => ({
      matches: [{ id: 'a', score: 1, values: QUESTION, namespace: 'test', metadata: { text: 'x' } }],
    })
    await expect(ids()).rejects.toMatchObject({ code: 'retriever_bad_response' })
  })

  test('can have its texts elsewhere, by the ids of its vectors', async () => {
    const rows = new Map(VECTORS.map(({ id }) => [id, { id, documentId: 'd', text: `text ${id}` } satisfies Passage]))
    rows.delete('18')
    const { fake, ids } = over({
      texts: { get: async (_namespace, wanted) => wanted.map((id) => rows.get(id) ?? null) },
    })
    fake.hold(VECTORS.map(({ id, values }) => ({ id, values })))
    expect(await ids()).toEqual(['17', '19'])
    rows.clear()
    await expect(ids()).rejects.toMatchObject({ code: 'retriever_bad_response' })
  })

  test.each<[string, (passages: readonly Passage[]) => readonly Passage[]]>([
    ['another order', (passages) => passages.toReversed()],
    ['only some of them', (passages) => passages.slice(1)],
  ])('with texts elsewhere that come in %s causes an error', async (_, given) => {
    const { fake, ids } = over({
      texts: {
        get: async (_namespace, wanted) => given(wanted.map((id) => ({ id, documentId: 'd', text: `text ${id}` }))),
      },
    })
    fake.hold(VECTORS.map(({ id, values }) => ({ id, values })))
    await expect(ids()).rejects.toMatchObject({ code: 'retriever_bad_response' })
  })

  test('is filtered by the members in `fields`, and by those of its metadata', async () => {
    const { fake, ids } = over({ fields: { documentId: 'url' } })
    fake.hold(VECTORS)
    expect(await ids({ filter: { documentId: 'https://a.test/red' } })).toEqual(['17'])
    expect(await ids({ filter: { 'metadata.team': ['edge', 'core'] } })).toEqual(['18'])
    const read = over({ fields: { source: () => 'x' } })
    await expect(read.ids({ filter: { source: 'x' } })).rejects.toMatchObject({ code: 'retriever_misconfigured' })
  })

  test('with another metric than configured is rejected', async () => {
    for (const [metric, made] of [
      ['cosine', 'euclidean'],
      ['cosine', 'dot-product'],
      ['euclidean', 'cosine'],
      ['dot-product', 'cosine'],
    ] as const) {
      const { fake, ids } = over({ metric, made })
      fake.hold(VECTORS)
      await expect(ids()).rejects.toMatchObject({
        code: 'retriever_misconfigured',
        message: expect.stringContaining(metric),
      })
    }
  })

  test('is not queried with an invalid vector', async () => {
    const { ids, fake } = over({ embedder: embedderOf([Number.NaN, 1, 0]) })
    await expect(ids()).rejects.toMatchObject({ code: 'retriever_bad_response' })
    expect(fake.calls).not.toHaveProperty('query')
  })

  test('with another dimension than the embedder causes embedding_mismatch, not retriever_unavailable', async () => {
    const { ids } = over({ dimensions: 4 })
    await expect(ids()).rejects.toMatchObject({
      code: 'embedding_mismatch',
      message: expect.stringContaining('4 dimensions'),
    })
    const down = over()
    down.fake.query = () => Promise.reject(new Error('VECTOR_QUERY_ERROR'))
    await expect(down.ids()).rejects.toMatchObject({ code: 'retriever_unavailable' })
  })
})

describe('a search without results', () => {
  test.each<[string, Partial<VectorizeRetrieverOptions>, readonly StoredVector[], string]>([
    ['in an empty index', {}, [], 'The whole index is empty'],
    ['in an empty namespace', { namespace: 'prod' }, VECTORS, 'has 3 vectors. Were they written to this namespace'],
    ['by a filter of the retriever', { filter: { team: 'none' } }, VECTORS, 'Filtered by "team"'],
  ])('%s causes one warning', async (_name, options, vectors, message) => {
    const { fake, ids, warnings } = over(options)
    fake.hold(vectors)
    expect([await ids(), await ids()]).toEqual([[], []])
    expect(warnings).toEqual([{ code: 'namespace_empty', message: expect.stringContaining(message) }])
    expect(fake.calls).toMatchObject({ describe: 1 })
  })

  test('by a filter of the request causes no warning', async () => {
    const { fake, ids, warnings } = over()
    fake.hold(VECTORS)
    expect(await ids({ filter: { title: 'none' } })).toEqual([])
    expect(warnings).toEqual([])
  })
})

test('vectors without text are omitted with one warning, and alone cause an error with advice', async () => {
  const { fake, ids, warnings } = over()
  fake.hold([...VECTORS, { id: 'bare', values: [3, 4, 0], metadata: { answer: 'x' } }])
  expect([await ids(), await ids()]).toEqual([
    ['17', '18', '19'],
    ['17', '18', '19'],
  ])
  expect(warnings).toEqual([{ code: 'rows_without_text', message: expect.stringContaining('"answer"') }])
  await expect(ids({ topK: 1 })).resolves.toEqual(['17'])
  const none = over()
  none.fake.hold([{ id: 'bare', values: [3, 4, 0] }])
  await expect(none.ids()).rejects.toMatchObject({
    code: 'retriever_misconfigured',
    message: expect.stringContaining('fields.text, or texts'),
  })
})

test('a second collection in one namespace causes one warning', async () => {
  const { fake, ids, warnings } = over()
  fake.hold(VECTORS)
  for (const collection of ['a', 'b', 'c']) await ids({ collection })
  expect(warnings.map(({ code }) => code)).toEqual(['namespace_shared'])
})

test.each<[string, object, string]>([
  ['a missing binding', { index: undefined }, 'index'],
  ['an unknown field', { fields: { titel: 'x' } }, 'fields.titel'],
  ['fields of rows with a known form', { filledBy: 'gate', fields: {} }, 'fields'],
  ['approximate distances of vectors of any length', { scores: 'approximate', metric: 'euclidean' }, 'scores'],
])('%s is rejected as an option', (_name, wrong, param) => {
  const options = {
    index: fakeVectorize({ dimensions: 3 }),
    embedder: embedderOf(QUESTION),
    metric: 'cosine',
    ...wrong,
  }
  expect(() => createVectorizeRetriever(options as VectorizeRetrieverOptions)).toThrow(
    expect.objectContaining({ code: 'config_invalid', param }),
  )
})
