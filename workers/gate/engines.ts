/** Which engines retrieve, rank and answer: read from the bindings, for `compose.ts` alone. */
import { createD1ChunkTexts } from '@hono-rag-gate/ingest/d1'
import { createLlmGrader } from '@hono-rag-gate/models/llm-grader'
import { createOpenAiGenerator, type OpenAiGeneratorOptions } from '@hono-rag-gate/models/openai-compatible'
import { createUpstashChunkIndex, createUpstashRetriever, type UpstashOptions } from '@hono-rag-gate/upstash'
import { createVectorizeChunkIndex, createVectorizeRetriever } from '@hono-rag-gate/vectorize'
import { createWorkersAiEmbedder } from '@hono-rag-gate/models/workers-ai-embedder'
import { createWorkersAiReranker } from '@hono-rag-gate/models/workers-ai-reranker'
import type { PresetNeed } from 'hono-rag-gate/core/policy'
import { RagGateError } from 'hono-rag-gate/errors'
import { httpUrl } from 'hono-rag-gate/http'
import type { RetrievalOptions } from 'hono-rag-gate/middleware'
import type { Generator } from '@hono-rag-gate/models'
import type { ChunkIndex, Reranker, Retriever } from 'hono-rag-gate/ports'
import { objectFor } from '@hono-rag-gate/vector-index'
import type { GateBindings } from './bindings.ts'
import { secondsIn } from './seconds-in.ts'

/** Vectorize where it is bound, Upstash Vector where it is configured, the embedded index otherwise. */
export function searchEngine(env: GateBindings): { readonly retriever: Retriever; readonly index: ChunkIndex } {
  if (env.VECTORIZE === undefined) {
    const where = upstashIndex(env)
    return { retriever: createUpstashRetriever({ ...where, filledBy: 'gate' }), index: createUpstashChunkIndex(where) }
  }
  if (env.AI === undefined) {
    throw new RagGateError('config_invalid', 'Vectorize embeds no texts: bind Workers AI as AI beside it')
  }
  const { EMBEDDING_MODEL: model } = env
  const embedder = createWorkersAiEmbedder({ ai: env.AI, ...(model === undefined ? {} : { model }) })
  // Texts are kept in D1: a passage need not fit into the index's metadata.
  const where = { index: env.VECTORIZE, embedder, texts: createD1ChunkTexts({ db: env.DB }) }
  return {
    retriever: createVectorizeRetriever({ ...where, metric: 'cosine', filledBy: 'gate' }),
    index: createVectorizeChunkIndex(where),
  }
}

/** The production index where it is configured; otherwise the Durable Object, which needs no address and no token. */
function upstashIndex(env: GateBindings): UpstashOptions {
  const { UPSTASH_VECTOR_REST_URL: url, UPSTASH_VECTOR_REST_TOKEN: token } = env
  if ((url === undefined) !== (token === undefined)) {
    throw new RagGateError('config_invalid', 'UPSTASH_VECTOR_REST_URL and UPSTASH_VECTOR_REST_TOKEN go together')
  }
  if (url !== undefined && token !== undefined) {
    requireAddress('UPSTASH_VECTOR_REST_URL', url)
    return { url, token }
  }
  return {
    url: 'https://vector-index.invalid',
    // A stub belongs to the request that asks for it.
    fetch: (address, init) => env.VECTOR_INDEX.getByName(objectFor('default', new URL(address))).fetch(address, init),
  }
}

/** What reads passages beside the question, if anything does. */
export function rerankerFor(env: GateBindings): Reranker | undefined {
  switch (env.RERANKER) {
    case undefined:
    case 'off':
      return undefined
    case 'workers-ai':
      if (env.AI === undefined) throw new RagGateError('config_invalid', 'RERANKER=workers-ai needs the binding AI')
      return createWorkersAiReranker({ ai: env.AI })
    case 'llm': {
      const model = languageModel(env)
      if (model === undefined) throw new RagGateError('config_invalid', 'RERANKER=llm needs the three LLM settings')
      return createLlmGrader(model)
    }
    default:
      throw new RagGateError('config_invalid', 'RERANKER must be off, workers-ai or llm', { param: 'RERANKER' })
  }
}

/**
 * For which questions the reranker is asked.
 *
 * @throws `config_invalid` for a bound that is no share, for two that leave nothing between them, and without a reranker
 */
export function rerankedBetween(env: GateBindings): Pick<RetrievalOptions, 'rerankBetween'> {
  const [from, below] = [shareIn(env, 'RERANK_FROM'), shareIn(env, 'RERANK_BELOW')]
  if (from === undefined && below === undefined) return {}
  if (rerankerFor(env) === undefined) {
    throw new RagGateError('config_invalid', 'RERANK_FROM and RERANK_BELOW need a RERANKER', { param: 'RERANKER' })
  }
  const rerankBetween = [from ?? 0, below ?? 1] as const
  if (rerankBetween[0] >= rerankBetween[1]) {
    throw new RagGateError('config_invalid', 'RERANK_FROM must be under RERANK_BELOW', { param: 'RERANK_FROM' })
  }
  return { rerankBetween }
}

function shareIn(env: GateBindings, name: 'RERANK_FROM' | 'RERANK_BELOW'): number | undefined {
  const text = env[name]
  if (text === undefined) return undefined
  const share = /^\d?(?:\.\d{1,6})?$/.test(text) && text !== '' ? Number(text) : NaN
  if (share >= 0 && share <= 1) return share
  throw new RagGateError('config_invalid', `${name} must be a number from 0 to 1, such as 0.2`, { param: name })
}

/** What a deployment has of what policies may need. */
export type Given = PresetNeed | 'model'

/** What these engines give of what policies may need. No generator here reports which passages carry its answer. */
export function givenBy(env: GateBindings): readonly Given[] {
  const embedsMeaning = env.VECTORIZE !== undefined || env.UPSTASH_VECTOR_REST_URL !== undefined
  return [
    ...(rerankerFor(env) === undefined ? [] : (['reranker'] as const)),
    ...(embedsMeaning ? (['cosines-of-meaning'] as const) : []),
    ...(languageModel(env) === undefined ? [] : (['model'] as const)),
  ]
}

/** The model that writes answers, where one is configured. */
export function generatorFor(env: GateBindings): Generator | undefined {
  const model = languageModel(env)
  const seconds = secondsIn(env, 'LLM_TIMEOUT_SECONDS', { from: 1, to: 600, such: 60 })
  if (model === undefined) return undefined
  return createOpenAiGenerator({ ...model, ...(seconds === undefined ? {} : { timeoutMs: seconds * 1000 }) })
}

/** Names of the field that says how many tokens a model may write. */
const MAX_TOKENS_FIELDS = ['max_tokens', 'max_completion_tokens'] as const

function languageModel(
  env: GateBindings,
): Pick<OpenAiGeneratorOptions, 'baseUrl' | 'apiKey' | 'model' | 'maxTokensField'> | undefined {
  const {
    LLM_BASE_URL: baseUrl,
    LLM_API_KEY: apiKey,
    LLM_MODEL: model,
    LLM_MAX_TOKENS_FIELD: field = 'max_tokens',
  } = env
  const maxTokensField = MAX_TOKENS_FIELDS.find((name) => name === field)
  if (maxTokensField === undefined) {
    const names = MAX_TOKENS_FIELDS.join(' or ')
    throw new RagGateError('config_invalid', `LLM_MAX_TOKENS_FIELD must be ${names}`, { param: 'LLM_MAX_TOKENS_FIELD' })
  }
  if (baseUrl === undefined && apiKey === undefined && model === undefined) return undefined
  if (baseUrl === undefined || apiKey === undefined || model === undefined) {
    throw new RagGateError('config_invalid', 'LLM_BASE_URL, LLM_API_KEY and LLM_MODEL go together')
  }
  requireAddress('LLM_BASE_URL', baseUrl)
  return { baseUrl, apiKey, model, maxTokensField }
}

/** The adapter's error would name its own option; this one names the variable. */
function requireAddress(name: 'LLM_BASE_URL' | 'UPSTASH_VECTOR_REST_URL', address: string): void {
  if (httpUrl.holds(address)) return
  throw new RagGateError('config_invalid', `${name} must be ${httpUrl.words}`, { param: name })
}
