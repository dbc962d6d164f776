import { evictDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { Index } from '@upstash/vector'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createUpstashTransport } from '../../packages/upstash/src/index.ts'
import { indexesOf } from '../../packages/vector-index/src/configured-indexes.ts'
import { serveIndexes, tokensOf, type IndexesEnv } from '../../packages/vector-index/src/worker/serve-indexes.ts'

const NAMES = ['default', 'dense', 'sparse', 'hybrid', 'embedding'] as const
type Name = (typeof NAMES)[number]

const TOKENS = { dense: 'token-of-dense-0123456789abcdef01234567', sparse: 'token-of-sparse-0123456789abcdef01234567' }
const served: IndexesEnv = {
  VECTOR_INDEX: env.VECTOR_INDEX,
  VECTOR_INDEXES: env.VECTOR_INDEXES,
  INDEX_TOKEN: 'common-token-0123456789abcdef01234567',
  INDEX_TOKENS: JSON.stringify(TOKENS),
}

const stub = (name: Name) => env.VECTOR_INDEX.getByName(name)
const clientOf = (name: Name) =>
  new Index(
    createUpstashTransport({
      url: 'https://index.test',
      fetch: (url, init) => stub(name).fetch(url, init),
      timeoutMs: 5000,
      maxResponseBytes: 1e7,
    })(),
  )

async function serve(path: string, token?: string, bindings: IndexesEnv = served) {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const request = new Request(`https://indexes.test${path}`, { method: 'POST', body: '[]', headers })
  const response = await serveIndexes(request, bindings)
  return { status: response.status, body: await response.json<{ result?: { indexType: string }; error?: string }>() }
}

beforeEach(async () => {
  for (const name of NAMES) await clientOf(name).reset({ all: true })
})

afterEach(() => {
  vi.restoreAllMocks()
})

describe('the index that answers', () => {
  test.each([
    ['/info', 'token-of-dense-0123456789abcdef01234567', 'DENSE'],
    ['/info', 'token-of-sparse-0123456789abcdef01234567', 'SPARSE'],
    ['/info', 'common-token-0123456789abcdef01234567', 'HYBRID'],
    ['/indexes/dense/info', 'token-of-dense-0123456789abcdef01234567', 'DENSE'],
    ['/indexes/sparse/info', 'token-of-sparse-0123456789abcdef01234567', 'SPARSE'],
    ['/indexes/embedding/info', 'common-token-0123456789abcdef01234567', 'DENSE'],
  ])("is the token's own for %s with the token %s", async (path, token, indexType) => {
    expect(await serve(path, token)).toMatchObject({ status: 200, body: { result: { indexType } } })
  })

  test.each([
    ['/info', undefined],
    ['/info', 'other'],
    ['/indexes/dense/info', 'common-token-0123456789abcdef01234567'],
    ['/indexes/dense/info', 'token-of-sparse-0123456789abcdef01234567'],
    ['/indexes/unknown/info', 'common-token-0123456789abcdef01234567'],
    ['/indexes/Dense/info', 'token-of-dense-0123456789abcdef01234567'],
    ['/indexes/', 'other'],
  ])('is missing, with 401, for %s with the token %s', async (path, token) => {
    expect(await serve(path, token)).toEqual({
      status: 401,
      body: { error: 'Unauthorized: Invalid auth token', status: 401 },
    })
  })

  test('is missing, with 401, when no token is configured', async () => {
    const { VECTOR_INDEX, VECTOR_INDEXES } = served
    for (const token of ['', 'undefined', 'common-token-0123456789abcdef01234567']) {
      expect((await serve('/info', token, { VECTOR_INDEX, VECTOR_INDEXES })).status).toBe(401)
    }
  })

  test('is one hybrid index when only a token is configured', async () => {
    const bindings = { VECTOR_INDEX: env.VECTOR_INDEX, INDEX_TOKEN: 'common-token-0123456789abcdef01234567' }
    expect(await serve('/indexes/default/info', 'common-token-0123456789abcdef01234567', bindings)).toMatchObject({
      body: { result: { indexType: 'HYBRID' } },
    })
  })

  test('cannot be changed by the path below it', async () => {
    const { body } = await serve('/indexes/dense/../sparse/info', 'token-of-dense-0123456789abcdef01234567')
    expect(body.error).toBe('Unauthorized: Invalid auth token')
  })
})

describe('a read-only token', () => {
  const bindings = {
    ...served,
    INDEX_READONLY_TOKEN: 'reads-all-0123456789abcdef01234567',
    INDEX_READONLY_TOKENS: { dense: 'reads-dense-0123456789abcdef01234567' },
  }

  test.each([
    ['/info', 'reads-dense-0123456789abcdef01234567', 200],
    ['/indexes/dense/range', 'reads-dense-0123456789abcdef01234567', 422],
    ['/indexes/dense/list-namespaces', 'reads-dense-0123456789abcdef01234567', 200],
    ['/indexes/dense/query', 'reads-dense-0123456789abcdef01234567', 422],
    ['/indexes/dense/resumable-query-end', 'reads-dense-0123456789abcdef01234567', 422],
    ['/indexes/sparse/info', 'reads-all-0123456789abcdef01234567', 200],
    ['/indexes/dense/info', 'reads-all-0123456789abcdef01234567', 401],
    ['/indexes/sparse/info', 'reads-dense-0123456789abcdef01234567', 401],
    ['/indexes/dense/upsert', 'reads-dense-0123456789abcdef01234567', 403],
    ['/indexes/dense/upsert/', 'reads-dense-0123456789abcdef01234567', 403],
    ['/indexes/dense/upsert-data', 'reads-dense-0123456789abcdef01234567', 403],
    ['/indexes/dense/update', 'reads-dense-0123456789abcdef01234567', 403],
    ['/indexes/dense/delete', 'reads-dense-0123456789abcdef01234567', 403],
    ['/indexes/dense/reset', 'reads-dense-0123456789abcdef01234567', 403],
    ['/indexes/dense/reset?all', 'reads-dense-0123456789abcdef01234567', 403],
    ['/indexes/dense/delete-namespace/a', 'reads-dense-0123456789abcdef01234567', 403],
  ])('for %s with %s gets %i', async (path, token, status) => {
    expect((await serve(path, token, bindings)).status).toBe(status)
  })

  test('is reported as read-only', async () => {
    expect(await serve('/upsert', 'reads-dense-0123456789abcdef01234567', bindings)).toEqual({
      status: 403,
      body: { error: 'Forbidden: The token is read-only', status: 403 },
    })
  })
})

describe('a configuration', () => {
  test.each([
    ['{', 'VECTOR_INDEXES is not valid JSON'],
    ['[]', 'VECTOR_INDEXES must be an object'],
    ['{}', 'VECTOR_INDEXES names no index'],
    ['{"A": {}}', 'the name "A" must be'],
    ['{"a": {"dimension": 0}}', 'VECTOR_INDEXES.a.dimension must be a whole number from 1 to 5376'],
    [{ a: { kind: 'DENSE' } }, 'There is no option VECTOR_INDEXES.a.kind'],
  ])('%j is rejected', (VECTOR_INDEXES, message) => {
    expect(() => indexesOf({ VECTOR_INDEXES })).toThrow(message)
  })

  test.each([
    ['{', 'INDEX_TOKENS is not valid JSON'],
    ['[]', 'INDEX_TOKENS must be an object'],
    [{ other: 'token' }, 'INDEX_TOKENS names "other"'],
    [{ a: '' }, 'the token of "a" must be a string without spaces'],
    [{ a: 'secret', b: 'secret' }, 'two in INDEX_TOKENS are equal'],
    [{ a: 'common' }, 'two in INDEX_TOKENS are equal'],
  ])('with the tokens %j is rejected', (INDEX_TOKENS, message) => {
    const bindings = { VECTOR_INDEXES: { a: {}, b: {} }, INDEX_TOKENS, INDEX_TOKEN: 'common' }
    expect(() => tokensOf(bindings)).toThrow(message)
    expect(() => tokensOf(bindings)).not.toThrow('secret')
  })

  test.each([{ INDEX_TOKEN: 'x' }, { INDEX_READONLY_TOKEN: 'x'.repeat(31) }, { INDEX_TOKENS: { a: 'x' } }])(
    'with the tokens %j is rejected as too short',
    (tokens) => {
      expect(() => tokensOf({ VECTOR_INDEXES: { a: {} }, ...tokens })).toThrow(
        expect.objectContaining({ code: 'secret_too_short' }),
      )
    },
  )

  test('that is wrong is reported to every request and in the log', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const answer = await serve('/info', 'common-token-0123456789abcdef01234567', {
      ...served,
      VECTOR_INDEXES: '{"a": {"dimension": 0}}',
    })
    expect(answer).toMatchObject({
      status: 500,
      body: {
        error: expect.stringContaining('The indexes are not configured correctly: VECTOR_INDEXES.a.dimension must'),
      },
    })
    expect(log).toHaveBeenCalledOnce()
  })
})

describe('after an eviction', () => {
  const rows = Array.from({ length: 5 }, (_, at) => ({ id: `r${at}`, vector: [1, at] }))

  test('a resumable query continues', async () => {
    const dense = clientOf('dense')
    await dense.upsert(rows)
    const { result, fetchNext, stop } = await dense.resumableQuery({ vector: [1, 0], topK: 2, maxIdle: 60 })
    await evictDurableObject(stub('dense'))
    expect(result.map(({ id }) => id)).toEqual(['r0', 'r1'])
    expect((await fetchNext(9)).map(({ id }) => id)).toEqual(['r2', 'r3', 'r4'])
    await evictDurableObject(stub('dense'))
    expect(await stop()).toBe('Success')
  })

  test('vectors of every kind are returned as written', async () => {
    const sparseVector = { indices: [1, -2], values: [0.1, 0.2] }
    const kinds = {
      dense: { vector: [0.1, 0.2] },
      hybrid: { vector: [0.1, 0.2], sparseVector },
      sparse: { sparseVector },
    }
    for (const [name, vectors] of Object.entries(kinds) as [Name, { vector: number[] }][]) {
      await clientOf(name).upsert({ id: 'a', ...vectors })
      await evictDurableObject(stub(name))
      expect(await clientOf(name).fetch(['a'], { includeVectors: true })).toEqual([{ id: 'a', ...vectors }])
      expect(await clientOf(name).query({ ...vectors, topK: 1 })).toHaveLength(1)
    }
  })
})
