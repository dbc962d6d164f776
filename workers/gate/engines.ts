/** Chooses the engines for retrieval, reranking and generation from the bindings, for `compose.ts`. */
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
import type { RerankingOptions } from 'hono-rag-gate'
import type { Generator } from '@hono-rag-gate/models'
import type { ChunkIndex, Reranker, Retriever } from 'hono-rag-gate/ports'
import { createWordIndex, createWordRetriever } from '@hono-rag-gate/word-index'
import { english } from 'hono-rag-gate/language/english'
import type { GateBindings } from './bindings.ts'
import { modelsIn, numberIn, rerankBounds } from './settings.ts'
import { tracedFetch } from './trace.ts'

/** Vectorize if bound, an index with the protocol of Upstash Vector if configured, otherwise the word index in D1. */
export function searchEngine(env: GateBindings): { readonly retriever: Retriever; readonly index: ChunkIndex } {
  const { UPSTASH_VECTOR_REST_URL: url, UPSTASH_VECTOR_REST_TOKEN: token } = env
  if (env.VECTORIZE === undefined && url !== undefined && token !== undefined) {
    const where = { url, token }
    return { retriever: createUpstashRetriever({ ...where, filledBy: 'gate' }), index: createUpstashChunkIndex(where) }
  }
  if (env.VECTORIZE === undefined) {
    // The language of every named policy.
    const where = { db: env.DB, language: english }
    return { retriever: createWordRetriever(where), index: createWordIndex(where) }
  }
  const { EMBEDDING_MODEL: model } = env
  // Checked by `requireSettings` to be bound.
  const embedder = createWorkersAiEmbedder({ ai: env.AI!, ...(model === undefined ? {} : { model }) })
  // Texts are stored in D1, so that passages need not fit into the index's metadata.
  const where = { index: env.VECTORIZE, embedder, texts: createD1ChunkTexts({ db: env.DB }) }
  return {
    retriever: createVectorizeRetriever({ ...where, metric: 'cosine', filledBy: 'gate' }),
    index: createVectorizeChunkIndex(where),
  }
}

/** The configured reranker, if any. */
export function rerankerFor(env: GateBindings): Reranker | undefined {
  // `requireSettings` has checked that their bindings are present.
  if (env.RERANKER === 'workers-ai') return createWorkersAiReranker({ ai: env.AI!, ...rerankTimeout(env) })
  if (env.RERANKER === 'llm') return createLlmGrader({ ...languageModels(env)[0]!, ...rerankTimeout(env) })
  return undefined
}

/** The deadline applies both to the call and to the whole reranking. */
function rerankTimeout(env: GateBindings): { readonly timeoutMs?: number } {
  const seconds = numberIn(env, 'RERANK_TIMEOUT_SECONDS')
  return seconds === undefined ? {} : { timeoutMs: seconds * 1000 }
}

/** Bounds of the reranking cascade, and its deadline. */
export function rerankingOptions(env: GateBindings): RerankingOptions {
  const between = rerankBounds(env)
  return { ...rerankTimeout(env), ...(between && { between }) }
}

/** A resource that policies may require. */
export type Given = PresetNeed | 'model'

/** The resources that these engines provide. */
export function givenBy(env: GateBindings): readonly Given[] {
  const embedsMeaning = env.VECTORIZE !== undefined || env.UPSTASH_VECTOR_REST_URL !== undefined
  return [
    ...(rerankerFor(env) === undefined ? [] : (['reranker'] as const)),
    embedsMeaning ? 'meaning' : 'words',
    ...(env.LLM_MODEL === undefined ? [] : (['model'] as const)),
  ]
}

/** The configured generator with its fallbacks, if any. */
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

/** The models in order of preference, each behind an endpoint or in Workers AI. */
export function languageModels(env: GateBindings): readonly Model[] {
  const { LLM_BASE_URL: base_url, LLM_API_KEY: api_key, LLM_MODEL: model, LLM_MAX_TOKENS_FIELD: field } = env
  if (model === undefined) return []
  const max_tokens_field = field === 'max_completion_tokens' ? field : 'max_tokens'
  return [{ base_url, api_key, model, max_tokens_field } as const, ...modelsIn(env.LLM_FALLBACKS ?? '[]')!].map(
    ({ base_url: baseUrl, api_key: apiKey, max_tokens_field: maxTokensField = 'max_tokens', ...named }) => {
      // Checked by `requireSettings`: both are set, or neither and the binding is.
      if (baseUrl !== undefined && apiKey !== undefined)
        return { ...named, baseUrl, apiKey, maxTokensField, fetch: tracedFetch }
      return { ...named, ...workersAiEndpoint(env.AI!), maxTokensField: 'max_tokens' }
    },
  )
}
