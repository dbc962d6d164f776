import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  createUpstashChunkIndex,
  createUpstashRetriever,
  createUpstashTransport,
  type UpstashRetrieverOptions,
} from '../../packages/upstash/src/index.ts'
import { RagGateError } from '../../src/errors.ts'
import type { Fetch } from '../../packages/upstream/src/http/bounded-fetch.ts'
import { filterCondition } from '../../packages/vector-index/src/filter/filter-condition.ts'
import type { PassageFilter } from '../../src/core/evidence/passage-filter.ts'
import type { RetrievalRequest } from '../../src/ports/retriever.ts'

const URL_OF_INDEX = 'https://index.test/prefix/'

/** Answers each request with the next response, and throws when there is none left. */
function scripted(...responses: readonly (Response | (() => Promise<Response>))[]) {
  const requests: { url: string; init: RequestInit; body: unknown }[] = []
  const left = [...responses]
  const fetch: Fetch = async (url, init) => {
    requests.push({ url, init, body: typeof init.body === 'string' ? JSON.parse(init.body) : init.body })
    const next = left.shift()
    if (next === undefined) throw new Error(`unexpected request to ${url}`)
    return typeof next === 'function' ? next() : next
  }
  return { fetch, requests }
}

const result = (value: unknown): Response => Response.json({ result: value })
const failure = (status: number, error: string, headers: HeadersInit = {}): Response =>
  Response.json({ error, status }, { status, headers })
const row = (id: string, score: unknown, more: object = {}): object => ({ id, score, data: `text of ${id}`, ...more })

function retrieve(
  fetch: Fetch,
  options: Partial<UpstashRetrieverOptions> = {},
  request: Partial<RetrievalRequest> = {},
) {
  const retriever = createUpstashRetriever({
    url: URL_OF_INDEX,
    token: 'secret',
    fetch,
    timeoutMs: 200,
    upstream: { retries: 0 },
    filledBy: 'gate',
    namespace: () => request.namespace ?? 'n1',
    ...options,
  })
  return retriever.retrieve({
    tenant: 'acme',
    collection: 'docs',
    namespace: 'n1',
    question: 'why?',
    topK: 3,
    signal: new AbortController().signal,
    ...request,
  })
}

const never = () => new Promise<Response>(() => {})

const dripping = () =>
  new ReadableStream({
    async pull(controller) {
      await new Promise((resolve) => setTimeout(resolve, 5))
      controller.enqueue(Uint8Array.of(0x20))
    },
  })

const indexOver = (fetch: Fetch, more: object = {}) =>
  createUpstashChunkIndex({ url: URL_OF_INDEX, fetch, settlePollMs: 1, settleTimeoutMs: 5, ...more })

/** Scores of both rankings when the index answers with these rows. */
async function scoresOf(dense: readonly object[], sparse: readonly object[] = [], topK = 10) {
  const rankings = await retrieve(scripted(result([dense, sparse])).fetch, {}, { topK })
  return rankings.map(({ entries }) => entries.map(({ passage, score }) => [passage.id, score]))
}

describe('a retrieval', () => {
  test('is one request with a dense and a sparse query', async () => {
    const { fetch, requests } = scripted(result([[], []]))
    await retrieve(fetch)
    expect(requests).toHaveLength(1)
    const [{ url, init, body }] = requests as [(typeof requests)[0]]
    expect(url).toBe('https://index.test/prefix/query-data/n1')
    expect(init).toMatchObject({ method: 'POST', redirect: 'manual', headers: { authorization: 'Bearer secret' } })
    const query = { data: 'why?', topK: 3, includeData: true, includeMetadata: true }
    expect(body).toEqual([
      { ...query, queryMode: 'DENSE' },
      { ...query, queryMode: 'SPARSE', weightingStrategy: 'IDF' },
    ])
  })

  test('asks for the dense ranking only when no other is wanted', async () => {
    const { fetch, requests } = scripted(result([row('a', 0.9)]))
    expect(await retrieve(fetch, { methods: 'dense' })).toMatchObject([{ kind: 'cosine', entries: [{ score: 0.8 }] }])
    expect(requests[0]!.body).toMatchObject({ queryMode: 'DENSE' })
  })

  test.each(['dense', 'sparse'] as const)(
    'with the method %s gives one empty ranking when there are no results',
    async (methods) => {
      const rankings = await retrieve(scripted(result([])).fetch, { methods })
      expect(rankings).toEqual([{ kind: methods === 'dense' ? 'cosine' : 'bm25', entries: [] }])
    },
  )

  test.each<[PassageFilter, string]>([
    [{ source: 'https://example.com/a?b=c%20d' }, "source = 'https://example.com/a?b=c%20d'"],
    [{ 'metadata.team': ['edge', 'core'], version: '3' }, "metadata.team IN ('edge', 'core') AND version = '3'"],
    [
      { 'metadata.draft': false, 'metadata.level': [1, -2.5] },
      'metadata.draft = false AND metadata.level IN (1, -2.5)',
    ],
    [{ title: 'x) OR (1 = 1 -- *' }, "title = 'x) OR (1 = 1 -- *'"],
  ])('sends the filter %j in the language of the index, with both queries', async (filter, text) => {
    const { fetch, requests } = scripted(result([[], []]))
    await retrieve(fetch, {}, { filter })
    expect(requests[0]?.body).toMatchObject([{ filter: text }, { filter: text }])
    expect(() => filterCondition(text)).not.toThrow()
  })

  test.each([["x' OR source != '"], ['x"'], ['x\\'], ['x\n'], ['\ud800'], [Number.NaN], [Infinity]])(
    'sends nothing for a filter with the value %j',
    async (value) => {
      const { fetch, requests } = scripted()
      const failed = retrieve(fetch, {}, { filter: { source: ['x', value] } })
      await expect(failed).rejects.toMatchObject({ code: 'config_invalid' })
      expect(requests).toEqual([])
    },
  )

  test('gives raw cosines and BM25 scores', async () => {
    const scores = await scoresOf([row('a', 0.9), row('b', 0.5), row('c', 0)], [row('a', 7.5)])
    expect(scores[0]).toEqual([
      ['a', 0.8],
      ['b', 0],
      ['c', -1],
    ])
    expect(scores[1]).toEqual([['a', 7.5]])
  })

  test('names the kind of each ranking, also without results', async () => {
    const rankings = await retrieve(scripted(result([[], []])).fetch)
    expect(rankings).toEqual([
      { kind: 'cosine', entries: [] },
      { kind: 'bm25', entries: [] },
    ])
  })

  test.each(['a/b', 'a?b', 'a#b', 'a%2Fb', 'a b'])(
    'names the namespace %j in one part of the path',
    async (namespace) => {
      const { fetch, requests } = scripted(result([[], []]))
      await retrieve(fetch, {}, { namespace })
      expect(new URL(requests[0]!.url).pathname).toBe(`/prefix/query-data/${encodeURIComponent(namespace)}`)
    },
  )

  test.each(['.', '..', '\ud800'])('sends nothing to the namespace %j', async (namespace) => {
    const { fetch, requests } = scripted()
    const failed = retrieve(fetch, {}, { namespace })
    await expect(failed).rejects.toMatchObject({ code: 'retriever_misconfigured' })
    expect(requests).toEqual([])
  })

  test('from an index filled by others needs no metadata: each row is its own document', async () => {
    const [dense] = await retrieve(scripted(result([[row('a', 1, { metadata: { page: 3 } })], []])).fetch)
    expect(dense!.entries[0]!.passage).toEqual({ id: 'a', documentId: 'a', text: 'text of a' })
  })
})

describe('a score', () => {
  test.each([null, '0.99', 2, -1, true, undefined, [0.5], {}])('of %j is passed on as NaN', async (score) => {
    expect((await scoresOf([row('a', score)]))[0]).toEqual([['a', Number.NaN]])
  })

  test('of 1e999 is passed on as NaN, in both rankings', async () => {
    const body = '{"result":[[{"id":"a","data":"x","score":1e999}],[{"id":"a","data":"x","score":1e999}]]}'
    const rankings = await retrieve(scripted(new Response(body)).fetch)
    expect(rankings.map(({ entries }) => entries[0]!.score)).toEqual([Number.NaN, Number.NaN])
  })

  test('below 0 is passed on as NaN for BM25', async () => {
    expect((await scoresOf([], [row('a', -0.5)]))[1]).toEqual([['a', Number.NaN]])
  })

  test('out of range by the rounding of float32 is clipped', async () => {
    expect((await scoresOf([row('a', 1.0000001), row('b', -0.0000001)]))[0]).toEqual([
      ['a', 1],
      ['b', -1],
    ])
  })
})

describe('the rows of a ranking', () => {
  test('are sorted best first without duplicates, malformed scores last, in any input order', async () => {
    const rows = [row('a', 0.9), row('b', 0.7), row('b', 0.6), row('c', null), row('a', null)]
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(rows, { minLength: rows.length }), async (shuffled) => {
        const [dense] = await scoresOf(shuffled)
        expect(dense!.map(([id]) => id)).toEqual(['a', 'b', 'c'])
        expect(dense![1]![1]).toBeCloseTo(0.4, 12)
      }),
    )
  })

  test('keep their order when scores are equal', async () => {
    expect((await scoresOf([row('b', 0.5), row('a', 0.5)]))[0]!.map(([id]) => id)).toEqual(['b', 'a'])
  })

  test('are cut to topK', async () => {
    expect((await scoresOf([row('a', 0.1), row('b', 0.9), row('c', 0.5)], [], 2))[0]!.map(([id]) => id)).toEqual([
      'b',
      'c',
    ])
  })
})

describe('a failure is never reported as an empty result', () => {
  test.each<[string, () => Response, string]>([
    ['401', () => failure(401, 'Unauthorized: Invalid auth token'), 'retriever_misconfigured'],
    ['403', () => failure(403, 'no'), 'retriever_misconfigured'],
    ['404', () => failure(404, 'no'), 'retriever_misconfigured'],
    [
      '422 for another dimension',
      () => failure(422, 'Invalid vector dimension: 2, expected: 256'),
      'embedding_mismatch',
    ],
    [
      '422 for an index without embeddings',
      () => failure(422, 'Embedding data for this index is not allowed. x'),
      'retriever_misconfigured',
    ],
    ['422 for anything else', () => failure(422, 'whatever'), 'retriever_bad_response'],
    ['400', () => failure(400, 'whatever'), 'retriever_bad_response'],
    ['429', () => failure(429, 'slow down'), 'retriever_unavailable'],
    ['500', () => failure(500, 'oops'), 'retriever_unavailable'],
    ['502 in HTML', () => new Response('<h1>Bad gateway</h1>', { status: 502 }), 'retriever_unavailable'],
    [
      '302',
      () => new Response(null, { status: 302, headers: { location: 'https://evil.test/' } }),
      'retriever_bad_response',
    ],
    ['an empty body', () => new Response(''), 'retriever_bad_response'],
    ['JSON that breaks off', () => new Response('{"result":[[{"id":"a"'), 'retriever_bad_response'],
    ['HTML', () => new Response('<p>hello</p>'), 'retriever_bad_response'],
    ['bytes that are no UTF-8', () => new Response(Uint8Array.from([0x22, 0xff, 0x22])), 'retriever_bad_response'],
    ['204', () => new Response(null, { status: 204 }), 'retriever_bad_response'],
    ['an error with status 200', () => Response.json({ error: 'secret text', status: 500 }), 'retriever_bad_response'],
    ['result null', () => result(null), 'retriever_bad_response'],
    ['an object', () => result({}), 'retriever_bad_response'],
    ['a string', () => result('Aborted'), 'retriever_bad_response'],
    ['no result', () => Response.json({}), 'retriever_bad_response'],
    ['one list for two queries', () => result([[]]), 'retriever_bad_response'],
    ['a flat list', () => result([row('a', 1), row('b', 1)]), 'retriever_bad_response'],
    ['a row that is null', () => result([[null], []]), 'retriever_bad_response'],
    ['a row without id', () => result([[{ score: 1, data: 'x' }], []]), 'retriever_bad_response'],
    ['a row with a number for id', () => result([[{ id: 5, score: 1, data: 'x' }], []]), 'retriever_bad_response'],
    ['a row without text', () => result([[{ id: 'a', score: 1 }], []]), 'retriever_bad_response'],
    ['metadata that is a list', () => result([[row('a', 1, { metadata: [] })], []]), 'retriever_bad_response'],
    [
      'a title that is a number',
      () => result([[row('a', 1, { metadata: { title: 5 } })], []]),
      'retriever_bad_response',
    ],
    ['a row of another namespace', () => result([[row('a', 1, { namespace: 'n2' })], []]), 'retriever_bad_response'],
    [
      'a row written into another namespace',
      () => result([[row('a', 1, { metadata: { indexNamespace: 'n2' } })], []]),
      'retriever_bad_response',
    ],
    [
      'more bytes than the cap',
      () => result([[row('a', 1, { data: 'x'.repeat(5000) })], []]),
      'retriever_bad_response',
    ],
  ])('%s', async (_name, respond, code) => {
    const { fetch, requests } = scripted(respond())
    const failed = retrieve(fetch, { maxResponseBytes: 2000 })
    await expect(failed).rejects.toMatchObject({ name: 'RagGateError', code })
    await expect(failed).rejects.not.toThrow(/secret|oops|slow down|whatever|Unauthorized|evil/)
    expect(requests).toHaveLength(1)
  })

  test.each([
    ['12', 12],
    ['0', 0],
    ['a date in 90 s', 90],
    [new Date(0).toUTCString(), 0],
    ['soon', undefined],
    ['-5', undefined],
  ])('for 429 with Retry-After %s', async (header, seconds) => {
    const sent = header === 'a date in 90 s' ? new Date(Date.now() + 90_000).toUTCString() : header
    const { fetch } = scripted(failure(429, 'slow down', { 'retry-after': sent }))
    const thrown: unknown = await retrieve(fetch).catch((error: unknown) => error)
    expect(thrown).toMatchObject({ code: 'retriever_unavailable' })
    const asked = thrown instanceof RagGateError ? thrown.retryAfterSeconds : Number.NaN
    // A second may pass between the making of a date and its reading.
    const accepted = seconds === undefined ? [undefined] : [seconds, seconds - 1]
    expect(accepted).toContain(asked)
  })

  test('for a connection that breaks', async () => {
    const { fetch } = scripted(() => Promise.reject(new TypeError('ECONNREFUSED secret-host')))
    const failed = retrieve(fetch)
    await expect(failed).rejects.toMatchObject({ code: 'retriever_unavailable' })
    await expect(failed).rejects.not.toThrow(/secret-host/)
  })

  test('for a body that breaks off', async () => {
    const broken = new ReadableStream({
      pull: (controller) => controller.error(new TypeError('terminated')),
    })
    await expect(retrieve(scripted(new Response(broken)).fetch)).rejects.toMatchObject({
      code: 'retriever_unavailable',
    })
  })
})

describe('the deadline', () => {
  test.each<[string, () => Promise<Response>]>([
    ['headers never arrive and the signal is ignored', never],
    ['the body never arrives', async () => new Response(new ReadableStream())],
    ['the body arrives a byte at a time', async () => new Response(dripping())],
  ])('is kept when %s', async (_name, respond) => {
    const begun = performance.now()
    await expect(retrieve(scripted(respond).fetch, { timeoutMs: 60 })).rejects.toMatchObject({
      code: 'retriever_timeout',
    })
    expect(performance.now() - begun).toBeLessThan(10_000)
  })

  test('of the caller is kept too', async () => {
    const controller = new AbortController()
    setTimeout(() => controller.abort(new Error('secret reason')), 20)
    const failed = retrieve(scripted(never).fetch, { timeoutMs: 5000 }, { signal: controller.signal })
    await expect(failed).rejects.toMatchObject({ code: 'retriever_timeout' })
    await expect(failed).rejects.not.toThrow(/secret/)
  })

  test('that has already passed prevents sending', async () => {
    const { fetch, requests } = scripted()
    await expect(retrieve(fetch, {}, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'retriever_timeout',
    })
    expect(requests).toEqual([])
  })

  test('is not needed to cancel a body beyond the limit', async () => {
    let cancelled = false
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(1000)),
      cancel() {
        cancelled = true
      },
    })
    const failed = retrieve(scripted(new Response(endless)).fetch, { maxResponseBytes: 10_000 })
    await expect(failed).rejects.toMatchObject({ code: 'retriever_bad_response' })
    expect(cancelled).toBe(true)
  })
})

describe('the model of an index with its own embedding', () => {
  const saying = (embeddingModel: unknown, dimension: unknown) =>
    result({ namespaces: {}, denseIndex: { dimension, embeddingModel }, pendingVectorCount: 0 })
  const { signal } = new AbortController()

  test('is read once a minute', async () => {
    const clock = { atMs: 0, nowMs: () => clock.atMs }
    const { fetch, requests } = scripted(saying('A', 3), saying('B', 4))
    const retriever = createUpstashRetriever({ url: URL_OF_INDEX, token: 'secret', fetch, clock })
    expect(await retriever.embeddingNow?.(signal)).toEqual({ model: 'A', dimension: 3 })
    clock.atMs = 59_999
    expect(await retriever.embeddingNow?.(signal)).toEqual({ model: 'A', dimension: 3 })
    expect(requests.map(({ url }) => url)).toEqual([`${URL_OF_INDEX}info`])
    clock.atMs = 60_000
    expect(await retriever.embeddingNow?.(signal)).toEqual({ model: 'B', dimension: 4 })
  })

  test('is read every time with a maximum age of 0, and after the clock was set back', async () => {
    const clock = { atMs: 1000, nowMs: () => clock.atMs }
    const answers = [saying('A', 3), saying('B', 3), saying('C', 3)]
    const where = { url: URL_OF_INDEX, token: 'secret', fetch: scripted(...answers).fetch, clock }
    const always = createUpstashRetriever({ ...where, embeddingMaxAgeMs: 0 })
    expect(await always.embeddingNow?.(signal)).toMatchObject({ model: 'A' })
    const once = createUpstashRetriever(where)
    expect(await once.embeddingNow?.(signal)).toMatchObject({ model: 'B' })
    clock.atMs = 0
    expect(await once.embeddingNow?.(signal)).toMatchObject({ model: 'C' })
  })

  test.each([
    ['a failure', () => failure(500, 'down'), 'retriever_unavailable'],
    ['no model', () => saying(undefined, 3), 'retriever_bad_response'],
    ['no dimension', () => saying('A', '3'), 'retriever_bad_response'],
    ['no dense part', () => result({ namespaces: {} }), 'retriever_bad_response'],
  ])('is unknown after %s, and read again', async (_name, bad, code) => {
    const { fetch } = scripted(bad(), saying('A', 3))
    const retriever = createUpstashRetriever({ url: URL_OF_INDEX, token: 's', fetch, upstream: { retries: 0 } })
    await expect(retriever.embeddingNow?.(signal)).rejects.toMatchObject({ code })
    expect(await retriever.embeddingNow?.(signal)).toEqual({ model: 'A', dimension: 3 })
  })

  test.each([-1, 60_001, NaN])('rejects a maximum age of %d ms', (embeddingMaxAgeMs) => {
    expect(() => createUpstashRetriever({ url: URL_OF_INDEX, embeddingMaxAgeMs })).toThrow(
      expect.objectContaining({ code: 'config_invalid' }),
    )
  })
})

describe('the chunk index', () => {
  const info = (own: number, whole = own) =>
    result({
      pendingVectorCount: whole,
      namespaces: { '': { pendingVectorCount: 0 }, n1: { pendingVectorCount: own } },
      denseIndex: { dimension: 384, embeddingModel: 'BGE_SMALL_EN_V1_5' },
      sparseIndex: { embeddingModel: 'BM25' },
    })

  test('writes at most five hundred passages in a request', async () => {
    const { fetch, requests } = scripted(result('Success'), result('Success'), result('Success'))
    const passages = Array.from({ length: 1001 }, (_, at) => ({ id: `p${at}`, documentId: 'd', text: `text ${at}` }))
    await indexOver(fetch).upsert('n1', passages)
    expect(requests.map(({ url }) => url)).toEqual(Array(3).fill('https://index.test/prefix/upsert-data/n1'))
    expect(requests.map(({ body }) => (body as unknown[]).length)).toEqual([500, 500, 1])
    expect((requests[0]!.body as unknown[])[0]).toEqual({
      id: 'p0',
      data: 'text 0',
      metadata: { documentId: 'd', indexNamespace: 'n1' },
    })
  })

  test('sends nothing without passages', async () => {
    const index = indexOver(scripted().fetch)
    await index.upsert('n1', [])
    await index.delete('n1', [])
    expect(await index.fetch('n1', [])).toEqual([])
  })

  test('settles when nothing of the namespace is pending', async () => {
    const { fetch, requests } = scripted(info(2), info(1), info(0, 7))
    await indexOver(fetch).settle('n1')
    expect(requests).toHaveLength(3)
  })

  test.each([
    [
      'an index of this project',
      { memoryBytesPerNamespace: 100, namespaces: { n1: { memoryBytes: 85 } } },
      { usedBytes: 85, limitBytes: 100 },
    ],
    ['the service', undefined, undefined],
    ['an index with another response', { namespaces: { n1: 'full' } }, undefined],
  ])('reports how full %s is', async (_name, capacity, room) => {
    const counts = { pendingVectorCount: 0, namespaces: {} }
    const { fetch } = scripted(result({ ...counts, denseIndex: { dimension: 384, embeddingModel: '' }, capacity }))
    await expect(indexOver(fetch).settle('n1')).resolves.toEqual(room)
  })

  test('stops waiting after a time limit', async () => {
    const { fetch } = scripted(...Array.from({ length: 10 }, () => info(1)))
    await expect(indexOver(fetch).settle('n1')).rejects.toMatchObject({ code: 'index_not_settled' })
  })

  test('waits for the whole index while the namespace is not listed', async () => {
    const { fetch, requests } = scripted(info(0, 3), info(0, 0))
    await indexOver(fetch).settle('n2')
    expect(requests).toHaveLength(2)
  })

  test('names the embedding model, and needs both parts', async () => {
    expect(await indexOver(scripted(info(0)).fetch).describe()).toEqual({
      embeddingModel: 'BGE_SMALL_EN_V1_5',
      dimension: 384,
    })
    const dense = result({ namespaces: {}, denseIndex: { dimension: 2, embeddingModel: 'x' } })
    await expect(indexOver(scripted(dense).fetch).describe()).rejects.toMatchObject({ code: 'retriever_misconfigured' })
  })

  test.each<[string, Response]>([
    ['fewer rows than ids', result([])],
    ['another row than asked for', result([row('b', 1)])],
    ['a value that is not a list', result({})],
  ])('rejects a read that returns %s', async (_name, response) => {
    const read = indexOver(scripted(response).fetch).fetch('n1', ['a'])
    await expect(read).rejects.toMatchObject({ code: 'retriever_bad_response' })
  })

  test.each([
    ['result null', null],
    ['another text', 'Aborted'],
  ])('rejects a write answered with %s', async (_name, value) => {
    const index = indexOver(scripted(result(value), result(value)).fetch)
    const write = index.upsert('n1', [{ id: 'a', documentId: 'd', text: 'x' }])
    await expect(write).rejects.toMatchObject({ code: 'retriever_bad_response' })
    await expect(index.delete('n1', ['a'])).rejects.toMatchObject({ code: 'retriever_bad_response' })
  })
})

test.each([
  ['an invalid URL', { url: 'index' }],
  ['a URL of another scheme', { url: 'ftp://index.test' }],
  ['a URL with a query', { url: 'https://index.test/?a=b' }],
  ['a time limit of 0', { timeoutMs: 0 }],
  ['an infinite time limit', { timeoutMs: Infinity }],
  ['NaN', { timeoutMs: Number.NaN }],
  ['a limit of 0 bytes', { maxResponseBytes: 0 }],
])('%s is rejected as an option', (_name, wrong) => {
  const options = { url: URL_OF_INDEX, timeoutMs: 100, maxResponseBytes: 100, ...wrong }
  expect(() => createUpstashTransport(options)).toThrow(expect.objectContaining({ code: 'config_invalid' }))
})

test('a full index is reported and not written again, but other namespaces are', async () => {
  let asked = 0
  const index = createUpstashChunkIndex({
    url: URL_OF_INDEX,
    fetch: async (url) => {
      asked++
      if (!url.endsWith('/full')) return Response.json({ result: 'Success' })
      return Response.json({ error: 'The namespace is full', status: 507 }, { status: 507 })
    },
  })
  const passages = [{ id: 'a', documentId: 'a', text: 'tide' }]
  for (let at = 0; at < 30; at++) {
    await expect(index.upsert('full', passages)).rejects.toMatchObject({ code: 'index_full', upstreamStatus: 507 })
  }
  expect(asked).toBe(30)
  await index.upsert('other', passages)
})
