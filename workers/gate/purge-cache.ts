/** `POST /v1/cache/purge`: purges cached answers by answer, question, document, collection, tenant, or all of them. */
import { checkMembers, requireScope, tenantFor } from '@hono-rag-gate/console/http'
import type { Context } from 'hono'
import type { PurgeScope } from 'hono-rag-gate/core/policy'
import { RagGateError } from 'hono-rag-gate/errors'
import { checkCollectionId, checkQuestion, readJsonObject } from 'hono-rag-gate/middleware'
import type { Principal } from 'hono-rag-gate/ports'
import type { GateBindings } from './bindings.ts'
import { compositionFor, isDeploymentAdmin } from './compose.ts'
import { checkDocumentId } from './documents/check-documents.ts'
import { WorkerError } from './errors.ts'

const LIMITS = { maxBytes: 100_000, timeoutMs: 10_000 }
const MOST_NAMED = 1000

/**
 * Purges what the body names: `{"answers"}` by decision ids, `{"collection", "questions"}`, `{"collection",
 * "documents"}`, `{"collection"}`, `{"tenant"}`, or `{"everything": true}`, which requires the deployment's own token.
 * It takes effect in this isolate at once, in others within the seconds that the response states.
 */
export async function purgeCache(c: Context<{ Bindings: GateBindings }>): Promise<Response> {
  const composition = compositionFor(c.env)
  const principal = await requireScope(composition, c.req.raw, 'admin')
  const { statistics, ingest } = composition
  const scopes = await scopesIn(await readJsonObject(c.req, LIMITS), principal, async (tenant, id) => {
    // A decision that was sent from the cache has its own id.
    const decision = await statistics.recorded.one(tenant, id)
    return decision?.decisionId ?? id
  })
  // All of a request are of one collection, or of none.
  const [scope] = scopes
  if (scope && 'collection' in scope && (await ingest.collections.find(scope.tenant, scope.collection)) === null) {
    // A misspelt one would be reported as purged, and the answer stay.
    throw new RagGateError('collection_not_found', 'There is no such collection', { param: 'collection' })
  }
  const epoch = await composition.purges.purge(scopes)
  return c.json({ purged: scopes.length, epoch, elsewhere_within_seconds: composition.purges.maxAgeSeconds })
}

async function scopesIn(
  body: Readonly<Record<string, unknown>>,
  principal: Principal,
  answerOf: (tenant: string, decisionId: string) => Promise<string>,
): Promise<PurgeScope[]> {
  const { everything, tenant: asked, collection: named, documents, questions, answers, ...others } = body
  checkMembers(others, 'everything, tenant, collection, documents, questions, answers')
  if (everything !== undefined) {
    if (everything !== true || Object.keys(body).length > 1)
      throw unclear('everything must be true, and the only member')
    if (!isDeploymentAdmin(principal)) {
      throw new RagGateError('forbidden', "Only the deployment's own token may purge everything")
    }
    return [{ kind: 'everything' }]
  }
  const tenant = tenantFor(principal, asked, isDeploymentAdmin)
  if ([documents, questions, answers].filter((each) => each !== undefined).length > 1) {
    throw unclear('Give one of documents, questions, answers')
  }
  if (answers !== undefined) {
    if (named !== undefined) throw unclear('answers cannot have a collection')
    const ids = listIn(answers, 'answers', (id, param) => {
      if (typeof id !== 'string' || !UUID.test(id)) throw unclear(`${param} must be the id of a decision`)
      return id
    })
    return Promise.all(
      ids.map(async (id) => ({ kind: 'answer', tenant, decisionId: await answerOf(tenant, id) }) as const),
    )
  }
  if (named === undefined) {
    if (asked === undefined || documents !== undefined || questions !== undefined) {
      throw unclear('Give everything, tenant, collection, or answers')
    }
    return [{ kind: 'tenant', tenant }]
  }
  const collection = checkCollectionId(named)
  if (questions !== undefined) {
    return listIn(questions, 'questions', (value, field) => ({
      kind: 'question',
      tenant,
      collection,
      question: checkQuestion(value, { field, maxCodePoints: LIMITS.maxBytes }),
    }))
  }
  if (documents === undefined) return [{ kind: 'collection', tenant, collection }]
  return listIn(documents, 'documents', (id, param) => ({
    kind: 'document',
    tenant,
    collection,
    documentId: checkDocumentId(id, param),
  }))
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** Limited, because each of them is looked up. */
const MOST_ANSWERS = 20

function listIn<Each>(value: unknown, name: string, read: (each: unknown, param: string) => Each): Each[] {
  const most = name === 'answers' ? MOST_ANSWERS : MOST_NAMED
  if (!Array.isArray(value) || value.length === 0 || value.length > most) {
    throw unclear(`${name} must be a list of 1 to ${most}`)
  }
  return value.map((each: unknown, at) => read(each, `${name}[${at}]`))
}

function unclear(message: string): WorkerError {
  return new WorkerError('purge_scope', message)
}
