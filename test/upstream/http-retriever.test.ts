import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  createHttpRetriever,
  type HttpRetrieverOptions,
  type SearchFacts,
} from '../../packages/upstream/src/http-retriever.ts'
import { retrieverContract } from '../contracts/retriever.ts'
import { answering, type ScriptedUpstream, startUpstream } from '../fixtures/scripted-upstream.ts'
import { wordSearch } from '../fixtures/word-search.ts'

let server: ScriptedUpstream

beforeAll(async () => {
  server = await startUpstream(answering('{}'))
})

afterAll(() => server.stop())

retrieverContract('a search service over HTTP', async () => {
  const { index, search } = wordSearch()
  server.answerWith((response, _request, body) => {
    // The adapter's own body.
    const { namespace, question, filter } = JSON.parse(body) as SearchFacts
    response.end(JSON.stringify({ results: search(namespace, question, filter) }))
  })
  return { index, retriever: createHttpRetriever({ url: server.url, scoreKind: 'convex' }) }
})

function retrieve(options: Partial<HttpRetrieverOptions> = {}) {
  const retriever = createHttpRetriever({ url: server.url, scoreKind: 'cosine', upstream: { retries: 0 }, ...options })
  const signal = new AbortController().signal
  return retriever.retrieve({ tenant: 't', collection: 'c', namespace: 'n1', question: 'why?', topK: 3, signal })
}

describe('a search service', () => {
  test('with another response format is mapped by functions', async () => {
    let sent = ''
    server.answerWith((response, request, body) => {
      sent = `${request.headers.authorization} ${body}`
      const hit = { _id: 'a', _score: 0.9, _source: { body: 'Some text.', doc: { id: 'd' }, title: null } }
      response.end(JSON.stringify({ hits: { hits: [hit] } }))
    })
    const rankings = await retrieve({
      headers: { authorization: 'Bearer secret' },
      body: ({ question, topK }) => ({ query: { match: { body: question } }, size: topK }),
      rows: 'hits.hits',
      paths: { id: '_id', score: '_score', text: '_source.body', documentId: '_source.doc.id', title: '_source.title' },
      scoreOf: (score) => 2 * score - 1,
    })
    expect(sent).toBe('Bearer secret {"query":{"match":{"body":"why?"}},"size":3}')
    expect(rankings).toEqual([
      { kind: 'cosine', entries: [{ passage: { id: 'a', documentId: 'd', text: 'Some text.' }, score: 0.8 }] },
    ])
  })

  test.each([
    [{ 'Content-Type': 'application/vnd.search+json' }, 'application/vnd.search+json'],
    [{}, 'application/json'],
  ])('is sent exactly one content type with the headers %j', async (headers, type) => {
    const sent: string[] = []
    server.answerWith((response, request) => {
      sent.push(String(request.headers['content-type']))
      response.end('{"results":[]}')
    })
    await retrieve({ headers })
    expect(sent).toEqual([type])
  })

  test('is sent a body that is made asynchronously', async () => {
    const bodies: string[] = []
    server.answerWith((response, _request, body) => {
      bodies.push(body)
      response.end('{"results":[]}')
    })
    await retrieve({ body: async ({ question }: SearchFacts) => ({ q: question }) })
    expect(bodies).toEqual(['{"q":"why?"}'])
  })

  test('may use numbers as ids of rows, documents and versions', async () => {
    const row = { id: 7, documentId: 12, version: 3, text: 'x', score: 0.5 }
    server.answerWith(answering(JSON.stringify({ results: [row] })))
    const [ranking] = await retrieve()
    expect(ranking!.entries.map(({ passage }) => passage)).toEqual([
      { id: '7', documentId: '12', version: '3', text: 'x' },
    ])
  })

  test('may answer with the list itself, whose scores are converted if they are numbers', async () => {
    const rows = ['0.5', 0.5, null].map((score, at) => ({ id: `${at}`, text: 'x', score }))
    server.answerWith(answering(JSON.stringify(rows)))
    const [ranking] = await retrieve({ rows: '', scoreOf: (score) => 1 - score / 2 })
    expect(ranking!.entries.map(({ passage, score }) => [passage.id, score])).toEqual([
      ['1', 0.75],
      ['0', Number.NaN],
      ['2', Number.NaN],
    ])
  })

  test.each([
    ['{}', 'The search service sent an unexpected response: no list of rows'],
    ['{"results":[7]}', 'The search service sent an unexpected response: not a row'],
    ['{"results":[{"id":"a","text":"x","namespace":"n2"}]}', /: a row of another namespace$/],
  ])('that answers %.60s causes an error that says why', async (body, message) => {
    server.answerWith(answering(body))
    await expect(retrieve()).rejects.toThrow(message)
  })

  test.each([300, 302, 399])('that answers %d is not followed', async (status) => {
    let requests = 0
    server.answerWith((response) => {
      requests++
      response.writeHead(status, { location: server.url }).end()
    })
    await expect(retrieve()).rejects.toMatchObject({
      code: 'retriever_bad_response',
      message: 'The search service sent an unexpected response: redirect',
      upstreamStatus: status,
    })
    expect(requests).toBe(1)
  })

  test.each([
    [Uint8Array.of(0x22, 0xff, 0x22), 'not-utf8'],
    [`"${'x'.repeat(99)}"`, 'too-large'],
  ])('that answers %j causes an error that says why', async (body, why) => {
    server.answerWith((response) => response.end(body))
    const message = `The search service sent an unexpected response: ${why}`
    await expect(retrieve({ maxResponseBytes: 100 })).rejects.toThrow(message)
  })

  test.each<[string, number, string, string]>([
    ['no list', 200, '{}', 'retriever_bad_response'],
    [
      'a row nested too deeply',
      200,
      `{"results":[{"id":"a","text":"x","metadata":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_001)}]}`,
      'retriever_bad_response',
    ],
    ['a row without id', 200, '{"results":[{"text":"x","score":1}]}', 'retriever_bad_response'],
    ['a foreign row', 200, '{"results":[{"id":"a","text":"x","namespace":"n2"}]}', 'retriever_bad_response'],
    ['HTML', 200, '<p>', 'retriever_bad_response'],
    ['401', 401, '{}', 'retriever_misconfigured'],
    ['404', 404, '{}', 'retriever_misconfigured'],
    ['400', 400, '{}', 'retriever_bad_response'],
    ['503', 503, '{}', 'retriever_unavailable'],
    ['408', 408, '{}', 'retriever_unavailable'],
    ['429', 429, '{}', 'retriever_unavailable'],
  ])('that answers %s causes an error', async (_name, status, body, code) => {
    server.answerWith(answering(body, status))
    await expect(retrieve()).rejects.toMatchObject({ code })
  })

  test.each([
    { url: 'x' },
    { url: 'ftp://x' },
    { url: 'https://user:password@search.example/' },
    { timeoutMs: 0 },
    { maxResponseBytes: Number.NaN },
  ])('is rejected with the options %j', (wrong) => {
    expect(() => createHttpRetriever({ url: server.url, scoreKind: 'cosine', ...wrong })).toThrow(
      expect.objectContaining({ code: 'config_invalid' }),
    )
  })

  test.each([
    [{ document: '_source.doc' }, 'paths.document'],
    [{ id: 5 }, 'paths.id'],
  ])('with the paths %j is rejected, with the wrong one', (paths, param) => {
    const options = { url: server.url, scoreKind: 'cosine', paths } as HttpRetrieverOptions
    expect(() => createHttpRetriever(options)).toThrow(expect.objectContaining({ code: 'config_invalid', param }))
  })

  test.each(['Bearer a\nb', undefined])('with the key %j, which cannot be sent, names its headers', (key) => {
    const headers = { authorization: key as string }
    expect(() => createHttpRetriever({ url: server.url, scoreKind: 'cosine', headers })).toThrow(
      expect.objectContaining({ code: 'config_invalid', param: 'headers' }),
    )
  })

  test('may have an @ in its query', () => {
    expect(() => createHttpRetriever({ url: 'https://search.example?as=a@b', scoreKind: 'cosine' })).not.toThrow()
  })
})
