import { RagGateError } from 'hono-rag-gate/errors'
import { type CorpusPorts, MAX_CHUNKS, writeCorpus } from './write-corpus.ts'

/** Result of a removal. */
export interface Removal {
  readonly corpusVersion: number
  /** Number of chunks that are no longer evidence. */
  readonly chunksRemoved: number
  /** How many of them are still in the index: hidden, and removed by the next writer. */
  readonly chunksToRemove: number
}

/**
 * Removes documents with all their chunks in one step: once it is published, none of them is evidence, even if the
 * index cannot remove them yet.
 *
 * @throws `document_not_found` if the collection lacks one of them, or `too_many_chunks` if they have more than 5,000, and
 *   then none is removed; `collection_conflict` while another writer changes the collection
 */
export async function removeDocuments(
  ports: CorpusPorts,
  tenant: string,
  collectionId: string,
  documentIds: readonly string[],
): Promise<Removal> {
  // Also checked before taking the lease, so that a request for missing documents does not create a collection.
  await storedChunkIds(ports, tenant, collectionId, documentIds)
  return writeCorpus(ports, tenant, collectionId, async (lease) => {
    const removedChunkIds = await storedChunkIds(ports, tenant, collectionId, documentIds)
    await lease.apply({
      passages: [],
      addedChunkIds: [],
      removedChunkIds,
      documents: [],
      removedDocumentIds: documentIds,
      // Those that are left may all have it already, so that only this removal can tell the collection.
      embedding: await ports.index.describe(),
    })
    return {
      corpusVersion: lease.collection.corpusVersion,
      chunksRemoved: removedChunkIds.length,
      chunksToRemove: lease.chunksToRemove,
    }
  })
}

async function storedChunkIds(
  { collections }: CorpusPorts,
  tenant: string,
  collectionId: string,
  documentIds: readonly string[],
): Promise<string[]> {
  const records = await collections.documents(tenant, collectionId, documentIds)
  const missing = documentIds.findIndex((id) => !records.some((record) => record.id === id))
  if (missing >= 0) {
    throw new RagGateError('document_not_found', 'There is no such document in this collection', {
      param: `id[${missing}]`,
    })
  }
  const stored = records.flatMap(({ chunkIds }) => chunkIds)
  if (stored.length > MAX_CHUNKS) {
    throw new RagGateError('too_many_chunks', `One call may remove at most ${MAX_CHUNKS} chunks: name fewer documents`)
  }
  return stored
}
