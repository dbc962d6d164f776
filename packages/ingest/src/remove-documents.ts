import { RagGateError } from 'hono-rag-gate/errors'
import { type CorpusPorts, writeCorpus } from './write-corpus.ts'

/** What became of a removal. */
export interface Removal {
  readonly corpusVersion: number
  /** Chunks that are no evidence any more. */
  readonly chunksRemoved: number
  /** Of those, how many still stand in the index: hidden, and removed by the next writer. */
  readonly chunksToRemove: number
}

/**
 * Removes documents with all their chunks, in one step: from the moment it is published nothing of them is evidence, even
 * when the index cannot remove them at once.
 *
 * @throws `document_not_found` when the collection has one of them not, and then none is removed;
 *   `collection_conflict` while another writer changes the collection
 */
export async function removeDocuments(
  ports: CorpusPorts,
  tenant: string,
  collectionId: string,
  documentIds: readonly string[],
): Promise<Removal> {
  // Looked up before the lease as well: asking for what is not there must not make a collection.
  await storedChunkIds(ports, tenant, collectionId, documentIds)
  return writeCorpus(ports, tenant, collectionId, async (lease) => {
    const removedChunkIds = await storedChunkIds(ports, tenant, collectionId, documentIds)
    await lease.apply({
      passages: [],
      addedChunkIds: [],
      removedChunkIds,
      documents: [],
      removedDocumentIds: documentIds,
      embedding: lease.collection,
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
      param: `ids[${missing}]`,
    })
  }
  return records.flatMap(({ chunkIds }) => [...chunkIds])
}
