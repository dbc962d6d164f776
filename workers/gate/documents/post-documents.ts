/** `POST /v1/documents`: ingests documents. */
import { checkMembers, requireScope } from '@hono-rag-gate/console/http'
import type { Context } from 'hono'
import type { Json } from 'hono-rag-gate/core/lib'
import { checkCollectionId, readJsonObject, withoutOwnTenant } from 'hono-rag-gate/middleware'
import { ingestDocuments, type IngestedDocument } from '@hono-rag-gate/ingest'
import type { GateBindings } from '../bindings.ts'
import { compositionFor, isDeploymentAdmin } from '../compose.ts'
import { idempotent } from '../idempotent.ts'
import { checkDocuments } from './check-documents.ts'
import { learnAfter } from './learn-scale.ts'

const LIMITS = { maxBytes: 20_000_000, timeoutMs: 60_000 }

/** Validates all documents before writing any. Responds with 207 if an upstream failed after some were published. */
export async function postDocuments(c: Context<{ Bindings: GateBindings }>): Promise<Response> {
  const composition = compositionFor(c.env)
  const principal = await requireScope(composition, c.req.raw, 'ingest')
  const body = await readJsonObject(c.req, LIMITS)
  const { collection = 'default', documents, ...others } = body
  checkMembers(withoutOwnTenant(others, principal.tenant), 'collection, documents')
  const collectionId = checkCollectionId(collection)
  const checked = checkDocuments(documents, principal.tenant)
  // It was parsed from JSON.
  return idempotent(c, composition.idempotency, principal.tenant, body as Json, async () => {
    // The deployment's own token has no budget.
    const budget = isDeploymentAdmin(principal) ? undefined : composition.documentBudget
    await budget?.spend(principal, { documents: checked.length })
    const ingestion = await ingestDocuments(composition.ingest, principal.tenant, collectionId, checked, {
      onRead: async (steps) => budget?.spend(principal, { steps }),
    })
    c.executionCtx.waitUntil(learnAfter(composition, principal.tenant, collectionId))
    const { nearlyFull } = ingestion
    const failed = ingestion.documents.some(({ status }) => status === 'failed')
    return c.json(
      {
        collection: collectionId,
        corpus_version: ingestion.corpusVersion,
        documents: ingestion.documents.map(onTheWire),
        chunks_to_remove: ingestion.chunksToRemove,
        ...(nearlyFull && { nearly_full: { used_bytes: nearlyFull.usedBytes, limit_bytes: nearlyFull.limitBytes } }),
      },
      failed ? 207 : 200,
    )
  })
}

function onTheWire(document: IngestedDocument) {
  if (document.status === 'failed') return document
  const { id, status, chunks, chunksWritten, chunksRemoved, flags } = document
  return { id, status, chunks, chunks_written: chunksWritten, chunks_removed: chunksRemoved, flags }
}
