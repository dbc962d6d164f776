/** `DELETE /v1/documents?id=…&id=…`: removes documents. */
import { checkNames, requireScope } from '@hono-rag-gate/console/http'
import type { Context } from 'hono'
import { checkCollectionId } from 'hono-rag-gate/middleware'
import { removeDocuments } from '@hono-rag-gate/ingest'
import type { GateBindings } from '../bindings.ts'
import { compositionFor } from '../compose.ts'
import { checkDocumentId } from './check-documents.ts'
import { learnAfter } from './learn-scale.ts'

/** Removes documents from the collection in `?collection=` in one step; if one of them does not exist, 404 and no change. */
export async function deleteDocuments(c: Context<{ Bindings: GateBindings }>): Promise<Response> {
  const composition = compositionFor(c.env)
  const { tenant } = await requireScope(composition, c.req.raw, 'ingest')
  checkNames(c, ['collection'], [], ['id'])
  const collection = checkCollectionId(c.req.query('collection') ?? 'default')
  const ids = (c.req.queries('id') ?? ['']).map((id, at) => checkDocumentId(id, `id[${at}]`))
  const { corpusVersion, chunksRemoved, chunksToRemove } = await removeDocuments(
    composition.ingest,
    tenant,
    collection,
    ids,
  )
  c.executionCtx.waitUntil(learnAfter(composition, tenant, collection))
  return c.json({
    collection,
    corpus_version: corpusVersion,
    ids,
    chunks_removed: chunksRemoved,
    chunks_to_remove: chunksToRemove,
  })
}
