/** Learns the scale of a collection if it has none, or its documents have changed. */
import { namespaceOf } from 'hono-rag-gate/core/lib'
import { type Policy, readsScale } from 'hono-rag-gate/core/policy'
import { type CollectionScale, scaledFor } from 'hono-rag-gate/core/scale'
import type { ChunkIndex, Clock, Collection, Retriever } from 'hono-rag-gate/ports'
import { learnScale, type LearnScaleOptions } from './learn-scale.ts'
import type { ChunkCounts, CollectionName, CollectionWriter } from './collection-writer.ts'

/** Dependencies of learning. */
export interface ScalePorts {
  readonly retriever: Retriever
  readonly index: Pick<ChunkIndex, 'fetch'>
  readonly collections: CollectionWriter
  readonly clock: Clock
}

/** Number of passages to sample windows from. */
const PASSAGES = 200
/** Share of the passages that must have changed before the scale is learned again. */
const CHANGED = 0.1

/**
 * Learns and stores the scale of a collection, if the policy uses one and the collection has none for it, or a tenth of
 * its passages was added, changed or removed since.
 *
 * @param options windows, seed and time limit of learning; retrieval and context settings as in the gate
 * @returns the learned scale; `undefined` if none was needed
 * @throws the errors of index, retriever and collections
 */
export async function learnIfNeeded(
  { retriever, index, collections, clock }: ScalePorts,
  { tenant, id }: CollectionName,
  policyOf: (collection: Collection) => Policy,
  options: Pick<LearnScaleOptions, 'windows' | 'seed' | 'isOver' | 'retrieval' | 'maxLength'> = {},
): Promise<CollectionScale | undefined> {
  const collection = await collections.find(tenant, id)
  if (collection === null) return undefined
  const policy = policyOf(collection)
  if (!readsScale(policy)) return undefined
  const { scale: known, corpusVersion } = collection
  const model = collection.embeddingModel || (retriever.embedding?.model ?? '')
  const holds = known?.confidence === scaledFor(policy) && known.embeddingModel === model
  if (holds && (known.countedVersion ?? known.corpusVersion) === corpusVersion) return undefined
  // This query reads every document.
  const counts = await collections.countChunks(tenant, id, known?.learnedAtMs ?? 0)
  if (holds && !isChanged(known, counts)) {
    await collections.noteScale(tenant, id, { ...known, countedVersion: corpusVersion })
    return undefined
  }
  const ids = await collections.sampleChunks(tenant, id, PASSAGES)
  const passages = (await index.fetch(namespaceOf(tenant, id), ids)).flatMap((passage) => passage ?? [])
  const { chunks: chunkCount } = counts
  const scale = await learnScale({
    ...options,
    retriever,
    policy,
    passages,
    chunkCount,
    collection,
    collections,
    clock,
  })
  // If time ran out before there were enough windows, nothing was learned.
  if (scale.kind === 'none' && options.isOver?.() === true) return undefined
  await collections.noteScale(tenant, id, scale)
  return scale
}

function isChanged({ chunkCount }: CollectionScale, { chunks, changed }: ChunkCounts): boolean {
  const gone = chunkCount - (chunks - changed)
  return Math.max(changed, gone) >= CHANGED * Math.max(1, chunkCount)
}
