/** Which engines retrieve, rank and answer: read from the bindings, for `compose.ts` alone. */
import { createD1ChunkTexts } from '@hono-rag-gate/ingest/d1'
import { createFallbackGenerator } from '@hono-rag-gate/models/fallback-generator'
import { createLimitedGenerator } from '@hono-rag-gate/models/limited-generator'
import { createLlmGrader } from '@hono-rag-gate/models/llm-grader'
import { createOpenAiGenerator, type OpenAiGeneratorOptions } from '@hono-rag-gate/models/openai-compatible'
import { createUpstashChunkIndex, createUpstashRetriever } from '@hono-rag-gate/upstash'
import { createVectorizeChunkIndex, createVectorizeRetriever } from '@hono-rag-gate/vectorize'
import { createWorkersAiEmbedder } from '@hono-rag-gate/models/workers-ai-embedder'
import { workersAiEndpoint } from '@hono-rag-gate/models/workers-ai-endpoint'
import { createWorkersAiReranker } from '@hono-rag-gate/models/workers-ai-reranker'
import type { PresetNeed } from 'hono-rag-gate/core/policy'
import { RagGateError } from 'hono-rag-gate/errors'
import type { RerankingOptions } from 'hono-rag-gate'
import type { Generator } from '@hono-rag-gate/models'
import type { ChunkIndex, Reranker, Retriever } from 'hono-rag-gate/ports'
import { createWordIndex, createWordRetriever } from '@hono-rag-gate/word-index'
import { english } from 'hono-rag-gate/language/english'
import type { GateBindings } from './bindings.ts'
import { modelsIn, numberIn, rerankBounds } from './settings.ts'
import { tracedFetch } from './trace.ts'

/** Vectorize where it is bound, what speaks the protocol of Upstash Vector where it is configured, words in D1 otherwise. */
export function searchEngine(env: GateBindings): { readonly retriever: Retriever; readonly index: ChunkIndex } {
  const { UPSTASH_VECTOR_REST_URL: url, UPSTASH_VECTOR_REST_TOKEN: token } = env
  if (env.VECTORIZE === undefined && url !== undefined && token !== undefined) {
    const where = { url, token }
    return { retriever: createUpstashRetriever({ ...where, filledBy: 'gate' }), index: createUpstashChunkIndex(where) }
  }
  if (env.VECTORIZE === undefined) {
    // The language of every policy that has a name here.
    const where = { db: env.DB, language: english }
    return { retriever: createWordRetriever(where), index: createWordIndex(where) }
  }
  const { EMBEDDING_MODEL: model } = env
  // Bound, by the settings' check.
  const embedder = createWorkersAiEmbedder({ ai: env.AI!, ...(model === undefined ? {} : { model }) })
  // Texts are kept in D1: a passage need not fit into the index's metadata.
  const where = { index: env.VECTORIZE, embedder, texts: createD1ChunkTexts({ db: env.DB }) }
  return {
    retriever: createVectorizeRetriever({ ...where, metric: 'cosine', filledBy: 'gate' }),
    index: createVectorizeChunkIndex(where),
  }
}

/** What reads passages beside the question, if anything does. */
export function rerankerFor(env: GateBindings): Reranker | undefined {
  // What each needs is there, by the settings' check.
  if (env.RERANKER === 'workers-ai') return createWorkersAiReranker({ ai: env.AI!, ...rerankTimeout(env) })
  if (env.RERANKER === 'llm') return createLlmGrader({ ...languageModels(env)[0]!, ...rerankTimeout(env) })
  return undefined
}

/** Of the call as of the whole: each has a limit of its own. */
function rerankTimeout(env: GateBindings): { readonly timeoutMs?: number } {
  const seconds = numberIn(env, 'RERANK_TIMEOUT_SECONDS')
  return seconds === undefined ? {} : { timeoutMs: seconds * 1000 }
}

/** For which questions the reranker is asked, and how long it may take. */
export function rerankingOptions(env: GateBindings): RerankingOptions {
  const between = rerankBounds(env)
  return { ...rerankTimeout(env), ...(between && { between }) }
}

/** What a deployment has of what policies may need. */
export type Given = PresetNeed | 'model'

/** What these engines give of what policies may need. */
export function givenBy(env: GateBindings): readonly Given[] {
  const embedsMeaning = env.VECTORIZE !== undefined || env.UPSTASH_VECTOR_REST_URL !== undefined
  return [
    ...(rerankerFor(env) === undefined ? [] : (['reranker'] as const)),
    embedsMeaning ? 'meaning' : 'words',
    ...(env.LLM_MODEL === undefined ? [] : (['model'] as const)),
  ]
}

/** The model that writes answers, where one is configured, with those that stand in for it. */
export function generatorFor(env: GateBindings): Generator | undefined {
  const models = languageModels(env)
  const seconds = numberIn(env, 'LLM_TIMEOUT_SECONDS')
  if (models.length === 0) return undefined
  const generators = models.map((model) =>
    createOpenAiGenerator({ ...model, ...(seconds === undefined ? {} : { timeoutMs: seconds * 1000 }) }),
  )
  const generator = createFallbackGenerator({
    generators,
    onFallback: ({ model, code }) => console.warn(`[rag-gate] ${code}: the model after ${model} is asked`),
  })
  const callsAtOnce = numberIn(env, 'MODEL_CALLS_AT_ONCE') ?? 50
  return createLimitedGenerator({
    generator,
    callsAtOnce,
    streamTimeoutMs: (numberIn(env, 'STREAM_SECONDS') ?? 300) * 1000,
  })
}

type Model = Pick<OpenAiGeneratorOptions, 'baseUrl' | 'apiKey' | 'model' | 'maxTokensField' | 'fetch'>

/**
 * The models that write, the first first: each behind an endpoint, or in Workers AI.
 *
 * @throws `config_invalid` for one of Workers AI without its binding
 */
export function languageModels(env: GateBindings): readonly Model[] {
  const { LLM_BASE_URL: base_url, LLM_API_KEY: api_key, LLM_MODEL: model, LLM_MAX_TOKENS_FIELD: field } = env
  if (model === undefined) return []
  const max_tokens_field = field === 'max_completion_tokens' ? field : 'max_tokens'
  return [{ base_url, api_key, model, max_tokens_field } as const, ...modelsIn(env.LLM_FALLBACKS ?? '[]')!].map(
    ({ base_url: baseUrl, api_key: apiKey, max_tokens_field: maxTokensField = 'max_tokens', ...named }) => {
      // Both or neither, by the settings' check.
      if (baseUrl !== undefined && apiKey !== undefined)
        return { ...named, baseUrl, apiKey, maxTokensField, fetch: tracedFetch }
      if (env.AI === undefined) throw new RagGateError('config_invalid', `${named.model} needs AI`)
      return { ...named, ...workersAiEndpoint(env.AI), maxTokensField: 'max_tokens' }
    },
  )
}
