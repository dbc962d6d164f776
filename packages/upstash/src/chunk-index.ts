/** Writing to an Upstash index. */
import { deadline, memberAt, number, requireOptions } from 'hono-rag-gate/core/lib'
import { Index } from '@upstash/vector'
import type { Passage } from 'hono-rag-gate/core/evidence'
import { RagGateError } from 'hono-rag-gate/errors'
import { badResponse } from '@hono-rag-gate/upstream/http'
import type { ChunkIndex, IndexRoom } from 'hono-rag-gate/ports'
import { requireCosine } from './index-kind.ts'
import { checkedNamespace } from './namespaces.ts'
import { itemOf, passageOf, pendingIn, readInfo } from './rows.ts'
import { INDEX, transportOver, UPSTASH_OPTIONS, type UpstashOptions, WIDE_BYTES } from './transport.ts'

/** Options of a chunk index. */
export interface UpstashChunkIndexOptions extends UpstashOptions {
  /**
   * Maximum wait of `settle`, milliseconds; 0 checks once.
   *
   * @default 10000
   */
  readonly settleTimeoutMs?: number
  /**
   * Interval between two checks of whether writes are visible, milliseconds; 1 to 2,000,000,000.
   *
   * @default 250
   */
  readonly settlePollMs?: number
}

/** Passages or ids per request. The service allows 1,000; a Worker invocation limits the number of requests. */
const BATCH = 500

/**
 * Writes passages as texts for the index to embed; everything but the text becomes metadata. The index must be hybrid,
 * with hosted embeddings and cosine similarity. Read it with `createUpstashRetriever({ …, filledBy: 'gate' })`.
 *
 * @throws `config_invalid` for invalid options
 */
export function createUpstashChunkIndex(options: UpstashChunkIndexOptions): ChunkIndex {
  requireOptions(options, {
    ...UPSTASH_OPTIONS,
    settleTimeoutMs: number(0),
    settlePollMs: deadline,
  })
  const { settleTimeoutMs = 10_000, settlePollMs = 250, ...rest } = options
  const transport = transportOver({ timeoutMs: 10_000, maxResponseBytes: WIDE_BYTES, ...rest })
  const index = new Index(transport())
  return {
    async describe() {
      const { dense, sparse } = readInfo(await index.info())
      if (dense === undefined || sparse === undefined) {
        throw new RagGateError('retriever_misconfigured', 'The index must be a hybrid one')
      }
      requireCosine(dense)
      return { embeddingModel: dense.model, dimension: dense.dimension }
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
        if (typeof memberAt(result, 'deleted') !== 'number') throw badResponse(INDEX, 'no count of the deleted')
      }
    },

    async settle(namespace) {
      const polls = Math.ceil(settleTimeoutMs / settlePollMs)
      for (let poll = 0; ; poll++) {
        const info: unknown = await index.info()
        if (pendingIn(info, namespace) === 0) return roomOf(info, namespace)
        if (poll >= polls) throw new RagGateError('index_not_settled', 'The index did not show its last writes in time')
        await new Promise((resolve) => setTimeout(resolve, settlePollMs))
      }
    },
  }
}

/** Memory use of a namespace; only an index of this project reports it. */
function roomOf(info: unknown, namespace: string): IndexRoom | undefined {
  const usedBytes = memberAt(info, 'capacity', 'namespaces', namespace, 'memoryBytes')
  const limitBytes = memberAt(info, 'capacity', 'memoryBytesPerNamespace')
  return typeof usedBytes === 'number' && typeof limitBytes === 'number' ? { usedBytes, limitBytes } : undefined
}

function* batches<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += BATCH) yield items.slice(at, at + BATCH)
}
