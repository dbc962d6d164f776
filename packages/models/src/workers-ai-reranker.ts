/**
 * A reranker over a cross-encoder of the Workers AI binding.
 *
 * @see https://developers.cloudflare.com/workers-ai/models/bge-reranker-base/
 */
import { deadline, isRecord, memberAt, methods, required, requireOptions, text } from 'hono-rag-gate/core/lib'
import {
  badResponse,
  boundedCall,
  createUpstream,
  errorOfFault,
  type UpstreamName,
  type UpstreamOptions,
  upstreamOptions,
} from '@hono-rag-gate/upstream/http'
import type { Reranker } from 'hono-rag-gate/ports'

/** The part of the Workers AI binding that is used. The model takes `query`, which its published type omits. */
export interface AiRerankingBinding {
  run(
    model: string,
    input: { readonly query: string; readonly contexts: { readonly text: string }[]; readonly top_k: number },
  ): Promise<unknown>
}

/** Settings of `createWorkersAiReranker`. */
export interface WorkersAiRerankerOptions {
  readonly ai: AiRerankingBinding
  /** @default '@cf/baai/bge-reranker-base' */
  readonly model?: string
  /**
   * Deadline of a call, milliseconds; 1 to 2,000,000,000. The `timeoutMs` of `reranking` also applies.
   *
   * @default 3000
   */
  readonly timeoutMs?: number
  /** Retry and circuit breaker. */
  readonly upstream?: UpstreamOptions
}

const RERANKER: UpstreamName = { role: 'reranker', what: 'The reranker' }

/**
 * Makes a reranker. Scores are the model's, mapped to 0..1 by the logistic function.
 *
 * @throws `config_invalid` for invalid options
 */
export function createWorkersAiReranker(options: WorkersAiRerankerOptions): Reranker {
  requireOptions(options, {
    ai: required(methods('run')),
    model: text,
    timeoutMs: deadline,
    upstream: upstreamOptions,
  })
  const { ai, model = '@cf/baai/bge-reranker-base', timeoutMs = 3000 } = options
  const upstream = createUpstream(options.upstream)
  return {
    model,
    kind: 'cross-encoder',
    async rerank({ question, passages, signal }) {
      const contexts = passages.map(({ text }) => ({ text }))
      const input = { query: question, contexts, top_k: contexts.length }
      const output = await upstream(() => boundedCall(() => ai.run(model, input), { timeoutMs, signal }), signal).catch(
        (thrown: unknown) => {
          throw errorOfFault(RERANKER, thrown)
        },
      )
      return scoresIn(output, contexts.length)
    },
  }
}

/** One score per context, placed by the index that the model returns. */
function scoresIn(output: unknown, count: number): readonly number[] {
  const list = memberAt(output, 'response')
  if (!Array.isArray(list) || list.length !== count) throw badResponse(RERANKER, 'not one score for each passage')
  const scores = Array<number | undefined>(count).fill(undefined)
  for (const entry of list as unknown[]) {
    const { id, score } = isRecord(entry) ? entry : {}
    if (typeof id !== 'number' || !(id in scores) || scores[id] !== undefined) {
      throw badResponse(RERANKER, 'a score of no passage, or two of one')
    }
    if (typeof score !== 'number' || !Number.isFinite(score)) throw badResponse(RERANKER, 'a score that is no number')
    scores[id] = 1 / (1 + Math.exp(-score))
  }
  // There are as many as passages, with distinct indexes, so none is missing.
  return scores as number[]
}
