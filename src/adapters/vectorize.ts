/**
 * Cloudflare Vectorize through its binding: dense search alone, over vectors of an embedder.
 *
 * @see https://developers.cloudflare.com/vectorize/reference/client-api/
 */
import type { Passage, Ranking } from '../core/chunk.ts'
import { isRecord, rankRows, type RetrievedRow } from '../core/retrieved.ts'
import { RagGateError } from '../errors.ts'
import { boundedCall } from '../http/deadline.ts'
import { createUpstream, type UpstreamOptions } from '../http/upstream.ts'
import { badResponse, errorOfFault } from '../http/upstream-error.ts'
import type { ChunkIndex } from '../ports/chunk-index.ts'
import type { ChunkTexts } from '../ports/chunk-texts.ts'
import type { Embedder } from '../ports/embedder.ts'
import type { RetrievalRequest, Retriever } from '../ports/retriever.ts'
import { INDEX, LIMITS, type VectorizeBinding, vectorId } from './vectorize/binding.ts'
import { cosineOf, dot, isScoreOf, unit, type VectorizeMetric } from './vectorize/cosine.ts'
import { checkedFilter, type VectorizeFilter } from './vectorize/filter.ts'
import { metadataOf, passageOf, type ReadVector, readVector } from './vectorize/rows.ts'

export type { VectorizeBinding } from './vectorize/binding.ts'
export type { VectorizeMetric } from './vectorize/cosine.ts'
export type { FilterCondition, FilterValue, VectorizeFilter } from './vectorize/filter.ts'

/** What retriever and chunk index of one Vectorize index share. */
export interface VectorizeOptions {
  readonly index: VectorizeBinding
  readonly embedder: Embedder
  /** Keeps the texts, for passages that do not fit into 10 KiB of metadata. Without it they are in the metadata. */
  readonly texts?: ChunkTexts
  /**
   * Milliseconds that a call of the binding may take; 1 and up.
   *
   * @default 1500 for a retriever, 10000 for a chunk index
   */
  readonly timeoutMs?: number
  /** Retry and circuit breaker. */
  readonly upstream?: UpstreamOptions
}

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
  /** Which vectors are searched, on properties with a metadata index. Set by the server, never by a request. */
  readonly filter?: VectorizeFilter
}

/** Options of a chunk index. */
export interface VectorizeChunkIndexOptions extends VectorizeOptions {
  /**
   * Milliseconds that `settle` waits at most; 0 asks once.
   *
   * @default 60000
   */
  readonly settleTimeoutMs?: number
  /**
   * Milliseconds between two questions whether writes are visible; 1 and up.
   *
   * @default 1000
   */
  readonly settlePollMs?: number
}

/** What was written into a namespace and may not be seen yet. Writes are processed in order. */
interface Pending {
  /** The last write. */
  readonly mutationId: string
  /** The last vector written, unless it was deleted since. */
  readonly written?: { readonly id: string; readonly values: readonly number[] }
  /** Some of what was deleted since. */
  readonly deleted: readonly string[]
}

/** Calls the binding under one deadline and one discipline; gives errors of this package. */
type Call = <Result>(work: () => Promise<Result>, signal?: AbortSignal) => Promise<Result>

/**
 * Retrieves at most fifty passages by cosine. A match of another namespace, without text, or with a score that the stated
 * metric cannot give is a fault of the whole response.
 *
 * @throws `config_invalid` when the options make no sense
 */
export function createVectorizeRetriever(options: VectorizeRetrieverOptions): Retriever {
  const { index, embedder, texts, metric, scores = 'exact' } = options
  const filter = options.filter === undefined ? {} : { filter: checkedFilter(options.filter) }
  const call = callerOf(options, 1500)
  return {
    embedding: { model: embedder.model, dimension: embedder.dimension },
    async retrieve({ namespace, question, topK, signal }: RetrievalRequest): Promise<readonly Ranking[]> {
      vectorId(namespace, '-')
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
            ...filter,
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

/**
 * Writes passages with their vectors. Writes of Vectorize are seen after seconds: `settle` waits for those made through
 * this object.
 *
 * @throws `config_invalid` when the options make no sense
 */
export function createVectorizeChunkIndex(options: VectorizeChunkIndexOptions): ChunkIndex {
  const { index, embedder, texts, settleTimeoutMs = 60_000, settlePollMs = 1000 } = options
  requirePositive('settlePollMs', settlePollMs)
  const call = callerOf(options, 10_000)
  const pending = new Map<string, Pending>()

  async function get(namespace: string, ids: readonly string[]): Promise<Map<string, ReadVector>> {
    const found = new Map<string, ReadVector>()
    for (const batch of batches(ids, LIMITS.readIds)) {
      const rows = await call(() => index.getByIds(batch.map((id) => vectorId(namespace, id))))
      if (!Array.isArray(rows)) throw badResponse(INDEX, 'not a list')
      for (const row of rows as unknown[]) {
        const vector = readVector(namespace, row)
        found.set(vector.id, vector)
      }
    }
    return found
  }

  async function isVisible(namespace: string, last: Pending): Promise<boolean> {
    const info = await call(() => index.describe())
    if (isRecord(info) && info['processedUpToMutation'] === last.mutationId) return true
    // Somebody else's later write may stand there instead, and ids of writes have no order: then what ours left tells.
    const { written, deleted } = last
    const found = await get(namespace, [...(written === undefined ? [] : [written.id]), ...deleted])
    if (deleted.some((id) => found.has(id))) return false
    if (written === undefined) return deleted.length > 0
    const values = found.get(written.id)?.values ?? []
    return values.length === written.values.length && dot(unit(values), written.values) > 1 - 1e-6
  }

  return {
    async describe() {
      const info = await call(() => index.describe())
      const dimensions = isRecord(info) ? info['dimensions'] : undefined
      if (typeof dimensions !== 'number') throw badResponse(INDEX, 'no dimensions')
      if (dimensions !== embedder.dimension) {
        throw new RagGateError(
          'embedding_mismatch',
          `The index has ${dimensions} dimensions, not ${embedder.dimension}`,
        )
      }
      return { embeddingModel: embedder.model, dimension: dimensions }
    },

    async upsert(namespace, passages) {
      await texts?.put(namespace, passages)
      for (const batch of batches(passages, LIMITS.upsert)) {
        // Checked before anything is embedded or written.
        const drafts = batch.map((passage) => ({
          id: vectorId(namespace, passage.id),
          namespace,
          metadata: metadataOf(passage, texts === undefined),
        }))
        const vectors = await embedder.embed({ texts: batch.map(({ text }) => text), purpose: 'passage' })
        const items = drafts.map((draft, at) => ({ ...draft, values: unit(vectors[at] ?? []) }))
        const mutationId = readMutation(await call(() => index.upsert(items)))
        // No batch is empty.
        const written = { id: batch.at(-1)!.id, values: items.at(-1)!.values }
        pending.set(namespace, { mutationId, written, deleted: [] })
      }
    },

    async fetch(namespace, ids) {
      const found = await get(namespace, ids)
      const vectors = ids.flatMap((id) => found.get(id) ?? [])
      const passages = await passagesOf(vectors, namespace, texts)
      const byId = new Map(vectors.map(({ id }, at) => [id, passages[at] ?? null]))
      return ids.map((id) => byId.get(id) ?? null)
    },

    async delete(namespace, ids) {
      for (const batch of batches(ids, LIMITS.deleteIds)) {
        const mutationId = readMutation(await call(() => index.deleteByIds(batch.map((id) => vectorId(namespace, id)))))
        const written = pending.get(namespace)?.written
        pending.set(namespace, {
          mutationId,
          ...(written === undefined || ids.includes(written.id) ? {} : { written }),
          deleted: batch.slice(1 - LIMITS.readIds),
        })
      }
      await texts?.delete(namespace, ids)
    },

    async settle(namespace) {
      const last = pending.get(namespace)
      if (last === undefined) return
      const polls = Math.ceil(settleTimeoutMs / settlePollMs)
      for (let poll = 0; !(await isVisible(namespace, last)); poll++) {
        if (poll >= polls) throw new RagGateError('index_not_settled', 'The index did not show its last writes in time')
        await new Promise((resolve) => setTimeout(resolve, settlePollMs))
      }
      // Unless something was written meanwhile.
      if (pending.get(namespace) === last) pending.delete(namespace)
    },
  }
}

function callerOf({ embedder, timeoutMs, upstream: discipline }: VectorizeOptions, defaultMs: number): Call {
  const ms = timeoutMs ?? defaultMs
  requirePositive('timeoutMs', ms)
  if (!(embedder.dimension >= 1 && embedder.dimension <= LIMITS.dimension)) {
    throw new RagGateError('config_invalid', `Vectorize takes at most ${LIMITS.dimension} dimensions`, {
      param: 'embedder',
    })
  }
  const upstream = createUpstream(discipline)
  return (work, signal) =>
    upstream(() => boundedCall(work, { timeoutMs: ms, signal }), signal).catch((thrown: unknown) => {
      throw errorOfFault(INDEX, thrown)
    })
}

/** @throws `config_invalid` unless the value is finite, 1 and up */
function requirePositive(param: string, value: number): void {
  if (!(value >= 1) || value === Infinity) {
    throw new RagGateError('config_invalid', `${param} must be a number of 1 and up`, { param })
  }
}

async function embedOne(embedder: Embedder, question: string, signal: AbortSignal): Promise<number[]> {
  const [vector] = await embedder.embed({ texts: [question], purpose: 'question', signal })
  if (vector?.length !== embedder.dimension) {
    throw new RagGateError('embedding_mismatch', 'The embedder made a vector of another dimension')
  }
  return unit(vector)
}

/** In the order of the vectors; `null` for one whose text is kept elsewhere and gone: it was deleted there first. */
async function passagesOf(
  vectors: readonly ReadVector[],
  namespace: string,
  texts: ChunkTexts | undefined,
): Promise<readonly (Passage | null)[]> {
  if (texts === undefined) return vectors.map(passageOf)
  return vectors.length === 0
    ? []
    : texts.get(
        namespace,
        vectors.map(({ id }) => id),
      )
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

function readMutation(result: unknown): string {
  const id = isRecord(result) ? result['mutationId'] : undefined
  if (typeof id !== 'string' || id === '') throw badResponse(INDEX, 'no mutation id')
  return id
}

function* batches<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size)
}
