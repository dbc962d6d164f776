/** The Worker over other engines than the embedded ones, which have no local simulator: fakes of their documented shapes. */
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { GateBindings } from '../../../workers/gate/bindings.ts'
import { languageModels, rerankerFor } from '../../../workers/gate/engines.ts'
import { hashedEmbedder } from '../../fixtures/hashed-embedder.ts'
import { fakeVectorize } from '../../fixtures/vectorize.ts'
import { ADMIN, workerOver } from '../../worker-requests.ts'

const send = (bindings: GateBindings, method: string, path: string, body?: unknown): Promise<Response> =>
  workerOver(bindings).post(path, body, ADMIN, method)

afterEach(() => void vi.useRealTimers())

const EMBEDDER = hashedEmbedder()
const MODEL = '@cf/baai/bge-m3'

/** Workers AI that embeds by hashing, and scores the passages that hold a word highest, so many milliseconds late. */
function fakeAi(word: string, lateMs = 0): NonNullable<GateBindings['AI']> {
  return {
    run: async (model: string, input: { text?: string[]; contexts?: readonly { text: string }[] }) => {
      if (input.contexts !== undefined) {
        await new Promise((resolve) => setTimeout(resolve, lateMs))
        return { response: input.contexts.map(({ text }, id) => ({ id, score: text.includes(word) ? 4 : -4 })) }
      }
      expect(model).toBe(MODEL)
      return { data: await EMBEDDER.embed({ texts: input.text ?? [], purpose: 'passage' }) }
    },
  }
}

const DOCUMENTS = [
  { id: 'rocket', text: 'The rocket burns methane and liquid oxygen.' },
  { id: 'crew', text: 'The crew of the rocket are four astronauts.' },
]

interface Reply {
  readonly refused: boolean
  readonly detail: { readonly chunks: readonly { readonly document_id: string; readonly scores: object }[] }
}

describe('the Worker over Vectorize', () => {
  const bindings: GateBindings = {
    ...env,
    VECTORIZE: fakeVectorize({ dimensions: 1024, seenAfter: 1 }),
    AI: fakeAi('methane'),
    EMBEDDING_MODEL: MODEL,
  }

  it('ingests, answers and removes documents', { timeout: 30_000 }, async () => {
    const collection = 'vectorize'
    const ingested = await send(bindings, 'POST', '/v1/documents', { collection, documents: DOCUMENTS })
    expect(ingested.status).toBe(200)
    const ask = async () =>
      (await send(bindings, 'POST', '/ask', { collection, question: 'What does the rocket burn?' })).json<Reply>()
    const reply = await ask()
    expect(reply).toMatchObject({ refused: false, passages: [{ text: expect.stringContaining('methane') }, {}] })
    expect(reply.detail.chunks[0]).toMatchObject({ document_id: 'rocket', scores: { cosine: expect.any(Number) } })
    const removed = await send(bindings, 'DELETE', `/v1/documents?collection=${collection}&id=rocket`, undefined)
    expect(await removed.json()).toMatchObject({ chunks_removed: 1, chunks_to_remove: 0 })
    expect(JSON.stringify(await ask())).not.toContain('methane')
  })
})

describe('a reranker', () => {
  it('sets the order of the chunks that are judged', async () => {
    const bindings: GateBindings = { ...env, AI: fakeAi('astronauts'), RERANKER: 'workers-ai' }
    const collection = 'reranked'
    await send(bindings, 'POST', '/v1/documents', { collection, documents: DOCUMENTS })
    const asked = { collection, question: 'What does the rocket burn?' }
    const reply = await (await send(bindings, 'POST', '/ask', asked)).json<Reply>()
    expect(reply.detail.chunks.map(({ document_id: id }) => id)).toEqual(['crew', 'rocket'])
    expect(reply.detail.chunks[0]!.scores).toHaveProperty('cross-encoder')
  })

  it('is limited by RERANK_TIMEOUT_SECONDS, by default three seconds', async () => {
    const collection = 'reranked-late'
    const bindings: GateBindings = { ...env, AI: fakeAi('astronauts', 1500), RERANKER: 'workers-ai' }
    await send(bindings, 'POST', '/v1/documents', { collection, documents: DOCUMENTS })
    const isReranked = async (given: Partial<GateBindings>): Promise<boolean> => {
      const asked = { collection, question: 'What does the rocket burn?' }
      const reply = await (await send({ ...bindings, ...given }, 'POST', '/ask', asked)).json<Reply>()
      return 'cross-encoder' in reply.detail.chunks[0]!.scores
    }
    expect(await isReranked({ RERANK_TIMEOUT_SECONDS: '1' })).toBe(false)
    expect(await isReranked({})).toBe(true)
  })

  it.each([
    ['workers-ai', { response: [{ id: 0, score: 0 }] }, 0.5],
    ['llm', Response.json({ choices: [{ message: { content: '1: 3' } }] }), 3],
  ])('%s is awaited until RERANK_TIMEOUT_SECONDS, beyond the default of its own calls', async (name, output, score) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    const run = async () => {
      await new Promise((resolve) => setTimeout(resolve, 50_000))
      return output
    }
    const bindings = { ...env, AI: { run }, LLM_MODEL: '@cf/a/b', RERANKER: name, RERANK_TIMEOUT_SECONDS: '60' }
    const reranker = rerankerFor(bindings)!
    const passages = [{ id: 'a', documentId: 'a', text: 'Rockets burn methane.', scores: {} }]
    const { signal } = new AbortController()
    const scores = reranker.rerank({ question: 'What burns?', passages, signal })
    await vi.advanceTimersByTimeAsync(50_000)
    expect(await scores).toEqual([score])
  })
})

describe('a cascade', () => {
  const cascade = (given: Partial<GateBindings>): GateBindings => {
    return { ...env, AI: fakeAi('astronauts'), RERANKER: 'workers-ai', ...given }
  }
  const ask = async (bindings: GateBindings, question: string) => {
    const collection = 'cascade'
    await send(bindings, 'POST', '/v1/documents', { collection, documents: DOCUMENTS })
    return (await send(bindings, 'POST', '/ask', { collection, question })).json<CascadeReply>()
  }
  interface CascadeReply {
    readonly detail: { readonly confidence: number; readonly chunks: readonly { readonly scores: object }[] }
  }

  it('asks the reranker only about confidences within its bounds', async () => {
    const { detail } = await ask({ ...env }, 'What does the rocket burn?')
    const { confidence } = detail
    expect(confidence).toBeGreaterThan(0.01)
    expect(confidence).toBeLessThan(0.99)
    const share = (by: number): string => (confidence + by).toFixed(4)
    for (const [given, read] of [
      [{}, true],
      [{ RERANK_FROM: share(-0.005), RERANK_BELOW: share(0.005) }, true],
      [{ RERANK_FROM: share(0.005) }, false],
      [{ RERANK_BELOW: share(-0.005) }, false],
      [{ RERANK_FROM: '0', RERANK_BELOW: '1' }, true],
    ] as const) {
      const { chunks } = (await ask(cascade(given), 'What does the rocket burn?')).detail
      expect('cross-encoder' in chunks[0]!.scores, JSON.stringify(given)).toBe(read)
    }
  })

  it.each([
    [{ RERANK_FROM: 'half' }, 'RERANK_FROM'],
    [{ RERANK_FROM: '' }, 'RERANK_FROM'],
    [{ RERANK_FROM: '.' }, 'RERANK_FROM'],
    [{ RERANK_FROM: '-0.1' }, 'RERANK_FROM'],
    [{ RERANK_BELOW: '1.1' }, 'RERANK_BELOW'],
    [{ RERANK_BELOW: '1e-1' }, 'RERANK_BELOW'],
    [{ RERANK_BELOW: '0' }, 'RERANK_FROM'],
    [{ RERANK_FROM: '0.5', RERANK_BELOW: '.5' }, 'RERANK_FROM'],
    [{ RERANK_FROM: '0.5', RERANKER: 'off' }, 'RERANK_FROM'],
  ])('with the settings %j answers config_invalid to every request, and to /health', async (given, named) => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    for (const [method, path, body] of [
      ['GET', '/health', undefined],
      ['POST', '/ask', { question: 'What?' }],
    ] as const) {
      const response = await send(cascade(given), method, path, body)
      expect(response.status).toBe(500)
      expect(await response.json()).toMatchObject({ error: { code: 'config_invalid' } })
    }
    expect(JSON.stringify(logged.mock.calls)).toContain(named)
    logged.mockRestore()
  })
})

describe('a language model', () => {
  const MODEL_SETTINGS = { LLM_BASE_URL: 'https://model.test/v1', LLM_API_KEY: 'key', LLM_MODEL: 'm' }

  it('used as a fallback has its own field for the token limit', () => {
    const behind = (named: object) => ({ base_url: 'https://other.test/v1', api_key: 'k', model: 'o', ...named })
    const fallbacks = [behind({}), behind({ max_tokens_field: 'max_completion_tokens' })]
    const models = languageModels({ ...env, ...MODEL_SETTINGS, LLM_FALLBACKS: JSON.stringify(fallbacks) })
    expect(models.map(({ maxTokensField }) => maxTokensField)).toEqual([
      'max_tokens',
      'max_tokens',
      'max_completion_tokens',
    ])
  })

  it.each([
    [{}, 'max_tokens'],
    [{ LLM_MAX_TOKENS_FIELD: 'max_completion_tokens' }, 'max_completion_tokens'],
  ] as const)('with the settings %j gets its token limit in %s, for answers and for grades', async (given, field) => {
    const sent: object[] = []
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (_, init) => {
      sent.push(JSON.parse(init?.body as string) as object)
      const content = sent.length === 1 ? '1: 3\n2: 0' : 'Methane [1].'
      return Response.json({ model: 'm', choices: [{ finish_reason: 'stop', message: { content } }] })
    })
    const bindings = { ...env, ...MODEL_SETTINGS, RERANKER: 'llm', ...given }
    const collection = `model-${field}`
    await send(bindings, 'POST', '/v1/documents', { collection, documents: DOCUMENTS })
    const response = await send(bindings, 'POST', '/ask', { collection, question: 'What does the rocket burn?' })
    expect(await response.json()).toMatchObject({ answer: 'Methane [1].' })
    expect(sent.map((body) => Object.keys(body).filter((name) => name.startsWith('max_')))).toEqual([[field], [field]])
    vi.restoreAllMocks()
  })
})

describe('settings that do not fit together', () => {
  it.each<[string, Partial<GateBindings>]>([
    ['Vectorize alone', { VECTORIZE: fakeVectorize({ dimensions: 8 }) }],
    ['an unknown reranker', { RERANKER: 'magic' }],
    ['a cross-encoder without Workers AI', { RERANKER: 'workers-ai' }],
    ['a grader without a model', { RERANKER: 'llm' }],
    ['half a model', { LLM_MODEL: 'm' }],
    [
      'an unknown field',
      { LLM_BASE_URL: 'https://m.test/v1', LLM_API_KEY: 'k', LLM_MODEL: 'm', LLM_MAX_TOKENS_FIELD: 'tokens' },
    ],
    ['half an Upstash index', { UPSTASH_VECTOR_REST_URL: 'https://index.test' }],
  ])('cause config_invalid: %s', async (_name, given) => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const response = await send({ ...env, ...given }, 'POST', '/ask', { question: 'What?' })
    expect(response.status).toBe(500)
    expect(await response.json()).toMatchObject({ error: { code: 'config_invalid' } })
    logged.mockRestore()
  })

  it.each([
    ['LLM_BASE_URL', { LLM_BASE_URL: 'models.test', LLM_API_KEY: 'k', LLM_MODEL: 'm' }],
    ['UPSTASH_VECTOR_REST_URL', { UPSTASH_VECTOR_REST_URL: 'index.test', UPSTASH_VECTOR_REST_TOKEN: 't' }],
  ])('are named like their variables: %s', async (name, given) => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    await send({ ...env, ...given }, 'POST', '/ask', { question: 'What?' })
    expect(JSON.stringify(logged.mock.calls)).toContain(`${name} must be a URL that begins with https://`)
    logged.mockRestore()
  })
})
