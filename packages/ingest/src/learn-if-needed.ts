/** A collection learns its scale from its own documents, and again once they have changed. */
import { namespaceOf } from 'hono-rag-gate/core/lib'
import { type Policy, readsScale } from 'hono-rag-gate/core/policy'
import type { CollectionScale } from 'hono-rag-gate/core/scale'
import type { ChunkIndex, Clock, Collection, Retriever } from 'hono-rag-gate/ports'
import { learnScale, type LearnScaleOptions } from './learn-scale.ts'
import type { ChunkCounts, CollectionName, CollectionWriter } from './collection-writer.ts'

/** What learning needs. */
export interface ScalePorts {
  readonly retriever: Retriever
  readonly index: Pick<ChunkIndex, 'fetch'>
  readonly collections: CollectionWriter
  readonly clock: Clock
}

/** Passages read: windows are drawn from them. */
const PASSAGES = 200
/** Share of the passages that must have changed before a collection learns again. */
const CHANGED = 0.1

/**
 * Learns the scale of a collection and keeps it, where the policy reads one and the collection has none for it, or a tenth
 * of its passages has come, changed or gone since.
 *
 * @param options windows, seed and end of learning; retrieval and context as the gate has them
 * @returns the scale that was learned; `undefined` where nothing was to be learned
 * @throws what index, retriever and collections throw
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
  const holds = known?.policyId === policy.id && known.embeddingModel === collection.embeddingModel
  if (holds && (known.countedVersion ?? known.corpusVersion) === corpusVersion) return undefined
  // It reads every document.
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
  // Too few windows because the time was up is nothing that was learned.
  if (scale.kind === 'none' && options.isOver?.() === true) return undefined
  await collections.noteScale(tenant, id, scale)
  return scale
}

function isChanged({ chunkCount }: CollectionScale, { chunks, changed }: ChunkCounts): boolean {
  const gone = chunkCount - (chunks - changed)
  return Math.max(changed, gone) >= CHANGED * Math.max(1, chunkCount)
}
