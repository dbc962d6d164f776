/** `DELETE /v1/documents/{id}`: removes a document. */
import { checkNames, requireScope } from '@hono-rag-gate/console/http'
import type { Context } from 'hono'
import { checkCollectionId } from 'hono-rag-gate/middleware'
import { removeDocuments } from '@hono-rag-gate/ingest'
import type { GateBindings } from '../bindings.ts'
import { compositionFor } from '../compose.ts'
import { checkDocumentId } from './check-documents.ts'
import { learnAfter } from './learn-scale.ts'

/** Removes a document and its chunks from the collection in `?collection=`; 404 if it does not exist. */
export async function deleteDocument(c: Context<{ Bindings: GateBindings }>): Promise<Response> {
  const composition = compositionFor(c.env)
  const { tenant } = await requireScope(composition, c.req.raw, 'ingest')
  checkNames(c, ['collection'], [])
  const collection = checkCollectionId(c.req.query('collection') ?? 'default')
  const id = checkDocumentId(c.req.param('id'), 'id')
  const { corpusVersion, chunksRemoved, chunksToRemove } = await removeDocuments(
    composition.ingest,
    tenant,
    collection,
    [id],
  )
  c.executionCtx.waitUntil(learnAfter(composition, tenant, collection))
  return c.json({
    collection,
    corpus_version: corpusVersion,
    id,
    chunks_removed: chunksRemoved,
    chunks_to_remove: chunksToRemove,
  })
}
