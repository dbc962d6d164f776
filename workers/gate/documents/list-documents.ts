/** `GET /v1/documents` and `GET /v1/collections`: lists documents and collections. */
import { checkNames, readLimit, requireScope } from '@hono-rag-gate/console/http'
import { documentOrigin, type IngestPorts } from '@hono-rag-gate/ingest'
import type { Context } from 'hono'
import { isRagGateError } from 'hono-rag-gate/errors'
import { checkCollectionId } from 'hono-rag-gate/middleware'
import type { GateBindings } from '../bindings.ts'
import { compositionFor } from '../compose.ts'
import { checkDocumentId } from './check-documents.ts'

/** The documents of a collection by id, in pages. */
export async function listDocuments(c: Context<{ Bindings: GateBindings }>): Promise<Response> {
  const { ingest, ...composition } = compositionFor(c.env)
  const { tenant } = await requireScope(composition, c.req.raw, 'ingest')
  checkNames(c, ['collection', 'limit', 'cursor'], [])
  const collection = checkCollectionId(c.req.query('collection') ?? 'default')
  const limit = readLimit(c, 100)
  // The id of the last document of the previous page.
  const cursor = c.req.query('cursor')
  const after = cursor === undefined ? '' : checkDocumentId(cursor, 'cursor')
  const { documents, nextCursor } = await ingest.collections.page(tenant, collection, after, limit)
  const known = await ingest.collections.find(tenant, collection)
  return c.json({
    collection,
    corpus_version: known?.corpusVersion ?? 0,
    origin: await originOf(ingest),
    documents: documents.map(({ id, contentHash, chunkIds }) => ({
      id,
      content_hash: contentHash,
      chunks: chunkIds.length,
    })),
    next_cursor: nextCursor,
  })
}

/** Prefix of document hashes; `null` if the index does not respond, so that any document may have changed. */
async function originOf({ index, splitter }: IngestPorts): Promise<string | null> {
  try {
    const { embeddingModel: model, dimension } = await index.describe()
    return documentOrigin(splitter, { model, dimension })
  } catch (thrown) {
    if (isRagGateError(thrown)) return null
    throw thrown
  }
}

/** The collections of the caller's tenant. */
export async function listCollections(c: Context<{ Bindings: GateBindings }>): Promise<Response> {
  const { ingest, ...composition } = compositionFor(c.env)
  const { tenant } = await requireScope(composition, c.req.raw, 'ingest')
  checkNames(c, [], [])
  const collections = await ingest.collections.list(tenant)
  return c.json({
    collections: collections.map(
      ({ id, corpusVersion, lexiconId, embeddingModel, dimension, policyId, unpublishedChunkIds }) => ({
        id,
        corpus_version: corpusVersion,
        lexicon_id: lexiconId,
        embedding_model: embeddingModel,
        dimension,
        reader: composition.reader,
        policy: policyId,
        chunks_to_remove: unpublishedChunkIds.length,
      }),
    ),
  })
}
