import { abortAllDurableObjects, evictDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { FusionAlgorithm, Index, QueryMode, WeightingStrategy } from '@upstash/vector'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  createUpstashChunkIndex,
  createUpstashRetriever,
  createUpstashTransport,
} from '../../packages/upstash/src/index.ts'
import { passesFilter, type PassageFilter } from '../../src/core/evidence/passage-filter.ts'
import { serveIndex } from '../../packages/vector-index/src/worker/serve-index.ts'
import { retrieverContract } from '../contracts/retriever.ts'

const TOKEN = 'index-token-of-these-tests-0123456789abcdef'
const URL_OF_INDEX = 'https://index.test'

let made = 0
let name = ''

const stub = () => env.VECTOR_INDEX.getByName(name)
const overStub = { url: URL_OF_INDEX, fetch: (url: string, init: RequestInit) => stub().fetch(url, init) }

const client = () => new Index(createUpstashTransport({ ...overStub, timeoutMs: 5000, maxResponseBytes: 1e7 })())

const post = (path: string, body: BodyInit) => stub().fetch(`${URL_OF_INDEX}${path}`, { method: 'POST', body })

const searchEdge = async (): Promise<unknown> =>
  (await post('/query-data/n', JSON.stringify({ data: 'edge word19', topK: 50 }))).json()

beforeEach(() => {
  name = `test-${(made += 1)}`
})

const TEXTS = [
  { id: 'gate', data: 'The gate refuses weak evidence.', metadata: { page: 1 } },
  { id: 'cache', data: 'The cache keeps strong answers longer.', metadata: { page: 2 } },
  { id: 'log', data: 'Every decision of the gate is counted.', metadata: { page: 3 } },
]

describe('the unmodified Upstash client', () => {
  test('upserts texts and finds them dense, sparse and fused', async () => {
    const docs = client().namespace('docs')
    expect(await docs.upsert(TEXTS)).toBe('Success')
    const query = { data: 'what refuses weak evidence?', topK: 2, includeData: true, includeMetadata: true }
    const dense = await docs.query({ ...query, queryMode: QueryMode.DENSE })
    const sparse = await docs.query({
      ...query,
      queryMode: QueryMode.SPARSE,
      weightingStrategy: WeightingStrategy.IDF,
    })
    const fused = await docs.query({ ...query, queryMode: QueryMode.HYBRID, fusionAlgorithm: FusionAlgorithm.RRF })
    for (const found of [dense, sparse, fused]) expect(found[0]).toMatchObject(TEXTS[0]!)
    expect(dense).toHaveLength(2)
    expect(sparse).toHaveLength(1)
    expect(fused[0]!.score).toBe(0.033333335)
  })

  test('asks several questions at once', async () => {
    const index = client()
    await index.upsert(TEXTS)
    const [gate, cache] = await index.queryMany(['evidence', 'answers'].map((data) => ({ data, topK: 1 })))
    expect([gate?.[0]?.id, cache?.[0]?.id]).toEqual(['gate', 'cache'])
    expect(await index.queryMany([{ data: 'evidence', topK: 1 }])).toEqual([gate])
  })

  test('fetches, pages, deletes, resets and describes', async () => {
    const index = client()
    await index.upsert(TEXTS)
    expect(await index.fetch(['log', 'nothing'], { includeData: true })).toEqual([
      { id: 'log', data: TEXTS[2]!.data },
      null,
    ])
    expect(await index.range({ cursor: 0, limit: 2 })).toMatchObject({ nextCursor: '2' })
    expect(await index.delete(['log', 'nothing'])).toEqual({ deleted: 1 })
    expect(await index.info()).toMatchObject({ vectorCount: 2, pendingVectorCount: 0, dimension: 1024 })
    await index.namespace('other').upsert(TEXTS)
    await index.reset()
    expect((await index.info()).namespaces).toMatchObject({ '': { vectorCount: 0 }, other: { vectorCount: 3 } })
    await index.reset({ all: true })
    expect((await index.info()).vectorCount).toBe(0)
    expect(await index.listNamespaces()).toEqual(['', 'other'])
    await index.deleteNamespace('other')
    expect(await index.listNamespaces()).toEqual([''])
  })

  test.each([
    ['graceful eviction', () => evictDurableObject(stub())],
    ['a crash', () => abortAllDurableObjects()],
  ])('finds after %s what was written before it', async (_name, interrupt) => {
    const docs = client().namespace('docs')
    await docs.upsert(TEXTS)
    await docs.delete('log')
    const query = { data: 'gate', topK: 5, includeData: true, includeMetadata: true }
    const before = await docs.query(query)
    await interrupt()
    expect(await docs.query(query)).toEqual(before)
    expect(new Set(before.map(({ id }) => id))).toEqual(new Set(['cache', 'gate']))
  })
})

describe('the Durable Object', () => {
  test.each([
    ['JSON that breaks off', '{"data": "x"'],
    ['bytes that are no UTF-8', Uint8Array.from([0x22, 0xff, 0xfe, 0x22])],
    ['a form', 'data=x'],
  ])('answers 400 to %s', async (_name, body) => {
    const response = await post('/query-data', body)
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({ error: 'The body is not valid JSON', status: 400 })
  })

  test('answers 413 to an endless body, without reading all of it', async () => {
    let pieces = 0
    const piece = new Uint8Array(1024 * 1024).fill(0x20)
    const endless = new ReadableStream({
      pull(controller) {
        if (pieces++ === 20) controller.close()
        else controller.enqueue(piece)
      },
    })
    const response = await post('/upsert-data', endless)
    expect(response.status).toBe(413)
    expect(await response.json()).toMatchObject({ status: 413 })
  })

  test('prints numbers as float32', async () => {
    await post('/upsert-data', JSON.stringify(TEXTS))
    const response = await post('/query-data', JSON.stringify({ data: 'weak evidence', topK: 1 }))
    expect(await response.text()).toBe('{"result":[{"id":"gate","score":0.033333335}]}')
    expect(response.headers.get('content-type')).toBe('application/json')
    const vector = Array.from({ length: 1024 }, () => 3)
    await post('/upsert', JSON.stringify({ id: 'a', vector, sparseVector: { indices: [5], values: [2] } }))
    const fetched = await (await post('/fetch', JSON.stringify({ ids: ['a'], includeVectors: true }))).text()
    expect(fetched).toMatch(/"vector":\[3\.0,.*"sparseVector":\{"indices":\[5\],"values":\[2\.0\]\}/)
  })

  test('stays consistent under concurrent writes and searches', async () => {
    const writes = Array.from({ length: 20 }, (_, at) =>
      post('/upsert-data/n', JSON.stringify({ id: `r${at % 7}`, data: `edge word${at}` })),
    )
    const searches = Array.from({ length: 20 }, () => post('/query-data/n', JSON.stringify({ data: 'edge', topK: 50 })))
    const answers = await Promise.all([...writes, ...searches].map(async (sent) => (await sent).json()))
    for (const answer of answers) expect(answer).toHaveProperty('result')
    const before = await searchEdge()
    await evictDurableObject(stub())
    expect(await searchEdge()).toEqual(before)
  })
})

describe('serving an index', () => {
  const serve = (path: string, headers: HeadersInit = {}, token: string | undefined = TOKEN) =>
    serveIndex(new Request(`https://gate.test${path}`, { method: 'POST', body: '[]', headers }), {
      token,
      stub: stub(),
      prefix: '/vector',
    })

  test('accepts the right token, below the prefix', async () => {
    const response = await serve('/vector/list-namespaces', { authorization: `Bearer ${TOKEN}` })
    expect(await response.json()).toEqual({ result: [''] })
  })

  test.each([
    ['no token', {}, TOKEN],
    ['another token', { authorization: 'Bearer other' }, TOKEN],
    ['the beginning of the token', { authorization: `Bearer ${TOKEN.slice(0, -1)}` }, TOKEN],
    ['the token and more', { authorization: `Bearer ${TOKEN}x` }, TOKEN],
    ['another scheme', { authorization: `Basic ${TOKEN}` }, TOKEN],
    ['an empty token where none is configured', { authorization: 'Bearer ' }, ''],
    ['the word undefined where none is configured', { authorization: 'Bearer undefined' }, ''],
  ])('rejects %s', async (_name, headers, token) => {
    const response = await serve('/vector/info', headers as Record<string, string>, token)
    expect(response.status).toBe(401)
    expect(await response.json()).toEqual({ error: 'Unauthorized: Invalid auth token', status: 401 })
  })

  test.each(['/info', '/vector', '/vectors/info'])('answers 404 for %s', async (path) => {
    expect((await serve(path, { authorization: `Bearer ${TOKEN}` })).status).toBe(404)
  })

  test('works with the client, with its URL and token', async () => {
    const fetchThrough = (url: string, init: RequestInit) =>
      serveIndex(new Request(url, init), { token: TOKEN, stub: stub(), prefix: '/vector' })
    const options = { url: 'https://gate.test/vector/', fetch: fetchThrough }
    const index = createUpstashChunkIndex({ ...options, token: TOKEN })
    expect(await index.describe()).toEqual({ embeddingModel: 'hashed-words-trigrams-1024', dimension: 1024 })
    const stranger = createUpstashChunkIndex({ ...options, token: 'wrong' })
    await expect(stranger.describe()).rejects.toMatchObject({ code: 'retriever_misconfigured' })
  })
})

test('a filtered retrieval finds the best of the remaining passages, by any field', async () => {
  const [index, retriever] = [
    createUpstashChunkIndex(overStub),
    createUpstashRetriever({ ...overStub, filledBy: 'gate', namespace: () => 'filtered' }),
  ]
  const passages = Array.from({ length: 30 }, (_, at) => ({
    id: `p${at}`,
    documentId: `d${at % 10}`,
    text: at < 20 ? 'The gate refuses weak evidence.' : 'The gate counts what it refuses, among much else.',
    source: 'https://example.com/a',
    metadata: { team: at < 20 ? 'edge' : 'core', level: at, open: at % 2 === 0 },
  }))
  await index.upsert('filtered', passages)
  const filters: readonly (readonly [PassageFilter, (at: number) => boolean])[] = [
    [{ 'metadata.team': 'core' }, (at) => at >= 20],
    [{ 'metadata.team': ['core', 'none'], 'metadata.open': true }, (at) => at >= 20 && at % 2 === 0],
    [{ documentId: ['d3', 'd7'], 'metadata.level': [3, 13, 14] }, (at) => at === 3 || at === 13],
    [{ source: 'https://example.com/b' }, () => false],
  ]
  for (const [filter, passes] of filters) {
    const signal = new AbortController().signal
    const where = { tenant: 'acme', collection: 'docs', namespace: 'filtered' }
    const rankings = await retriever.retrieve({ ...where, question: 'gate refuses', topK: 10, filter, signal })
    const expected = passages.filter((_passage, at) => passes(at)).map(({ id }) => id)
    for (const { entries } of rankings) {
      expect(entries).toHaveLength(expected.length)
      expect(new Set(entries.map(({ passage }) => passage.id))).toEqual(new Set(expected))
      expect(entries.every(({ passage }) => passesFilter(passage, filter))).toBe(true)
    }
  }
})

retrieverContract('the Upstash adapter over the embedded index', async () => ({
  retriever: createUpstashRetriever({ ...overStub, filledBy: 'gate', namespace: (_tenant, collection) => collection }),
  index: createUpstashChunkIndex(overStub),
}))
