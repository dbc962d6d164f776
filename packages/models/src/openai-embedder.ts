/**
 * An embedder over any OpenAI-compatible endpoint.
 *
 * @see https://platform.openai.com/docs/api-reference/embeddings
 */
import { deadline, memberAt, oneOf, required, requireOptions, whole } from 'hono-rag-gate/core/lib'
import { readEmbeddings } from '@hono-rag-gate/upstream/rows'
import { OPENAI_ENDPOINT, type OpenAiEndpointOptions } from './openai-endpoint.ts'
import { badResponse, bearer, createJsonEndpoint, type UpstreamName } from '@hono-rag-gate/upstream/http'
import type { Embedder } from 'hono-rag-gate/ports'

/** Settings of `createOpenAiEmbedder`. */
export interface OpenAiEmbedderOptions extends OpenAiEndpointOptions {
  /** Dimension of the model's vectors. Whole, 1 and up. */
  readonly dimension: number
  /**
   * Whether to request vectors of length `dimension`. Only models with adjustable length accept this.
   *
   * @default 'fixed'
   */
  readonly length?: 'fixed' | 'asked'
  /**
   * Texts per request. Whole, 1 and up.
   *
   * @default 100
   */
  readonly batchSize?: number
  /**
   * Deadline of each attempt including the body, milliseconds; 1 to 2,000,000,000.
   *
   * @default 3000
   */
  readonly timeoutMs?: number
  /**
   * Maximum size of a response, bytes; 1 and up.
   *
   * @default 16777216: a hundred vectors of 3,072 numbers are 7 MB
   */
  readonly maxResponseBytes?: number
}

const EMBEDDER: UpstreamName = { role: 'retriever', what: 'The embedder' }

/**
 * Makes an embedder.
 *
 * @throws `config_invalid` for invalid options
 */
export function createOpenAiEmbedder(options: OpenAiEmbedderOptions): Embedder {
  requireOptions(options, {
    ...OPENAI_ENDPOINT,
    dimension: required(whole(1)),
    length: oneOf('fixed', 'asked'),
    batchSize: whole(1),
    timeoutMs: deadline,
    maxResponseBytes: whole(1),
  })
  const { baseUrl, apiKey, model, dimension, length = 'fixed', batchSize = 100 } = options
  const { timeoutMs = 3000, maxResponseBytes = 16 * 1024 * 1024 } = options
  const ask = createJsonEndpoint(EMBEDDER, {
    url: baseUrl,
    path: '/embeddings',
    headers: bearer(apiKey),
    timeoutMs,
    maxResponseBytes,
    fetch: options.fetch,
    upstream: options.upstream,
  })
  const shape = { model, encoding_format: 'float', ...(length === 'asked' ? { dimensions: dimension } : {}) }

  async function embedBatch(input: readonly string[], signal: AbortSignal | undefined) {
    const body = await ask({ ...shape, input }, signal)
    return readEmbeddings(inOrder(body, input.length), input.length, dimension)
  }

  return {
    model,
    dimension,
    async embed({ texts, signal }) {
      const vectors: (readonly number[])[] = []
      for (let at = 0; at < texts.length; at += batchSize) {
        vectors.push(...(await embedBatch(texts.slice(at, at + batchSize), signal)))
      }
      return vectors
    },
  }
}

/** The vectors by `index`, because endpoints may return them in another order. */
function inOrder(body: unknown, count: number): unknown[] {
  const list = memberAt(body, 'data')
  if (!Array.isArray(list) || list.length !== count) throw badResponse(EMBEDDER, 'not one vector for each text')
  const vectors = Array<unknown>(count).fill(undefined)
  for (const entry of list as unknown[]) {
    const index = memberAt(entry, 'index')
    if (typeof index !== 'number' || !(index in vectors) || vectors[index] !== undefined) {
      throw badResponse(EMBEDDER, 'a vector of no text, or two of one')
    }
    vectors[index] = memberAt(entry, 'embedding')
  }
  return vectors
}
