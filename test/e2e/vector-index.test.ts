/** The unmodified client over HTTP, against the Worker in the real runtime: every command on every kind of index. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FusionAlgorithm, Index, QueryMode, WeightingStrategy } from '@upstash/vector'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { DEEP } from '../deep-run.ts'
import { type BundledIndex, startBundledIndex } from './bundled-index.ts'

const INDEXES = {
  dense: { indexType: 'DENSE', dimension: 2 },
  sparse: { indexType: 'SPARSE', sparseEmbeddingModel: null },
  hybrid: { indexType: 'HYBRID', dimension: 2 },
  embedding: { indexType: 'DENSE', embeddingModel: 'BGE_SMALL_EN_V1_5' },
  texts: {},
}
type Name = keyof typeof INDEXES

const home = mkdtempSync(join(tmpdir(), 'hono-rag-gate-index-'))
let local: BundledIndex

const newClient = (name: Name) =>
  new Index({ url: `${local.url}/indexes/${name}`, token: local.tokens.get(name)!, enableTelemetry: false })
/** The indexes that the test before may have filled. */
const used = new Set<Name>()
function clientOf(name: Name) {
  used.add(name)
  return newClient(name)
}

beforeAll(async () => {
  local = await startBundledIndex(INDEXES, home)
})

afterAll(async () => {
  await local.stop()
  rmSync(home, { recursive: true, force: true })
})

beforeEach(async () => {
  for (const name of used) {
    const client = newClient(name)
    await client.reset({ all: true })
    for (const namespace of await client.listNamespaces()) {
      if (/^[\w-]+$/.test(namespace)) await client.deleteNamespace(namespace)
    }
  }
  used.clear()
})

const sparseVector = { indices: [0, 1], values: [0.5, 0.1] }
const VECTORS = {
  dense: { vector: [0.5, 0.1] },
  sparse: { sparseVector },
  hybrid: { vector: [0.5, 0.1], sparseVector },
}

// `test/vector-index/protocol/commands/kinds.test.ts` asks all three.
describe.each(DEEP ? (['dense', 'sparse', 'hybrid'] as const) : (['hybrid'] as const))(
  'vectors in the index "%s"',
  (name) => {
    // The client has a type for each kind of index; here one test serves them all.
    const vectors = VECTORS[name] as { vector: number[]; sparseVector: typeof sparseVector }
    const rows = Array.from({ length: 12 }, (_, at) => ({
      id: `id-${at}`,
      ...vectors,
      metadata: { at },
      data: `d${at}`,
    }))

    test.each(DEEP ? ['', 'ns'] : ['ns'])('pass every command in the namespace "%s"', async (namespace) => {
      const index = clientOf(name).namespace(namespace)
      expect(await index.upsert(rows)).toBe('Success')
      const all = { includeVectors: true, includeMetadata: true, includeData: true }
      expect(await index.fetch(['id-3', 'nothing'], all)).toEqual([rows[3], null])
      expect(await index.fetch({ prefix: 'id-1' }, all)).toEqual([rows[1], rows[10], rows[11]])
      expect(await index.query({ ...vectors, topK: 3 })).toHaveLength(3)
      const [best] = await index.query({ ...vectors, topK: 1, weightingStrategy: WeightingStrategy.IDF, ...all })
      expect(best).toMatchObject(rows[0]!)
      expect(await index.range({ cursor: 0, limit: 5 })).toMatchObject({ nextCursor: '5' })
      expect(await index.range({ cursor: '10', limit: 5, includeData: true })).toEqual({
        nextCursor: '',
        vectors: [
          { id: 'id-10', data: 'd10' },
          { id: 'id-11', data: 'd11' },
        ],
      })
      expect(await index.update({ id: 'id-3', metadata: { more: true }, metadataUpdateMode: 'PATCH' })).toEqual({
        updated: 1,
      })
      expect(await index.fetch(['id-3'], { includeMetadata: true })).toEqual([
        { id: 'id-3', metadata: { at: 3, more: true } },
      ])
      expect(await index.delete('id-3')).toEqual({ deleted: 1 })
      expect(await index.delete(['id-3', 'id-4'])).toEqual({ deleted: 1 })
      expect(await index.delete({ prefix: 'id-1' })).toEqual({ deleted: 3 })
      expect((await clientOf(name).info()).namespaces[namespace]).toEqual({ vectorCount: 7, pendingVectorCount: 0 })
      expect(await index.reset()).toBe('Success')
      expect((await clientOf(name).info()).vectorCount).toBe(0)
    })

    test('are found in batches', async () => {
      const index = clientOf(name)
      await index.upsert(rows)
      const { result, fetchNext, stop } = await index.resumableQuery({ ...vectors, topK: 5, maxIdle: 60 })
      const batches = [result, await fetchNext(5), await fetchNext(5), await fetchNext(5)]
      expect(batches.map(({ length }) => length)).toEqual([5, 5, 2, 0])
      expect(new Set(batches.flat().map(({ id }) => id)).size).toBe(12)
      expect(await stop()).toBe('Success')
      await expect(stop()).rejects.toThrow('has not been started')
    })

    test('are searched with several queries at once', async () => {
      const index = clientOf(name)
      await index.upsert(rows)
      const query = { ...vectors, topK: 2, fusionAlgorithm: FusionAlgorithm.DBSF }
      const [first, second] = await index.queryMany([query, { ...query, topK: 4 }])
      expect([first?.length, second?.length]).toEqual([2, 4])
      expect(await index.queryMany([query])).toEqual([first])
    })

    test('are required: texts are rejected', async () => {
      await expect(clientOf(name).upsert({ id: 'a', data: 'text' })).rejects.toThrow('Embedding data for this index')
      // @ts-expect-error what the types forbid must fail
      await expect(clientOf(name).upsert({ id: 'a' })).rejects.toThrow('Embedding data for this index')
    })
  },
)

describe.each(['embedding', 'texts'] as const)('texts in the index "%s"', (name) => {
  const texts = ['The bridge is red', 'The tower is tall', 'The river is wide'].map((data, at) => ({
    id: at,
    data,
    metadata: { at },
  }))

  test('are found, changed, and found in batches', async () => {
    const index = clientOf(name).namespace('ns')
    expect(await index.upsert(texts)).toBe('Success')
    const query = { data: 'red bridge', topK: 1, includeData: true, includeMetadata: true }
    expect(await index.query(query)).toMatchObject([{ id: '0', data: texts[0]!.data, metadata: { at: 0 } }])
    const { result, fetchNext, stop } = await index.resumableQuery({ ...query, maxIdle: 60 })
    expect([...result, ...(await fetchNext(5))].map(({ id }) => id)).toHaveLength(3)
    await stop()
    expect(await index.update({ id: 2, data: 'A narrow street' })).toEqual({ updated: 1 })
    expect(await index.query({ ...query, data: 'A narrow street' })).toMatchObject([{ id: '2' }])
  })

  test('cannot be mixed with vectors', async () => {
    const mixed = [
      { id: 'a', data: 'text' },
      { id: 'b', vector: [1, 2] },
    ]
    await expect(clientOf(name).upsert(mixed as never)).rejects.toThrow('This index requires')
    expect((await clientOf(name).info()).vectorCount).toBe(0)
  })
})

test('a hybrid index supports every query mode', async () => {
  const index = clientOf('texts')
  await index.upsert([
    { id: 'a', data: 'edge cache' },
    { id: 'b', data: 'weak evidence' },
  ])
  const ask = (queryMode: QueryMode) => index.query({ data: 'cache', topK: 5, queryMode })
  expect((await ask(QueryMode.SPARSE)).map(({ id }) => id)).toEqual(['a'])
  expect(await ask(QueryMode.DENSE)).toHaveLength(2)
  expect((await ask(QueryMode.HYBRID))[0]).toEqual({ id: 'a', score: 0.033333335 })
})

describe('a namespace', () => {
  /** What the client is told, and the namespace that its request really names: it does not encode them. */
  const NASTY = [
    ['a b', 'a b'],
    ['a/b', 'a/b'],
    ['q?x', 'q'],
    ['h#y', 'h'],
    ['100%', '100%'],
    ['a%2Fb', 'a/b'],
    ['größe', 'größe'],
    ['日本', '日本'],
    ['🦀', '🦀'],
    ["'; DROP TABLE vectors; --", "'; DROP TABLE vectors; --"],
    ['a&b=c+d', 'a&b=c+d'],
    ['constructor', 'constructor'],
    ['__proto__', '__proto__'],
    ['a\\b', 'a/b'],
  ] as const

  test.each(DEEP ? NASTY : NASTY.slice(4, 8))('%j can be written and read', async (given, named) => {
    const index = clientOf('dense')
    const namespace = index.namespace(given)
    expect(await namespace.upsert({ id: 'a', vector: [1, 0] })).toBe('Success')
    expect(await index.listNamespaces()).toContain(named)
    expect(await namespace.query({ vector: [1, 0], topK: 1 })).toEqual([{ id: 'a', score: 1 }])
    expect(await namespace.fetch(['a'])).toEqual([{ id: 'a' }])
    expect(await index.query({ vector: [1, 0], topK: 1 })).toEqual([])
    expect(await namespace.reset()).toBe('Success')
    expect(await index.deleteNamespace(given)).toBe('Success')
    expect(await index.listNamespaces()).not.toContain(named)
  })

  test('that does not exist is empty, and cannot be deleted', async () => {
    const index = clientOf('dense')
    expect(await index.namespace('nowhere').query({ vector: [1, 0], topK: 1 })).toEqual([])
    await expect(index.deleteNamespace('nowhere')).rejects.toThrow(
      'Namespace nowhere for the index dense does not exist',
    )
    expect(await index.listNamespaces()).toEqual([''])
  })
})

describe('a token', () => {
  const info = (path: string, token: string) =>
    fetch(`${local.url}${path}/info`, { headers: { authorization: `Bearer ${token}` } })

  test('opens its own index, with a path and without', async () => {
    for (const [name, settings] of Object.entries(INDEXES)) {
      const token = local.tokens.get(name)!
      for (const path of ['', `/indexes/${name}`]) {
        const { result } = (await (await info(path, token)).json()) as { result: { indexType: string } }
        expect(result.indexType).toBe('indexType' in settings ? settings.indexType : 'HYBRID')
      }
    }
  })

  test.each([
    ['of another index', '/indexes/dense', () => local.tokens.get('sparse')!],
    ['that is wrong', '/indexes/dense', () => 'wrong'],
    ['that is wrong, without a path', '', () => 'wrong'],
    ['for an index that is not there', '/indexes/other', () => local.tokens.get('dense')!],
  ])('%s opens no index', async (_name, path, token) => {
    const response = await info(path, token())
    expect(response.status).toBe(401)
    expect(await response.text()).toBe('{"error":"Unauthorized: Invalid auth token","status":401}')
  })
})

test.runIf(DEEP)('written rows exist after a restart, and a resumable query continues', async () => {
  const rows = Array.from({ length: 6 }, (_, at) => ({ id: `r${at}`, vector: [1, at] }))
  await clientOf('dense').namespace('kept').upsert(rows)
  const { result, fetchNext } = await clientOf('dense').resumableQuery(
    { vector: [1, 0], topK: 2, maxIdle: 600 },
    { namespace: 'kept' },
  )
  expect(result.map(({ id }) => id)).toEqual(['r0', 'r1'])
  await local.stop()
  // The client asks where it asked before.
  local = await startBundledIndex(INDEXES, home, Number(new URL(local.url).port))
  expect((await fetchNext(9)).map(({ id }) => id)).toEqual(['r2', 'r3', 'r4', 'r5'])
  expect(
    await clientOf('dense')
      .namespace('kept')
      .query({ vector: [1, 0], topK: 9 }),
  ).toHaveLength(6)
  expect((await clientOf('sparse').info()).vectorCount).toBe(0)
})

test.each(DEEP ? [17, 40] : [17])('a body of %i MiB gets 413 before the connection ends', async (mebibytes) => {
  const body = new Uint8Array(mebibytes * 1024 * 1024).fill(0x20)
  const headers = { authorization: `Bearer ${local.tokens.get('dense')!}` }
  for (const path of ['upsert', 'upsert/ns', 'delete-namespace/ns']) {
    const response = await fetch(`${local.url}/indexes/dense/${path}`, { method: 'POST', headers, body })
    expect(response.status).toBe(413)
    expect(await response.json()).toEqual({ error: 'The body is larger than 16777216 bytes', status: 413 })
  }
})
