/** `GET /v1/documents` and `GET /v1/collections`: what is there. */
import { readLimit, requireScope } from '@hono-rag-gate/console/http'
import type { Context } from 'hono'
import { checkCollectionId } from 'hono-rag-gate/middleware'
import type { GateBindings } from '../bindings.ts'
import { compositionFor } from '../compose.ts'

/** The documents of a collection by id, a page at a time. */
export async function listDocuments(c: Context<{ Bindings: GateBindings }>): Promise<Response> {
  const { ingest, ...composition } = compositionFor(c.env)
  const { tenant } = await requireScope(composition, c.req.raw, 'ingest')
  const collection = checkCollectionId(c.req.query('collection') ?? 'default')
  const limit = readLimit(c, 100)
  const { documents, nextCursor } = await ingest.collections.page(
    tenant,
    collection,
    c.req.query('cursor') ?? '',
    limit,
  )
  return c.json({
    collection,
    documents: documents.map(({ id, contentHash, chunkIds }) => ({
      id,
      content_hash: contentHash,
      chunks: chunkIds.length,
    })),
    next_cursor: nextCursor,
  })
}

/** The collections of the caller's tenant. */
export async function listCollections(c: Context<{ Bindings: GateBindings }>): Promise<Response> {
  const { ingest, ...composition } = compositionFor(c.env)
  const { tenant } = await requireScope(composition, c.req.raw, 'ingest')
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
