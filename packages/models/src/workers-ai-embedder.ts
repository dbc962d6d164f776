/**
 * An embedder over the Workers AI binding.
 *
 * @see https://developers.cloudflare.com/workers-ai/models/
 */
import { deadline, isRecord, methods, oneOf, required, requireOptions, text, whole } from 'hono-rag-gate/core/lib'
import { readEmbeddings } from '@hono-rag-gate/upstream/rows'
import { RagGateError } from 'hono-rag-gate/errors'
import {
  badResponse,
  boundedCall,
  createUpstream,
  errorOfFault,
  type UpstreamName,
  type UpstreamOptions,
  upstreamOptions,
} from '@hono-rag-gate/upstream/http'
import type { Embedder } from 'hono-rag-gate/ports'

/** The part of the Workers AI binding that is used. */
export interface AiEmbeddingBinding {
  run(model: string, input: { readonly text: string[]; readonly pooling?: 'cls' | 'mean' }): Promise<unknown>
}

/** Settings of `createWorkersAiEmbedder`. */
export interface WorkersAiEmbedderOptions {
  readonly ai: AiEmbeddingBinding
  /** @default '@cf/baai/bge-base-en-v1.5' */
  readonly model?: string
  /**
   * Dimension of the model's vectors.
   *
   * @default for BGE models: 384 small, 768 base, 1024 large and m3; required for any other model
   */
  readonly dimension?: number
  /**
   * Pooling of token vectors. Vectors of different poolings are incompatible, so it is sent in every call and is part
   * of the embedder's model name.
   *
   * @default 'cls' for the English BGE models, which are trained with it; not sent for others
   */
  readonly pooling?: 'cls' | 'mean'
  /**
   * Deadline of a call, milliseconds; 1 to 2,000,000,000.
   *
   * @default 3000
   */
  readonly timeoutMs?: number
  /** Retry and circuit breaker. */
  readonly upstream?: UpstreamOptions
}

/** Maximum number of texts per call. */
const BATCH = 100

const DIMENSIONS: Readonly<Record<string, number>> = {
  '@cf/baai/bge-small-en-v1.5': 384,
  '@cf/baai/bge-base-en-v1.5': 768,
  '@cf/baai/bge-large-en-v1.5': 1024,
  '@cf/baai/bge-m3': 1024,
}

const EMBEDDER: UpstreamName = { role: 'retriever', what: 'The embedder' }

/**
 * Makes an embedder.
 *
 * @throws `config_invalid` for invalid options
 */
export function createWorkersAiEmbedder(options: WorkersAiEmbedderOptions): Embedder {
  requireOptions(options, {
    ai: required(methods('run')),
    model: text,
    dimension: whole(1),
    pooling: oneOf('cls', 'mean'),
    timeoutMs: deadline,
    upstream: upstreamOptions,
  })
  const { ai, model = '@cf/baai/bge-base-en-v1.5', timeoutMs = 3000 } = options
  const dimension = options.dimension ?? DIMENSIONS[model]
  const pooling = options.pooling ?? (/\/bge-\w+-en/.test(model) ? 'cls' : undefined)
  if (dimension === undefined) {
    throw new RagGateError('config_invalid', `dimension must be given: that of ${model} is not known`, {
      param: 'dimension',
    })
  }
  const upstream = createUpstream(options.upstream)
  const pooled = pooling === undefined ? {} : { pooling }
  return {
    model: pooling === undefined ? model : `${model}#${pooling}`,
    dimension,
    async embed({ texts, signal }) {
      const vectors: (readonly number[])[] = []
      for (let at = 0; at < texts.length; at += BATCH) {
        const text = texts.slice(at, at + BATCH)
        const output = await upstream(
          () => boundedCall(() => ai.run(model, { text, ...pooled }), { timeoutMs, signal }),
          signal,
        ).catch((thrown: unknown) => {
          throw errorOfFault(EMBEDDER, thrown)
        })
        vectors.push(...readEmbeddings(vectorsIn(output, pooling), text.length, dimension))
      }
      return vectors
    },
  }
}

/**
 * Most models return `data`, bge-m3 may return `response`. A pooling is compared if one was asked for: the other models
 * have one of their own, which bge-m3 may name. An asynchronous result has only a `request_id`, and is rejected.
 */
function vectorsIn(output: unknown, pooling: string | undefined): unknown {
  if (!isRecord(output)) throw badResponse(EMBEDDER, 'not an object')
  if (pooling !== undefined && (output['pooling'] ?? pooling) !== pooling) {
    throw badResponse(EMBEDDER, 'vectors of another pooling')
  }
  return output['data'] ?? output['response']
}
