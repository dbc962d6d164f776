/** `POST /v1/cache/purge`: cached answers gone, by document, collection, tenant, or all of them. */
import { requireScope, tenantFor } from '@hono-rag-gate/console/http'
import type { Context } from 'hono'
import type { PurgeScope } from 'hono-rag-gate/core/policy'
import { RagGateError } from 'hono-rag-gate/errors'
import { checkCollectionId, readJsonObject } from 'hono-rag-gate/middleware'
import type { Principal } from 'hono-rag-gate/ports'
import type { GateBindings } from './bindings.ts'
import { compositionFor, isDeploymentAdmin } from './compose.ts'
import { checkDocumentId } from './documents/check-documents.ts'
import { WorkerError } from './errors.ts'

const LIMITS = { maxBytes: 100_000, timeoutMs: 10_000 }
const MOST_DOCUMENTS = 1000

/**
 * Purges what the body names: `{"collection", "documents"}`, `{"collection"}`, `{"tenant"}`, or `{"everything": true}`,
 * which only the deployment's own token may. The isolate that answers knows at once, every other within the seconds that
 * the reply states.
 */
export async function purgeCache(c: Context<{ Bindings: GateBindings }>): Promise<Response> {
  const composition = compositionFor(c.env)
  const principal = await requireScope(composition, c.req.raw, 'admin')
  const scopes = scopesIn(await readJsonObject(c.req, LIMITS), principal)
  const epoch = await composition.purges.purge(scopes)
  return c.json({ purged: scopes.length, epoch, elsewhere_within_seconds: composition.purges.maxAgeSeconds }, 200, {
    'cache-control': 'no-store',
  })
}

function scopesIn(body: Readonly<Record<string, unknown>>, principal: Principal): PurgeScope[] {
  const { everything, tenant: asked, collection: named, documents, ...others } = body
  if (Object.keys(others).length > 0) {
    throw new RagGateError(
      'unknown_field',
      'The body may have only these members: everything, tenant, collection, documents',
    )
  }
  if (everything !== undefined) {
    if (everything !== true || Object.keys(body).length > 1) throw unclear('everything must be true, and stand alone')
    if (!isDeploymentAdmin(principal)) {
      throw new RagGateError('forbidden', "Only the deployment's own token may purge everything")
    }
    return [{ kind: 'everything' }]
  }
  const tenant = tenantFor(principal, asked, isDeploymentAdmin)
  if (named === undefined) {
    if (asked === undefined || documents !== undefined) throw unclear('Say everything, tenant, or collection')
    return [{ kind: 'tenant', tenant }]
  }
  const collection = checkCollectionId(named)
  if (documents === undefined) return [{ kind: 'collection', tenant, collection }]
  if (!Array.isArray(documents) || documents.length === 0 || documents.length > MOST_DOCUMENTS) {
    throw unclear(`documents must be a list of 1 to ${MOST_DOCUMENTS} ids`)
  }
  return documents.map((id: unknown, at) => {
    const documentId = checkDocumentId(id, `documents[${at}]`)
    return { kind: 'document', tenant, collection, documentId }
  })
}

function unclear(message: string): WorkerError {
  return new WorkerError('purge_scope', message)
}
