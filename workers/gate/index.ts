/** The ready Worker: the gate in front of a question route, documents in, statistics out, and a page to try it on. */
import { Hono } from 'hono/tiny'
import { OPENAI_PROMPT_VERSION } from '../../src/adapters/openai-compatible.ts'
import { RagGateError } from '../../src/errors.ts'
import { ragGate } from '../../src/middleware/rag-gate.ts'
import { respondWithError } from '../../src/middleware/respond.ts'
import { sweepIndex } from '../../src/pipeline/sweep-index.ts'
import { indexStub } from '../vector-index/index-stub.ts'
import { serveIndex } from '../vector-index/serve-index.ts'
import { answer } from './ask.ts'
import type { GateBindings } from './bindings.ts'
import { compositionFor } from './compose.ts'
import { deleteDocument } from './documents/delete-document.ts'
import { listCollections, listDocuments } from './documents/list-documents.ts'
import { postDocuments } from './documents/post-documents.ts'
import { deleteKey, listKeys, postKey } from './keys.ts'
import { putCollectionPolicy, putTenantPolicy } from './policies/choose-policy.ts'
import { policyFor } from './policies/policy-for.ts'
import { listPolicies, pushPolicy } from './policies/push-policy.ts'
import { purgeCache } from './purge-cache.ts'
import { consumeQueuedDecisions } from './statistics/decision-log.ts'
import { runStatisticsJobs } from './statistics/jobs.ts'
import { mountStatistics, STATISTICS_ROUTES } from './statistics/mount.ts'

export { AnswerFlight } from '../../src/adapters/durable-object-coalescer.ts'
export { VectorIndex } from '../vector-index/vector-index.ts'

const app = new Hono<{ Bindings: GateBindings }>()

const gate = ragGate<GateBindings>({
  dependencies: (env) => compositionFor(env).gate,
  policy: (_tenant, _collection, policyId, noted) => policyFor(policyId, noted),
  question: { otherCollections: 'any', searchModes: 'operators', trials: 'operators' },
  cache: { scope: 'tenant', prompt: OPENAI_PROMPT_VERSION },
  closestPassages: 3,
})

const LONGEST_URL = 8192
app.use(async (c, next) => {
  if (c.req.url.length > LONGEST_URL) throw new RagGateError('uri_too_long', 'The address is too long')
  await next()
})

mountStatistics(app)
app.post('/ask', gate, answer)
app.post('/v1/documents', postDocuments)
app.get('/v1/documents', listDocuments)
app.delete('/v1/documents/:id{.+}', deleteDocument)
app.get('/v1/collections', listCollections)
app.put('/v1/collections/:id/policy', putCollectionPolicy)
app.put('/v1/policy', putTenantPolicy)
app.get('/v1/policies/pushed', listPolicies)
app.put('/v1/policies/pushed', pushPolicy)
app.post('/v1/keys', postKey)
app.get('/v1/keys', listKeys)
app.delete('/v1/keys/:id', deleteKey)
app.post('/v1/cache/purge', purgeCache)
app.get('/health', async (c) => {
  await compositionFor(c.env).statistics.summaries.check()
  return c.json({ status: 'ok' }, 200, { 'cache-control': 'no-store' })
})
app.all('/vector/*', (c) =>
  serveIndex(c.req.raw, {
    token: c.env.INDEX_TOKEN,
    readOnlyToken: c.env.INDEX_READONLY_TOKEN,
    stub: indexStub(c.env.VECTOR_INDEX, 'default'),
    prefix: '/vector',
  }),
)

const ALLOWED: Readonly<Record<string, string>> = {
  '/ask': 'POST',
  '/v1/documents': 'GET, POST',
  '/v1/documents/:id{.+}': 'DELETE',
  '/v1/collections': 'GET',
  '/v1/collections/:id/policy': 'PUT',
  '/v1/policy': 'PUT',
  '/v1/policies/pushed': 'GET, PUT',
  '/v1/keys': 'GET, POST',
  '/v1/keys/:id': 'DELETE',
  ...STATISTICS_ROUTES,
  '/v1/cache/purge': 'POST',
  '/health': 'GET',
}
for (const [path, method] of Object.entries(ALLOWED)) {
  app.all(path, (c) => {
    const response = respondWithError(c, new RagGateError('method_not_allowed', `Use ${method} here`))
    response.headers.set('allow', method)
    return response
  })
}
app.get('*', (c) => c.env.ASSETS.fetch(c.req.raw))
app.notFound((c) => respondWithError(c, new RagGateError('not_found', 'There is nothing here')))
app.onError((thrown, c) => respondWithError(c, thrown))

/** Collections whose leftovers one run of the cron trigger removes. */
const SWEPT_AT_ONCE = 20

export default {
  fetch: app.fetch,
  async scheduled(_controller, env) {
    const { ingest, idempotency } = compositionFor(env)
    await idempotency.prune()
    await runStatisticsJobs(env)
    const { failed } = await sweepIndex(ingest, SWEPT_AT_ONCE)
    if (failed.length > 0) console.error(`[rag-gate] ${failed.length} collections could not be swept`)
  },
  queue: consumeQueuedDecisions,
} satisfies ExportedHandler<GateBindings>
