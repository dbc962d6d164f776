/** Writing to a Vectorize index. */
import { deadline, dot, memberAt, methods, number, requireOptions } from 'hono-rag-gate/core/lib'
import { RagGateError } from 'hono-rag-gate/errors'
import { badResponse } from '@hono-rag-gate/upstream/http'
import { embeddedVector } from '@hono-rag-gate/upstream/rows'
import type { ChunkIndex } from 'hono-rag-gate/ports'
import { INDEX, LIMITS, vectorId } from './limits.ts'
import { callerOf, passagesOf, type VectorizeOptions, VECTORIZE_OPTIONS } from './caller.ts'
import { unit } from './cosine.ts'
import { metadataOf, type ReadVector, readVector } from './rows.ts'

/** Options of a chunk index. */
export interface VectorizeChunkIndexOptions extends VectorizeOptions {
  /**
   * Maximum wait of `settle`, milliseconds; 0 checks once.
   *
   * @default 60000
   */
  readonly settleTimeoutMs?: number
  /**
   * Interval between two checks of whether writes are visible, milliseconds; 1 to 2,000,000,000.
   *
   * @default 1000
   */
  readonly settlePollMs?: number
}

/** Writes to a namespace that may not be visible yet. The service processes writes in order. */
interface Pending {
  /** The last write. */
  readonly mutationId: string
  /** The last vector written, unless it was deleted afterwards. */
  readonly written?: { readonly id: string; readonly values: readonly number[] }
  /** Some of the ids deleted afterwards. */
  readonly deleted: readonly string[]
}

/**
 * Writes passages with their vectors. Writes to Vectorize become visible after seconds: `settle` waits for those made
 * through this object.
 *
 * @throws `config_invalid` for invalid options
 */
export function createVectorizeChunkIndex(options: VectorizeChunkIndexOptions): ChunkIndex {
  requireOptions(options, {
    ...VECTORIZE_OPTIONS,
    texts: methods('put', 'get', 'delete'),
    settleTimeoutMs: number(0),
    settlePollMs: deadline,
  })
  const { index, embedder, texts, settleTimeoutMs = 60_000, settlePollMs = 1000 } = options
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
    if (memberAt(info, 'processedUpToMutation') === last.mutationId) return true
    // The index may report another client's later write, and mutation ids are unordered: so the vectors are read.
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
      const dimensions = memberAt(info, 'dimensions')
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
        // Validated before anything is embedded or written.
        const drafts = batch.map((passage) => ({
          id: vectorId(namespace, passage.id),
          namespace,
          metadata: metadataOf(passage, texts === undefined),
        }))
        const vectors = await embedder.embed({ texts: batch.map(({ text }) => text), purpose: 'passage' })
        const items = drafts.map((draft, at) => ({ ...draft, values: unit(embeddedVector(vectors[at], embedder)) }))
        const mutationId = readMutation(await call(() => index.upsert(items)))
        // Batches are never empty.
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
      if (last === undefined) return undefined
      const polls = Math.ceil(settleTimeoutMs / settlePollMs)
      for (let poll = 0; !(await isVisible(namespace, last)); poll++) {
        if (poll >= polls) throw new RagGateError('index_not_settled', 'The index did not show its last writes in time')
        await new Promise((resolve) => setTimeout(resolve, settlePollMs))
      }
      // Unless there was another write in the meantime.
      if (pending.get(namespace) === last) pending.delete(namespace)
      return undefined
    },
  }
}

function readMutation(result: unknown): string {
  const id = memberAt(result, 'mutationId')
  if (typeof id !== 'string' || id === '') throw badResponse(INDEX, 'no mutation id')
  return id
}

function* batches<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size)
}
