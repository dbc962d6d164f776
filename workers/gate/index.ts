/** The ready Worker: the gate before a question route, ingestion, statistics, and a page to try it. */
import { openAiProtocol } from '@hono-rag-gate/chat/openai-protocol'
import { respondWithError } from 'hono-rag-gate/middleware'
import { contextStorage } from 'hono/context-storage'
import { Hono } from 'hono/tiny'
import type { GateBindings } from './bindings.ts'
import { WORKER_STATUS, WorkerError } from './errors.ts'
import { compositionFor } from './compose.ts'
import { dropLeft } from './drop-left.ts'
import { consumeQueue, runJobs } from './jobs.ts'
import { logRequest } from './request-log.ts'
import { errorOf, type FaultCounter, routeOf } from './statistics/count-faults.ts'
import { keepTrace, traceOf } from './trace.ts'
import { ROUTES } from './routes.ts'
import { otherMethods } from '@hono-rag-gate/console/http'
import { console as consoleApp, CONSOLE_STATUS } from '@hono-rag-gate/console'
import { INGEST_STATUS } from '@hono-rag-gate/ingest'

export { AnswerFlight } from '@hono-rag-gate/cloudflare/durable-object-coalescer'

const LONGEST_URL = 8192

const app = new Hono<{ Bindings: GateBindings }>()
app.use(dropLeft)
// Makes the request's trace available wherever a model is called.
app.use(contextStorage(), keepTrace)
// Every response of these paths has the format of OpenAI's API.
for (const path of ['/v1/chat/completions', '/v1/models/*']) app.use(path, openAiProtocol())
app.use((c, next) => {
  if (c.req.url.length > LONGEST_URL) throw new WorkerError('uri_too_long', 'The address is too long')
  return next()
})

for (const [method, path, ...serving] of ROUTES) app.on(method, [path], ...serving)
app.route(
  '/v1',
  consoleApp<GateBindings>((env) => compositionFor(env).console),
)

for (const [path, refuse] of otherMethods(ROUTES)) app.all(path, refuse)
app.get('*', async (c) => {
  const asset = await c.env.ASSETS?.fetch(c.req.raw)
  // A missing asset is a 404 without a body.
  return asset === undefined || asset.status === 404 ? c.notFound() : asset
})
app.notFound((c) => respondWithError(c, new WorkerError('not_found', 'There is nothing here'), WORKER_STATUS))
app.onError((thrown, c) => respondWithError(c, thrown, { ...INGEST_STATUS, ...CONSOLE_STATUS, ...WORKER_STATUS }))

/** Maximum number of cached paths with their handlers, and their maximum length, characters. */
const PATHS = 200
const LONGEST_PATH = 100

// Hono's smallest router tries all routes for each request, so its results are cached by path.
const { router } = app
const find = router.match.bind(router)
const found = new Map<string, ReturnType<typeof find>>()
router.match = (method, path) => {
  const asked = `${method} ${path}`
  const serving = found.get(asked) ?? find(method, path)
  if (found.size >= PATHS) found.clear()
  if (path.length <= LONGEST_PATH) found.set(asked, serving)
  return serving
}

/** Answers within the request's trace; afterwards logs the request, and counts it if it failed. */
const serve: typeof app.fetch = async (request, given, context) => {
  // The platform provides these bindings.
  const env = given as GateBindings
  const startedMs = Date.now()
  const answered = await app.fetch(request, env, context)
  const ms = Date.now() - startedMs
  const { pathname } = new URL(request.url)
  const route = routeOf(pathname, answered.status)
  // An error's id is in its body.
  const requestId = crypto.randomUUID()
  const response = withHeaders(answered, {
    // Not stored by shared caches, and no MIME sniffing. Assets have their own cache headers.
    'cache-control': answered.headers.get('cache-control') ?? 'no-store',
    'x-content-type-options': 'nosniff',
    ...(route !== 'other' && answered.status < 400 && { 'x-request-id': requestId }),
  })
  const copy = response.status < 400 ? undefined : response.clone()
  const later = async (): Promise<void> => {
    const error = copy === undefined ? undefined : await errorOf(copy)
    const { code, requestId: errorId } = error ?? { code: '', requestId: '' }
    const { status } = response
    if (env.REQUEST_LOG === 'json') {
      const decided = response.headers.get('rag-gate')
      const id = errorId === '' ? requestId : errorId
      const trace = traceOf(request)
      logRequest({ method: request.method, route, status, ms, requestId: id, code, decided, trace })
    }
    if (error !== undefined) await faultsOf(env)?.count(route, status, code)
  }
  const work = later()
  context?.waitUntil(work)
  return response
}

/** Adds headers to a response; Hono's own way makes a new response for each. */
function withHeaders(answered: Response, headers: Readonly<Record<string, string>>): Response {
  try {
    for (const [name, value] of Object.entries(headers)) answered.headers.set(name, value)
    return answered
  } catch {
    // Headers of a response from another Worker are immutable, so it is copied.
    return withHeaders(new Response(answered.body, answered), headers)
  }
}

/** `undefined` if the settings are invalid. */
function faultsOf(env: GateBindings): FaultCounter | undefined {
  try {
    return compositionFor(env).faults
  } catch {
    return undefined
  }
}

export default {
  fetch: serve,
  scheduled: ({ cron }, env) => runJobs(env, cron),
  queue: consumeQueue,
} satisfies ExportedHandler<GateBindings>
