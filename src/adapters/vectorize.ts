/**
 * Cloudflare Vectorize through its binding: dense search alone, over vectors of an embedder.
 *
 * @see https://developers.cloudflare.com/vectorize/reference/client-api/
 */
import { isRecord } from '../core/lib/guards.ts'
import { rankRows, type RetrievedRow } from '../core/evidence/rows.ts'
import { RagGateError } from '../errors.ts'
import { badResponse } from '../http/upstream-error.ts'
import type { Embedder } from '../ports/embedder.ts'
import type { RetrievalRequest, Retriever } from '../ports/retriever.ts'
import { INDEX, LIMITS, vectorId } from './vectorize/binding.ts'
import { callerOf, passagesOf, type VectorizeOptions } from './vectorize/caller.ts'
import { cosineOf, dot, isScoreOf, unit, type VectorizeMetric } from './vectorize/cosine.ts'
import { checkedFilter, joinedFilter, type VectorizeFilter } from './vectorize/filter.ts'
import { type ReadVector, readVector } from './vectorize/rows.ts'

export type { VectorizeBinding } from './vectorize/binding.ts'
export type { VectorizeOptions } from './vectorize/caller.ts'
export { createVectorizeChunkIndex, type VectorizeChunkIndexOptions } from './vectorize/chunk-index.ts'
export type { VectorizeMetric } from './vectorize/cosine.ts'
export type { FilterCondition, FilterValue, VectorizeFilter } from './vectorize/filter.ts'

/** Options of a retriever. */
export interface VectorizeRetrieverOptions extends VectorizeOptions {
  /** Metric that the index was created with. The binding does not tell it, so exact scores are checked against it. */
  readonly metric: VectorizeMetric
  /**
   * `exact`: values come back with every match, and the cosine is worked out from them. `approximate`: less comes back,
   * and the service's approximate score is taken.
   *
   * @default 'exact'
   */
  readonly scores?: 'exact' | 'approximate'
  /**
   * Which vectors are searched, on properties with a metadata index. Set by the server, never by a request. The filter of
   * a search joins it: its fields need a metadata index too, and members of `metadata` cannot have one.
   *
   * @default none: all of the namespace
   */
  readonly filter?: VectorizeFilter
}

/**
 * Retrieves at most fifty passages by cosine. A match of another namespace, without text, or with a score that the stated
 * metric cannot give is a fault of the whole response.
 *
 * @throws `config_invalid` when the options make no sense
 */
export function createVectorizeRetriever(options: VectorizeRetrieverOptions): Retriever {
  const { index, embedder, texts, metric, scores = 'exact' } = options
  const own = checkedFilter(options.filter ?? {})
  const call = callerOf(options, 1500)
  return {
    embedding: { model: embedder.model, dimension: embedder.dimension },
    async retrieve({ namespace, question, topK, filter: asked, signal }: RetrievalRequest) {
      vectorId(namespace, '-')
      const filter = joinedFilter(own, asked)
      const vector = await embedOne(embedder, question, signal)
      // A vector of zeros has no direction, so nothing is near it.
      if (!vector.some((value) => value !== 0)) return [rankRows('cosine', [], 1)]
      const wanted = Math.min(topK, LIMITS.topK)
      const result = await call(
        () =>
          index.query(vector, {
            topK: wanted,
            namespace,
            returnValues: scores === 'exact',
            returnMetadata: 'all',
            ...(Object.keys(filter).length > 0 && { filter }),
          }),
        signal,
      )
      if (!isRecord(result) || !Array.isArray(result['matches'])) throw badResponse(INDEX, 'no matches')
      const matches = result['matches'].map((row: unknown) => readVector(namespace, row))
      const passages = await passagesOf(matches, namespace, texts)
      const rows = matches.flatMap((match, at): RetrievedRow[] => {
        const passage = passages[at]
        return passage === undefined || passage === null
          ? []
          : [{ passage, score: cosine(match, vector, metric, scores) }]
      })
      // Some may have been deleted just now; that all are gone is no answer.
      if (matches.length > 0 && rows.length === 0) throw badResponse(INDEX, 'matches without any text')
      return [rankRows('cosine', rows, wanted)]
    },
  }
}

async function embedOne(embedder: Embedder, question: string, signal: AbortSignal): Promise<number[]> {
  const [vector] = await embedder.embed({ texts: [question], purpose: 'question', signal })
  if (vector?.length !== embedder.dimension) {
    throw new RagGateError('embedding_mismatch', 'The embedder made a vector of another dimension')
  }
  return unit(vector)
}

/** @throws `retriever_misconfigured` when the score is not what the stated metric gives */
function cosine(
  { score, values }: ReadVector,
  vector: readonly number[],
  metric: VectorizeMetric,
  scores: 'exact' | 'approximate',
): unknown {
  if (typeof score !== 'number' || !Number.isFinite(score)) return score
  if (scores === 'approximate') return cosineOf(metric, score)
  if (values?.length !== vector.length) throw badResponse(INDEX, 'a match without its values')
  const exact = dot(unit(values), vector)
  if (!isScoreOf(metric, exact, score)) {
    throw new RagGateError('retriever_misconfigured', `The scores of the index are not those of the metric ${metric}`)
  }
  return exact
}
