/** Indexes that others filled, with the unmodified client, over the embedded index in this process. */
import { Index } from '@upstash/vector'
import { describe, expect, test, vi } from 'vitest'
import {
  createUpstashRetriever,
  createUpstashTransport,
  type Similarity,
  type UpstashRetrieverOptions,
} from '../../packages/upstash/src/index.ts'
import type { Ranking } from '../../src/core/evidence/chunk.ts'
import { passesFilter } from '../../src/core/evidence/passage-filter.ts'
import { fuse } from '../../src/core/evidence/fusion.ts'
import type { RetrieverWarning } from '../../packages/upstream/src/rows/retriever-warnings.ts'
import type { Fetch } from '../../packages/upstream/src/http/bounded-fetch.ts'
import type { Embedder } from '../../src/ports/embedder.ts'
import type { RetrievalRequest } from '../../src/ports/retriever.ts'
import { embeddedIndex } from '../fixtures/embedded-index.ts'

const URL_OF_INDEX = 'https://index.test'

/** Vectors of their own making, of other lengths than 1. */
const ROWS = [
  { id: 'red', vector: [3, 4, 0], metadata: { content: 'Red paint dries in an hour.', url: 'https://a.test/red#1' } },
  { id: 'blue', vector: [0, 1, 0], metadata: { content: 'Blue paint dries in a day.', url: 'https://a.test/blue' } },
  { id: 'brush', vector: [-2, 0, 2], metadata: { content: 'Brushes are cleaned with soap.', title: 'Brushes' } },
]
const QUESTION = [0.6, 0.8, 0.1]

const embedderOf = (vector: readonly number[], dimension = vector.length): Embedder => ({
  model: 'theirs',
  dimension,
  embed: async ({ texts }) => texts.map(() => vector),
})

const unit = (vector: readonly number[]): number[] => vector.map((value) => value / Math.hypot(...vector))
const cosine = (a: readonly number[], b: readonly number[]): number =>
  unit(a).reduce((sum, value, at) => sum + value * unit(b)[at]!, 0)

/** An index, the client that fills it, and a retriever over it with what it asked and warned of. */
function over(settings: object, options: Partial<UpstashRetrieverOptions> = {}) {
  const warnings: RetrieverWarning[] = []
  const asked: { path: string; body: unknown }[] = []
  const index = { fetch: embeddedIndex(settings) }
  const fetch: Fetch = async (url, init) => {
    asked.push({ path: new URL(url).pathname.slice(1), body: JSON.parse(String(init.body)) })
    return index.fetch(url, init)
  }
  const transport = createUpstashTransport({
    url: URL_OF_INDEX,
    fetch: (url, init) => index.fetch(url, init),
    timeoutMs: 1000,
    maxResponseBytes: 1e6,
  })
  const onWarning = (warning: RetrieverWarning): void => void warnings.push(warning)
  const retriever = createUpstashRetriever({ url: URL_OF_INDEX, fetch, onWarning, ...options })
  const retrieve = (more: Partial<RetrievalRequest> = {}): Promise<readonly Ranking[]> =>
    retriever.retrieve({
      tenant: 'default',
      collection: 'docs',
      namespace: 'n-unused',
      question: 'How long does red paint dry?',
      topK: 10,
      signal: new AbortController().signal,
      ...more,
    })
  return { client: new Index(transport()), retriever, retrieve, asked, warnings, index }
}

const idsOf = (ranking: Ranking | undefined) => ranking?.entries.map(({ passage }) => passage.id)
const scoresOf = (ranking: Ranking | undefined) =>
  Object.fromEntries(ranking?.entries.map(({ passage, score }) => [passage.id, score]) ?? [])

describe("a dense index with its user's own vectors", () => {
  test.each([
    ['cosine', 'COSINE', ROWS],
    ['euclidean', 'EUCLIDEAN', ROWS],
    ['dot-product', 'DOT_PRODUCT', ROWS.map((row) => ({ ...row, vector: unit(row.vector) }))],
    ['dot-product of vectors of any length', 'DOT_PRODUCT', ROWS],
  ])('gives raw cosines by %s', async (_name, similarityFunction, rows) => {
    const { client, retrieve } = over(
      { indexType: 'DENSE', dimension: 3, similarityFunction },
      { embedder: embedderOf(QUESTION) },
    )
    await client.upsert(rows)
    const rankings = await retrieve()
    expect(rankings.map(({ kind }) => kind)).toEqual(['cosine'])
    expect(idsOf(rankings[0])).toEqual(['red', 'blue', 'brush'])
    for (const { id, vector } of rows) expect(scoresOf(rankings[0])[id]).toBeCloseTo(cosine(QUESTION, vector), 5)
  })

  test('is searched in the default namespace, with text, source and document from its metadata', async () => {
    const { client, retrieve, asked } = over({ indexType: 'DENSE', dimension: 3 }, { embedder: embedderOf(QUESTION) })
    await client.upsert(ROWS)
    const [ranking] = await retrieve({ topK: 1 })
    expect(ranking!.entries.map(({ passage }) => passage)).toEqual([
      {
        id: 'red',
        documentId: 'https://a.test/red',
        text: 'Red paint dries in an hour.',
        source: 'https://a.test/red#1',
        metadata: { url: 'https://a.test/red#1' },
      },
    ])
    expect(asked.map(({ path }) => path)).toEqual(['info', 'query'])
    expect(asked[1]!.body).toEqual({ vector: QUESTION, topK: 1, includeData: true, includeMetadata: true })
  })

  test('is asked for its info once, and not at all when that was configured', async () => {
    const asking = over({ indexType: 'DENSE', dimension: 3 }, { embedder: embedderOf(QUESTION) })
    await asking.retrieve()
    await asking.retrieve()
    // The second `info` looks whether the namespace holds anything, since nothing was found.
    expect(asking.asked.map(({ path }) => path)).toEqual(['info', 'query', 'info', 'query'])
    const said = over(
      { indexType: 'DENSE', dimension: 3 },
      { embedder: embedderOf(QUESTION), index: { type: 'dense' } },
    )
    await said.client.upsert(ROWS)
    await said.retrieve()
    expect(said.asked.map(({ path }) => path)).toEqual(['query'])
  })

  test('reports that it needs an embedder', async () => {
    const { client, retrieve } = over({ indexType: 'DENSE', dimension: 3 })
    await client.upsert(ROWS)
    await expect(retrieve()).rejects.toMatchObject({
      code: 'retriever_misconfigured',
      message: expect.stringContaining('no embedder'),
    })
  })

  test('is recognised by its error when it was configured to embed texts', async () => {
    const { client, retrieve } = over({ indexType: 'DENSE', dimension: 3 }, { index: { type: 'dense' } })
    await client.upsert(ROWS)
    await expect(retrieve()).rejects.toMatchObject({
      code: 'retriever_misconfigured',
      message: expect.stringContaining('embeds no texts'),
    })
  })

  test('rejects an embedder of another dimension before any search, and asks again afterwards', async () => {
    const { retrieve, asked, index, client } = over(
      { indexType: 'DENSE', dimension: 4 },
      { embedder: embedderOf(QUESTION) },
    )
    await expect(retrieve()).rejects.toMatchObject({ code: 'embedding_mismatch' })
    expect(asked.map(({ path }) => path)).toEqual(['info'])
    index.fetch = embeddedIndex({ indexType: 'DENSE', dimension: 3 })
    await client.upsert(ROWS)
    expect(idsOf((await retrieve())[0])).toEqual(['red', 'blue', 'brush'])
  })

  test('fails one search after another index replaced it at its address, and then searches the new one', async () => {
    const { retrieve, index, client } = over({ indexType: 'DENSE', dimension: 3 }, { embedder: embedderOf(QUESTION) })
    await client.upsert(ROWS)
    await retrieve()
    index.fetch = embeddedIndex({ indexType: 'HYBRID' })
    await client.upsert({ id: 'x', data: 'Red paint dries in an hour.' })
    await expect(retrieve()).rejects.toMatchObject({ code: 'embedding_mismatch' })
    await expect(retrieve()).rejects.toMatchObject({ code: 'embedding_mismatch', message: /1024 dimensions/ })
  })

  test("names the embedder's model, and does not ask the index for it", () => {
    const { retriever } = over({ indexType: 'DENSE', dimension: 3 }, { embedder: embedderOf(QUESTION) })
    expect(retriever.embedding).toMatchObject({ model: 'theirs', dimension: 3 })
    expect(retriever).not.toHaveProperty('embeddingNow')
  })

  test.each([
    ['of zeros finds nothing by cosine, and sends nothing', [0, 0, 0], ['info', 'info'], undefined],
    ['that is not finite reports an error', [1, Number.NaN, 0], ['info'], 'retriever_bad_response'],
    ['of another length reports an error', [1, 0], ['info'], 'embedding_mismatch'],
  ])('a question vector %s', async (_name, vector, paths, code) => {
    const { retrieve, asked, client } = over({ indexType: 'DENSE', dimension: 3 }, { embedder: embedderOf(vector, 3) })
    await client.upsert(ROWS)
    if (code === undefined) expect(await retrieve()).toEqual([{ kind: 'cosine', entries: [] }])
    else await expect(retrieve()).rejects.toMatchObject({ code })
    expect(asked.map(({ path }) => path)).toEqual(paths)
  })
})

const TEXTS = [
  { id: 'red', data: 'Red paint dries in an hour.', metadata: { title: 'Paint' } },
  { id: 'blue', data: 'Blue paint dries in a day.', metadata: { title: 'Paint' } },
  { id: 'brush', data: 'Brushes are cleaned with soap.' },
]

describe('an index that embeds texts', () => {
  test('of the kind dense gives the same cosines with every similarity', async () => {
    const found: Partial<Record<Similarity, Record<string, number>>> = {}
    for (const [similarity, similarityFunction] of [
      ['cosine', 'COSINE'],
      ['euclidean', 'EUCLIDEAN'],
      ['dot-product', 'DOT_PRODUCT'],
    ] as const) {
      const { client, retrieve, asked } = over({
        indexType: 'DENSE',
        embeddingModel: 'BGE_SMALL_EN_V1_5',
        similarityFunction,
      })
      await client.upsert(TEXTS)
      found[similarity] = scoresOf((await retrieve())[0])
      expect(asked[1]).toMatchObject({ path: 'query-data' })
      // A queryMode is for hybrid indexes.
      expect(asked[1]!.body).not.toHaveProperty('queryMode')
    }
    expect(found.cosine!['red']).toBeGreaterThan(found.cosine!['brush']!)
    for (const id of ['red', 'blue', 'brush']) {
      expect(found.euclidean![id]).toBeCloseTo(found.cosine![id]!, 3)
      expect(found['dot-product']![id]).toBeCloseTo(found.cosine![id]!, 3)
    }
  })

  test.each([
    ['BM25', 'bm25'],
    ['BGE_M3', 'rrf'],
  ])('of the kind sparse, by %s, gives scores of the kind %s', async (sparseEmbeddingModel, kind) => {
    const { client, retrieve, asked, retriever } = over({ indexType: 'SPARSE', sparseEmbeddingModel })
    await client.upsert(TEXTS)
    const rankings = await retrieve()
    expect(rankings.map((ranking) => ranking.kind)).toEqual([kind])
    expect(idsOf(rankings[0])).toEqual(['red', 'blue'])
    const scores = rankings[0]!.entries.map(({ score }) => score)
    if (kind === 'rrf') expect(scores).toEqual([1 / 61, 1 / 62])
    else expect(scores[0]!).toBeGreaterThan(scores[1]!)
    expect(asked[1]!.body).toMatchObject(kind === 'bm25' ? { weightingStrategy: 'IDF' } : { data: expect.anything() })
    expect((asked[1]!.body as object).hasOwnProperty('weightingStrategy')).toBe(kind === 'bm25')
    const { signal } = new AbortController()
    expect(await retriever.embeddingNow?.(signal)).toEqual({ model: sparseEmbeddingModel, dimension: 0 })
  })

  test('of the kind hybrid gives cosines and BM25 in one request', async () => {
    const { client, retrieve, asked, warnings } = over({})
    await client.upsert(TEXTS)
    const rankings = await retrieve()
    expect(rankings.map(({ kind }) => kind)).toEqual(['cosine', 'bm25'])
    expect(rankings.map((ranking) => idsOf(ranking)?.[0])).toEqual(['red', 'red'])
    expect(asked.map(({ path }) => path)).toEqual(['info', 'query-data'])
    expect(warnings).toEqual([])
  })

  test('with sparse scores other than BM25 is searched by its dense part, or by both on request', async () => {
    const settings = { embeddingModel: 'BGE_M3', sparseEmbeddingModel: 'BGE_M3' }
    const { client, retrieve, warnings } = over(settings)
    await client.upsert(TEXTS)
    expect((await retrieve()).map(({ kind }) => kind)).toEqual(['cosine'])
    await retrieve()
    expect(warnings.map(({ code }) => code)).toEqual(['sparse_left_out'])
    expect(warnings[0]!.message).toContain("methods: 'hybrid'")
    const both = over(settings, { methods: 'hybrid' })
    await both.client.upsert(TEXTS)
    const rankings = await both.retrieve()
    expect(rankings.map(({ kind }) => kind)).toEqual(['cosine', 'rrf'])
    expect(both.warnings).toEqual([])
    // As docs/your-own-index.md says: in the order of both, and scored by the cosine alone.
    const { chunks } = fuse(rankings, { idfMass: 1, topK: 10 })
    expect(chunks.map(({ id }) => id)).toEqual(['red', 'blue', 'brush'])
    for (const { scores } of chunks) expect(scores.convex).toBeCloseTo(Math.max(0, scores.cosine!), 12)
    const trusted = over(settings, { sparseScores: 'bm25' })
    await trusted.client.upsert(TEXTS)
    expect((await trusted.retrieve()).map(({ kind }) => kind)).toEqual(['cosine', 'bm25'])
  })

  test('takes two requests when an embedder is configured: vectors for its dense part and texts for its sparse part', async () => {
    const made = Array.from({ length: 1024 }, (_, at) => (at % 7) - 3)
    const { client, retrieve, asked } = over({}, { embedder: embedderOf(made) })
    await client.upsert(TEXTS)
    expect((await retrieve()).map(({ kind }) => kind)).toEqual(['cosine', 'bm25'])
    expect(asked.map(({ path }) => path).sort()).toEqual(['info', 'query', 'query-data'])
  })
})

describe("a hybrid index with its user's own vectors", () => {
  const settings = { indexType: 'HYBRID', dimension: 3 }
  const rows = ROWS.map((row, at) => ({ ...row, sparseVector: { indices: [at, 9], values: [1, 0.5] } }))
  const sparseEmbedder = async () => ({ indices: [0, 1], values: [2, 1] })

  test('is searched by its dense part, with a warning that the other needs an embedder', async () => {
    const { client, retrieve, warnings } = over(settings, { embedder: embedderOf(QUESTION) })
    await client.upsert(rows)
    const rankings = await retrieve()
    expect(rankings.map(({ kind }) => kind)).toEqual(['cosine'])
    expect(scoresOf(rankings[0])['red']).toBeCloseTo(cosine(QUESTION, [3, 4, 0]), 5)
    expect(warnings).toEqual([expect.objectContaining({ code: 'sparse_left_out' })])
    expect(warnings[0]!.message).toContain('no sparseEmbedder')
  })

  test('is searched by both parts in one request, with both embedders', async () => {
    const options = { embedder: embedderOf(QUESTION), sparseEmbedder, methods: 'hybrid' } as const
    const { client, retrieve, asked } = over(settings, options)
    await client.upsert(rows)
    const rankings = await retrieve()
    expect(rankings.map(({ kind }) => kind)).toEqual(['cosine', 'rrf'])
    expect(idsOf(rankings[1])).toEqual(['red', 'blue'])
    expect(asked.map(({ path }) => path)).toEqual(['info', 'query'])
  })

  test("gives BM25 scores when its sparse vectors have BM25 weights, with the index's idf", async () => {
    const { client, retrieve, asked } = over(settings, {
      embedder: embedderOf(QUESTION),
      sparseEmbedder,
      sparseScores: 'bm25',
    })
    await client.upsert(rows)
    expect((await retrieve()).map(({ kind }) => kind)).toEqual(['cosine', 'bm25'])
    expect(asked[1]!.body).toMatchObject([{ vector: QUESTION }, { weightingStrategy: 'IDF' }])
  })

  test('does not search the sparse part for a question without sparse terms', async () => {
    const { client, retrieve, asked } = over(settings, {
      sparseEmbedder: () => ({ indices: [], values: [] }),
      embedder: embedderOf(QUESTION),
      methods: 'hybrid',
    })
    await client.upsert(rows)
    const rankings = await retrieve()
    expect(rankings[1]).toEqual({ kind: 'rrf', entries: [] })
    expect(asked.map(({ path }) => path)).toEqual(['info', 'query'])
  })

  test.each([
    ['sparse', 'sparseEmbedder'],
    ['hybrid', 'sparseEmbedder'],
  ] as const)('with the method %s but without its embedder is rejected', async (methods, names) => {
    const { retrieve } = over(settings, { embedder: embedderOf(QUESTION), methods })
    await expect(retrieve()).rejects.toMatchObject({
      code: 'retriever_misconfigured',
      message: expect.stringContaining(names),
    })
  })
})

test.each([
  ['dense', { indexType: 'SPARSE' }, 'no dense part'],
  ['hybrid', { indexType: 'DENSE', embeddingModel: 'BGE_M3' }, 'no sparse part'],
  ['sparse', { indexType: 'DENSE', embeddingModel: 'BGE_M3' }, 'no sparse part'],
] as const)('the method %s is rejected for an index without that part', async (methods, settings, message) => {
  await expect(over(settings, { methods }).retrieve()).rejects.toMatchObject({
    code: 'retriever_misconfigured',
    message: expect.stringContaining(message),
  })
})

describe('a namespace', () => {
  test('is the configured one, with any name', async () => {
    for (const namespace of ['docs', 'a b', 'a/b', 'q?x', 'h#y', '100%', 'größe', '日本', 'a%2Fb']) {
      const { client, retrieve } = over({}, { namespace })
      const encoded = encodeURIComponent(namespace)
      await client.upsert({ id: 'red', data: 'Red paint dries in an hour.' }, { namespace: encoded })
      await client.upsert({ id: 'other', data: 'Red paint, for how long?' })
      expect((await retrieve()).map(idsOf)).toEqual([['red'], ['red']])
    }
  })

  test.each(['.', '..', '\ud800', 'x'.repeat(1025)])('named %j is rejected', async (namespace) => {
    const { retrieve, asked } = over({}, { namespace })
    await expect(retrieve()).rejects.toMatchObject({ code: 'retriever_misconfigured' })
    expect(asked).toEqual([])
  })

  test('by tenant and collection separates them', async () => {
    const { client, retrieve } = over({}, { namespace: (tenant, collection) => `${tenant}-${collection}` })
    await client.upsert({ id: 'ours', data: 'Red paint dries in an hour.' }, { namespace: 'acme-docs' })
    await client.upsert({ id: 'theirs', data: 'Red paint dries in a day.' }, { namespace: 'globex-docs' })
    expect((await retrieve({ tenant: 'acme' })).map(idsOf)).toEqual([['ours'], ['ours']])
    expect((await retrieve({ tenant: 'globex' })).map(idsOf)).toEqual([['theirs'], ['theirs']])
  })

  test('for everything answers no second tenant, and sends nothing for it', async () => {
    const { retrieve, asked } = over({}, { namespace: 'docs' })
    await expect(retrieve({ tenant: 'acme' })).rejects.toMatchObject({ code: 'retriever_misconfigured' })
    expect(asked).toEqual([])
    await expect(over({}, { namespace: 'docs', tenants: ['acme'] }).retrieve({ tenant: 'acme' })).resolves.toHaveLength(
      2,
    )
  })

  test('for everything causes one warning when a second collection is searched in it', async () => {
    const { client, retrieve, warnings } = over({})
    await client.upsert(TEXTS)
    for (const collection of ['a', 'b', 'c', 'a']) await retrieve({ collection })
    expect(warnings.map(({ code }) => code)).toEqual(['namespace_shared'])
  })
})

describe('a search without results', () => {
  test('in an empty namespace causes one warning, with the namespaces that contain something', async () => {
    const { client, retrieve, warnings, asked } = over({})
    await client.upsert(TEXTS, { namespace: 'prod' })
    for (let time = 0; time < 3; time++) {
      expect(await retrieve()).toEqual([
        { kind: 'cosine', entries: [] },
        { kind: 'bm25', entries: [] },
      ])
    }
    expect(warnings.map(({ code }) => code)).toEqual(['namespace_empty'])
    expect(warnings[0]!.message).toContain('The namespace "" of the index is empty')
    expect(warnings[0]!.message).toContain('"prod" (3)')
    expect(asked.filter(({ path }) => path === 'info')).toHaveLength(2)
  })

  test('in an empty index causes a warning that nothing was written', async () => {
    const { retrieve, warnings } = over({})
    await retrieve()
    expect(warnings[0]!.message).toContain('The index is empty')
  })

  test('in a filled namespace, or by a filter, causes no warning', async () => {
    const { client, retrieve, warnings } = over({ indexType: 'SPARSE' })
    await client.upsert(TEXTS)
    expect((await retrieve({ question: 'zebra' }))[0]!.entries).toEqual([])
    const filtered = over({})
    await filtered.retrieve({ filter: { title: 'x' } })
    expect([...warnings, ...filtered.warnings]).toEqual([])
  })

  test('is returned even when reading the namespaces fails', async () => {
    const { retrieve, index, warnings } = over({}, { index: { type: 'hybrid' }, upstream: { retries: 0 } })
    const whole = index.fetch
    index.fetch = async (url, init) =>
      url.endsWith('/info') ? Response.json({ error: 'down' }, { status: 500 }) : whole(url, init)
    expect(await retrieve()).toHaveLength(2)
    expect(warnings).toEqual([])
  })

  test('logs its warning to the console without a listener', async () => {
    const spy = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    const retriever = createUpstashRetriever({ url: URL_OF_INDEX, fetch: embeddedIndex({}) })
    const facts = { tenant: 'default', collection: 'docs', namespace: '', question: 'q', topK: 1 }
    await retriever.retrieve({ ...facts, signal: new AbortController().signal })
    expect(spy).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('[rag-gate] The namespace "" of the index'))
    spy.mockRestore()
  })
})

describe('rows without text', () => {
  const bare = [{ id: 'p1', vector: [3, 4, 0], metadata: { answer: 'Red paint dries.', 'page\nno': 1 } }]

  test('are omitted beside rows with text, with one warning', async () => {
    const { client, retrieve, warnings } = over(
      { indexType: 'DENSE', dimension: 3 },
      { embedder: embedderOf(QUESTION) },
    )
    await client.upsert([...bare, ...ROWS])
    expect(idsOf((await retrieve())[0])).toEqual(['red', 'blue', 'brush'])
    await retrieve()
    expect(warnings.map(({ code }) => code)).toEqual(['rows_without_text'])
    expect(warnings[0]!.message).toContain('"answer", "page\\nno"')
    expect(warnings[0]!.message).toContain('set fields.text')
  })

  test('alone cause an error with advice, not a refusal', async () => {
    const { client, retrieve, warnings } = over(
      { indexType: 'DENSE', dimension: 3 },
      { embedder: embedderOf(QUESTION) },
    )
    await client.upsert(bare)
    await expect(retrieve()).rejects.toMatchObject({
      code: 'retriever_misconfigured',
      message: expect.stringContaining('fields.text'),
    })
    expect(warnings.map(({ code }) => code)).toEqual(['rows_without_text'])
  })

  test('are read from the members in `fields`', async () => {
    const { client, retrieve } = over(
      { indexType: 'DENSE', dimension: 3 },
      { embedder: embedderOf(QUESTION), fields: { text: 'answer', documentId: ({ id }) => `doc of ${id}` } },
    )
    await client.upsert(bare)
    expect((await retrieve())[0]!.entries[0]!.passage).toEqual({
      id: 'p1',
      documentId: 'doc of p1',
      text: 'Red paint dries.',
      metadata: { 'page\nno': 1 },
    })
  })
})

describe('a filter', () => {
  test('is applied to the members in `fields`, and to those of the metadata', async () => {
    const { client, retrieve, asked } = over({}, { fields: { documentId: 'doc.id', title: 'name' } })
    await client.upsert([
      { id: 'a', data: 'Red paint.', metadata: { doc: { id: 'd1' }, name: 'N', team: 'edge' } },
      { id: 'b', data: 'Red paint.', metadata: { doc: { id: 'd2' }, name: 'N', team: 'edge' } },
    ])
    const filter = { documentId: 'd1', title: ['N', 'M'], 'metadata.team': 'edge' }
    expect((await retrieve({ filter })).map(idsOf)).toEqual([['a'], ['a']])
    expect(asked[1]!.body).toMatchObject([
      { filter: "doc.id = 'd1' AND name IN ('N', 'M') AND team = 'edge'" },
      { filter: "doc.id = 'd1' AND name IN ('N', 'M') AND team = 'edge'" },
    ])
  })

  test('by a number finds the passages that are numbered, and the gate accepts them', async () => {
    const { client, retrieve } = over({})
    await client.upsert([
      { id: 'a', data: 'Red paint.', metadata: { documentId: 41 } },
      { id: 'b', data: 'Red paint.', metadata: { documentId: 42 } },
    ])
    const filter = { documentId: 42 }
    const [ranking] = await retrieve({ filter })
    expect(ranking!.entries.map(({ passage }) => [passage.id, passesFilter(passage, filter)])).toEqual([['b', true]])
  })

  test.each([
    ['a function reads', { source: () => 'x' }, { source: 'x' }],
    ['no identifier of the language names', { title: 'the name' }, { title: 'x' }],
  ])('by a field that %s is rejected', async (_name, fields, filter) => {
    const { retrieve, asked } = over({}, { fields })
    await expect(retrieve({ filter: filter as Record<string, string> })).rejects.toMatchObject({
      code: 'retriever_misconfigured',
    })
    expect(asked).toEqual([])
  })
})

describe('scores that cannot be converted to cosines', () => {
  const saying = (similarityFunction: string) => ({
    namespaces: { '': { vectorCount: 1, pendingVectorCount: 0 } },
    indexType: 'DENSE',
    denseIndex: { dimension: 2, similarityFunction, embeddingModel: 'THEIRS' },
  })
  const answering =
    (info: unknown, rows: unknown): Fetch =>
    async (url) =>
      Response.json({ result: url.endsWith('/info') ? info : rows })
  const row = (vector: unknown) => ({ id: 'a', score: 0.5, data: 'Words.', vector })
  const facts = { tenant: 'default', collection: 'docs', namespace: '', question: 'q', topK: 1 }
  const ask = (fetch: Fetch, options: Partial<UpstashRetrieverOptions> = {}) =>
    createUpstashRetriever({ url: URL_OF_INDEX, fetch, ...options }).retrieve({
      ...facts,
      signal: new AbortController().signal,
    })

  test.each([['EUCLIDEAN'], ['DOT_PRODUCT']])(
    'by %s, of vectors not of length 1, are rejected',
    async (similarityFunction) => {
      for (const vector of [[3, 4], undefined, ['x'], []]) {
        await expect(ask(answering(saying(similarityFunction), [row(vector)]))).rejects.toMatchObject({
          code: 'retriever_misconfigured',
          message: expect.stringContaining('not of length 1'),
        })
      }
    },
  )

  test('by an unknown similarity are rejected', async () => {
    await expect(ask(answering(saying('MANHATTAN'), [row([1, 0])]))).rejects.toMatchObject({
      code: 'retriever_misconfigured',
    })
  })

  test.each([
    ['EUCLIDEAN', 0.5, 0.5],
    ['DOT_PRODUCT', 0.75, 0.5],
    ['COSINE', 0.75, 0.5],
  ])('by %s, of unit vectors, %d is the cosine %d', async (similarityFunction, score, expected) => {
    const [ranking] = await ask(answering(saying(similarityFunction), [{ ...row([0.6, 0.8]), score }]))
    expect(ranking!.entries[0]!.score).toBeCloseTo(expected, 12)
  })

  test('of malformed rows are passed on as NaN when an embedder is given', async () => {
    const embedder = embedderOf([1, 0])
    const [ranking] = await ask(answering(saying('EUCLIDEAN'), [row(undefined)]), { embedder })
    expect(ranking!.entries[0]!.score).toBeNaN()
  })

  test('an older index that reports only its dimension is a dense one', async () => {
    const info = { namespaces: {}, dimension: 2, similarityFunction: 'COSINE', pendingVectorCount: 0 }
    const [ranking] = await ask(answering(info, [{ ...row([1, 0]), score: 1 }]), { embedder: embedderOf([1, 0]) })
    expect(ranking).toMatchObject({ kind: 'cosine', entries: [{ score: 1 }] })
  })
})

describe('wrong options', () => {
  test.each<[string, object, string, RegExp]>([
    ['an undefined URL', { url: undefined }, 'url', /UPSTASH_VECTOR_REST_URL/],
    ['an empty URL', { url: '' }, 'url', /UPSTASH_VECTOR_REST_URL/],
    ['a URL without its scheme', { url: 'one.upstash.io' }, 'url', /begins with https:\/\//],
    ['an undefined token', { fetch: undefined, token: undefined }, 'token', /UPSTASH_VECTOR_REST_TOKEN/],
    ['an empty token', { token: '' }, 'token', /UPSTASH_VECTOR_REST_TOKEN/],
    ['an unknown kind', { index: { type: 'wide' } }, 'index.type', /dense/],
    ['an unknown similarity', { index: { type: 'dense', similarity: 'manhattan' } }, 'index.similarity', /euclidean/],
    ['an unknown field', { fields: { text: 'x', titel: 'x' } }, 'fields.titel', /known are text, title/],
    ['a field that is a list', { fields: { title: ['x'] } }, 'fields.title', /function/],
    ['fields of rows with a known form', { filledBy: 'gate', fields: { text: 'x' } }, 'fields', /filledBy/],
    ['an embedder for an index that embeds', { filledBy: 'gate', embedder: embedderOf([1]) }, 'embedder', /filledBy/],
    ['a namespace that is a number', { namespace: 5 }, 'namespace', /string/],
  ])('are rejected: %s', (_name, wrong, param, message) => {
    const options = { url: URL_OF_INDEX, token: 't', fetch: embeddedIndex(), ...wrong } as UpstashRetrieverOptions
    expect(() => createUpstashRetriever(options)).toThrow(
      expect.objectContaining({ code: 'config_invalid', param, message: expect.stringMatching(message) }),
    )
  })
})
