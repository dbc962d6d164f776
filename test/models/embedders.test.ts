import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createOpenAiEmbedder, type OpenAiEmbedderOptions } from '../../packages/models/src/openai-embedder.ts'
import {
  createWorkersAiEmbedder,
  type WorkersAiEmbedderOptions,
} from '../../packages/models/src/workers-ai-embedder.ts'
import { answering, type ScriptedUpstream, startUpstream } from '../fixtures/scripted-upstream.ts'

const texts = (count: number): string[] => Array.from({ length: count }, (_, at) => `text ${at}`)

/** A vector that tells which text it is of. */
const vectorOf = (text: string): number[] => [Number(text.slice(5)), 0.5, -1]

describe('the embedder over Workers AI', () => {
  function over(
    answer: (input: { text: string[]; pooling?: string }) => unknown,
    more: Partial<WorkersAiEmbedderOptions> = {},
  ) {
    const calls: { model: string; input: { text: string[]; pooling?: string } }[] = []
    const ai: WorkersAiEmbedderOptions['ai'] = {
      run: async (model, input) => {
        calls.push({ model, input })
        return answer(input)
      },
    }
    const embedder = createWorkersAiEmbedder({ ai, dimension: 3, upstream: { retries: 0 }, timeoutMs: 50, ...more })
    return { embedder, calls }
  }
  const shaped = ({ text, pooling }: { text: string[]; pooling?: string }) => ({
    shape: [text.length, 3],
    data: text.map(vectorOf),
    ...(pooling === undefined ? {} : { pooling }),
  })

  test('sends at most a hundred texts in a call, and keeps their order', async () => {
    const { embedder, calls } = over(shaped)
    const vectors = await embedder.embed({ texts: texts(250), purpose: 'passage' })
    expect(calls.map(({ input }) => input.text.length)).toEqual([100, 100, 50])
    expect(vectors.map(([first]) => first)).toEqual(Array.from({ length: 250 }, (_, at) => at))
  })

  test('names its pooling in every call and in its own name', async () => {
    const { embedder, calls } = over(shaped)
    await embedder.embed({ texts: texts(1), purpose: 'question' })
    expect(calls[0]).toMatchObject({ model: '@cf/baai/bge-base-en-v1.5', input: { pooling: 'cls' } })
    expect(embedder).toMatchObject({ model: '@cf/baai/bge-base-en-v1.5#cls', dimension: 3 })
  })

  const vector = Array.from({ length: 1024 }, () => 0.1)
  // The published types have all of these.
  test.each([
    { response: [vector], shape: [1, 1024] },
    { response: [vector], shape: [1, 1024], pooling: 'cls' },
    { data: [vector], shape: [1, 1024], pooling: 'mean' },
  ])('knows the dimensions of the BGE models, and reads response %# of bge-m3', async (answer) => {
    const ai = { run: async () => answer }
    const embedder = createWorkersAiEmbedder({ ai, model: '@cf/baai/bge-m3' })
    expect(embedder).toMatchObject({ model: '@cf/baai/bge-m3', dimension: 1024 })
    expect(await embedder.embed({ texts: ['x'], purpose: 'passage' })).toHaveLength(1)
  })

  test('makes no call without texts', async () => {
    const { embedder, calls } = over(shaped)
    expect(await embedder.embed({ texts: [], purpose: 'passage' })).toEqual([])
    expect(calls).toEqual([])
  })

  test.each<[string, unknown, string]>([
    ['nothing', undefined, 'retriever_bad_response'],
    ['null', null, 'retriever_bad_response'],
    ['an answer for later', { request_id: 'x' }, 'retriever_bad_response'],
    ['too few vectors', { data: [[1, 2, 3]] }, 'retriever_bad_response'],
    [
      'a vector with null',
      {
        data: [
          [1, 2, 3],
          [1, null, 3],
        ],
      },
      'retriever_bad_response',
    ],
    [
      'another pooling',
      {
        data: [
          [1, 2, 3],
          [1, 2, 3],
        ],
        pooling: 'mean',
      },
      'retriever_bad_response',
    ],
    [
      'another dimension',
      {
        data: [
          [1, 2],
          [1, 2],
        ],
      },
      'embedding_mismatch',
    ],
  ])('answered with %s reports an error', async (_name, answer, code) => {
    const { embedder } = over(() => answer)
    await expect(embedder.embed({ texts: texts(2), purpose: 'passage' })).rejects.toMatchObject({ code })
  })

  test('that throws or never ends reports a declared error', async () => {
    const throwing = over(() => Promise.reject(new Error('3040: capacity secret'))).embedder
    await expect(throwing.embed({ texts: texts(1), purpose: 'passage' })).rejects.toMatchObject({
      code: 'retriever_unavailable',
    })
    const slow = over((input) => new Promise((done) => setTimeout(done, 20, shaped(input)))).embedder
    expect(await slow.embed({ texts: texts(1), purpose: 'passage' })).toEqual([[0, 0.5, -1]])
    const late = over(() => new Promise(() => undefined)).embedder
    await expect(late.embed({ texts: texts(1), purpose: 'passage' })).rejects.toMatchObject({
      code: 'retriever_timeout',
    })
  })

  test('for an unknown model needs its dimension', () => {
    const ai = { run: () => Promise.reject(new Error('asked')) }
    expect(() => createWorkersAiEmbedder({ ai, model: '@cf/x/y' })).toThrow(
      expect.objectContaining({ code: 'config_invalid', param: 'dimension' }),
    )
  })
})

describe('the embedder over an OpenAI-compatible endpoint', () => {
  let server: ScriptedUpstream
  beforeAll(async () => {
    server = await startUpstream(answering('{}'))
  })
  afterAll(() => server.stop())

  const embedderOver = (more: Partial<OpenAiEmbedderOptions> = {}) =>
    createOpenAiEmbedder({
      baseUrl: `${server.url}/v1/`,
      apiKey: 'secret',
      model: 'small',
      dimension: 3,
      upstream: { retries: 0 },
      ...more,
    })
  const embed = (count: number, more: Partial<OpenAiEmbedderOptions> = {}) =>
    embedderOver(more).embed({ texts: texts(count), purpose: 'passage' })

  test('sends batches, and orders the results by index', async () => {
    const sent: unknown[] = []
    server.answerWith((response, request, body) => {
      const { input, ...rest } = JSON.parse(body) as { input: string[] }
      sent.push([request.url, request.headers.authorization, input.length, rest])
      const data = input.map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text) })).reverse()
      response.end(JSON.stringify({ object: 'list', data }))
    })
    const vectors = await embed(5, { batchSize: 2, length: 'asked' })
    expect(vectors.map(([first]) => first)).toEqual([0, 1, 2, 3, 4])
    const rest = { model: 'small', encoding_format: 'float', dimensions: 3 }
    expect(sent).toEqual([2, 2, 1].map((size) => ['/v1/embeddings', 'Bearer secret', size, rest]))
  })

  test('asks for a dimension only if its length is to be asked for, and for no empty batch', async () => {
    const sent: object[] = []
    server.answerWith((response, _request, body) => {
      const { input, ...rest } = JSON.parse(body) as { input: string[] }
      sent.push({ ...rest, size: input.length })
      response.end(JSON.stringify({ data: input.map((text, index) => ({ index, embedding: vectorOf(text) })) }))
    })
    await embed(4, { batchSize: 2 })
    await embed(2, { length: 'fixed' })
    expect(sent).toEqual([2, 2, 2].map((size) => ({ model: 'small', encoding_format: 'float', size })))
  })

  const data = (...entries: readonly (readonly [index: unknown, embedding: unknown])[]): string =>
    JSON.stringify({ data: entries.map(([index, embedding]) => ({ index, embedding })) })

  test.each<[string, number, string, string]>([
    ['one vector too few', 200, data([0, [1, 2, 3]]), 'retriever_bad_response'],
    ['two of one index', 200, data([0, [1, 2, 3]], [0, [1, 2, 3]]), 'retriever_bad_response'],
    ['an index beyond', 200, data([0, [1, 2, 3]], [2, [1, 2, 3]]), 'retriever_bad_response'],
    ['one of no index', 200, data([0, [1, 2, 3]], [undefined, [1, 2, 3]]), 'retriever_bad_response'],
    ['an index that is a text', 200, data([0, [1, 2, 3]], ['1', [1, 2, 3]]), 'retriever_bad_response'],
    ['no list', 200, '{"data":{"length":2}}', 'retriever_bad_response'],
    ['base64', 200, data([0, 'AAAA'], [1, 'AAAA']), 'retriever_bad_response'],
    ['another dimension', 200, data([0, [1]], [1, [1]]), 'embedding_mismatch'],
    ['an error with status 200', 200, '{"error":{"message":"secret"}}', 'retriever_bad_response'],
    ['401', 401, '{}', 'retriever_misconfigured'],
    ['429', 429, '{}', 'retriever_unavailable'],
    ['400', 400, '{}', 'retriever_bad_response'],
  ])('answered with %s reports an error', async (_name, status, body, code) => {
    server.answerWith(answering(body, status))
    await expect(embed(2)).rejects.toMatchObject({ code })
  })

  test('that hangs reports a timeout', async () => {
    server.answerWith(() => undefined)
    await expect(embed(1, { timeoutMs: 30 })).rejects.toMatchObject({ code: 'retriever_timeout' })
  })

  test.each([{ dimension: 0 }, { dimension: 1.5 }, { batchSize: 0 }, { timeoutMs: Number.NaN }, { baseUrl: 'x' }])(
    'rejects the options %j',
    (wrong) => {
      expect(() => embedderOver(wrong)).toThrow(expect.objectContaining({ code: 'config_invalid' }))
    },
  )
})
