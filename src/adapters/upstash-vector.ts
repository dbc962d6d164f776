/**
 * Upstash Vector, and every index that speaks its protocol, through the unmodified `@upstash/vector` client. The index
 * must be a hybrid one with hosted embeddings.
 *
 * @see https://upstash.com/docs/vector
 */
import { Index, QueryMode, WeightingStrategy } from '@upstash/vector'
import type { Passage, Ranking } from '../core/evidence/chunk.ts'
import { checkPassageFilter, type PassageFilter, valuesOf } from '../core/evidence/passage-filter.ts'
import { isRecord } from '../core/lib/guards.ts'
import { rankRows } from '../core/evidence/rows.ts'
import { RagGateError } from '../errors.ts'
import { requireAtLeast } from '../http/require-at-least.ts'
import { badResponse } from '../http/upstream-error.ts'
import type { ChunkIndex } from '../ports/chunk-index.ts'
import type { Clock } from '../ports/clock.ts'
import type { RetrievalRequest, Retriever } from '../ports/retriever.ts'
import { createEmbeddingReader } from './upstash-vector/embedding-reader.ts'
import { itemOf, passageOf, readDense, readInfo, rowsOf } from './upstash-vector/rows.ts'
import { createUpstashTransport, INDEX, type UpstashOptions } from './upstash-vector/transport.ts'

export { createUpstashTransport, type UpstashOptions, type UpstashTransport } from './upstash-vector/transport.ts'

/** Options of a retriever. */
export interface UpstashRetrieverOptions extends UpstashOptions {
  /**
   * Which methods are asked. `hybrid`: both, in one request, each with scores of its own instead of the service's fused
   * ones.
   *
   * @default 'hybrid'
   */
  readonly methods?: 'hybrid' | 'dense'
  /**
   * How long the isolate takes the index's word for its model and dimension before it asks again, beside a search, in
   * milliseconds: how long a changed model may go unnoticed, or a changed back one be refused. 0..60,000; 0 asks every time.
   *
   * @default 60_000
   */
  readonly embeddingMaxAgeMs?: number
  /** @default the platform's clock */
  readonly clock?: Clock
}

/** Options of a chunk index. */
export interface UpstashChunkIndexOptions extends UpstashOptions {
  /**
   * Milliseconds that `settle` waits at most; 0 asks once.
   *
   * @default 10000
   */
  readonly settleTimeoutMs?: number
  /**
   * Milliseconds between two questions whether writes are visible; 1 and up.
   *
   * @default 250
   */
  readonly settlePollMs?: number
}

/** Passages or ids in one request: below the service's 1,000, and few enough requests for one Worker invocation. */
const BATCH = 500

/**
 * Retrieves with a dense and a sparse query in one round trip, so that a chunk that both return carries both scores.
 *
 * A score that is not a finite number within its range is handed on as NaN, to be dropped and counted; an entry without
 * id or text, or of another namespace, is a fault of the whole response.
 *
 * @throws `config_invalid` when the options make no sense
 */
export function createUpstashRetriever(options: UpstashRetrieverOptions): Retriever {
  const { methods = 'hybrid', embeddingMaxAgeMs = 60_000, clock = { nowMs: () => Date.now() }, ...rest } = options
  const transport = createUpstashTransport({ timeoutMs: 1500, maxResponseBytes: 1024 * 1024, ...rest })
  return {
    embeddingNow: createEmbeddingReader({ ...rest, embeddingMaxAgeMs, clock }),

    async retrieve({ namespace, question, topK, filter, signal }: RetrievalRequest): Promise<readonly Ranking[]> {
      const index = new Index(transport(signal))
      const found = { includeData: true, includeMetadata: true, ...(filter && { filter: filterText(filter) }) }
      const query = { data: question, topK, ...found }
      const queries = [
        { ...query, queryMode: QueryMode.DENSE },
        ...(methods === 'dense'
          ? []
          : [{ ...query, queryMode: QueryMode.SPARSE, weightingStrategy: WeightingStrategy.IDF }]),
      ]
      const results: unknown = await index.queryMany(queries, { namespace: checkedNamespace(namespace) })
      if (!Array.isArray(results) || results.length !== queries.length) {
        throw badResponse(INDEX, 'not one list for each query')
      }
      const [dense, sparse] = results as unknown[]
      return [
        // The service's score is (1 + cosine) / 2.
        rankRows(
          'cosine',
          rowsOf(namespace, dense, (score) => 2 * score - 1),
          topK,
        ),
        ...(methods === 'dense'
          ? []
          : [
              rankRows(
                'bm25',
                rowsOf(namespace, sparse, (score) => score),
                topK,
              ),
            ]),
      ]
    },
  }
}

/**
 * Writes passages as texts for the index to embed; everything but the text goes into metadata.
 *
 * @throws `config_invalid` when the options make no sense
 */
export function createUpstashChunkIndex(options: UpstashChunkIndexOptions): ChunkIndex {
  const { settleTimeoutMs = 10_000, settlePollMs = 250, ...rest } = options
  const transport = createUpstashTransport({ timeoutMs: 10_000, maxResponseBytes: 8 * 1024 * 1024, ...rest })
  requireAtLeast(0, 'settleTimeoutMs', settleTimeoutMs)
  requireAtLeast(1, 'settlePollMs', settlePollMs)
  const index = new Index(transport())
  return {
    async describe() {
      const { dense, sparse } = readInfo(await index.info())
      if (!isRecord(dense) || !isRecord(sparse)) {
        throw new RagGateError('retriever_misconfigured', 'The index must be a hybrid one')
      }
      const { model, dimension } = readDense(dense)
      return { embeddingModel: model, dimension }
    },

    async upsert(namespace, passages) {
      for (const batch of batches(passages)) {
        const items = batch.map((passage) => itemOf(namespace, passage))
        const result: unknown = await index.upsert(items, { namespace: checkedNamespace(namespace) })
        if (result !== 'Success') throw badResponse(INDEX, 'no success')
      }
    },

    async fetch(namespace, ids) {
      const passages: (Passage | null)[] = []
      for (const batch of batches(ids)) {
        const include = { includeData: true, includeMetadata: true, namespace: checkedNamespace(namespace) }
        const rows: unknown = await index.fetch([...batch], include)
        if (!Array.isArray(rows) || rows.length !== batch.length) throw badResponse(INDEX, 'not one row for each id')
        const found = rows.map((row: unknown) => (row === null ? null : passageOf(namespace, row)))
        if (found.some((passage, at) => passage !== null && passage.id !== batch[at])) {
          throw badResponse(INDEX, 'another id')
        }
        passages.push(...found)
      }
      return passages
    },

    async delete(namespace, ids) {
      for (const batch of batches(ids)) {
        const result: unknown = await index.delete({ ids: [...batch] }, { namespace: checkedNamespace(namespace) })
        if (!isRecord(result) || typeof result['deleted'] !== 'number') {
          throw badResponse(INDEX, 'no count of the deleted')
        }
      }
    },

    async settle(namespace) {
      const polls = Math.ceil(settleTimeoutMs / settlePollMs)
      for (let poll = 0; readInfo(await index.info()).pendingOf(namespace) > 0; poll++) {
        if (poll >= polls) throw new RagGateError('index_not_settled', 'The index did not show its last writes in time')
        await new Promise((resolve) => setTimeout(resolve, settlePollMs))
      }
    },
  }
}

/** A filter in the service's language. It has no escapes, so values that would need one are refused. */
function filterText(filter: PassageFilter): string {
  const terms = Object.entries(checkPassageFilter(filter)).map(([field, allowed]) => {
    const values = valuesOf(allowed).map((value) => (typeof value === 'string' ? `'${value}'` : String(value)))
    return values.length === 1 ? `${field} = ${values[0]}` : `${field} IN (${values.join(', ')})`
  })
  return terms.join(' AND ')
}

/** The client puts namespaces into the path as they are: any other character could name another tenant's. */
function checkedNamespace(namespace: string): string {
  if (/^[\w-]{1,64}$/.test(namespace)) return namespace
  throw new RagGateError('retriever_misconfigured', 'An index namespace must be 1 to 64 of A-Z a-z 0-9 _ -')
}

function* batches<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += BATCH) yield items.slice(at, at + BATCH)
}
