/** The ready Worker: the gate in front of a question route, documents in, statistics out, and a page to try it on. */
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

export { AnswerFlight } from '@hono-rag-gate/cloudflare/durable-object-coalescer'

const LONGEST_URL = 8192

const app = new Hono<{ Bindings: GateBindings }>()
app.use(dropLeft)
// The trace of a request is found from wherever a model is asked.
app.use(contextStorage(), keepTrace)
// Whatever is answered there has the form that OpenAI's clients read.
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
  // Where there is none, that has no body.
  return asset === undefined || asset.status === 404 ? c.notFound() : asset
})
app.notFound((c) => respondWithError(c, new WorkerError('not_found', 'There is nothing here'), WORKER_STATUS))
app.onError((thrown, c) => respondWithError(c, thrown, { ...CONSOLE_STATUS, ...WORKER_STATUS }))

/** Paths of which it is remembered what serves them, and the longest, characters. */
const PATHS = 200
const LONGEST_PATH = 100

// Hono's smallest router tries every route for each request; what serves a path does not change.
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

/** Answers within the request's trace; behind the response it is logged, and what failed or was rejected is counted. */
const serve: typeof app.fetch = async (request, given, context) => {
  // The platform gives these bindings.
  const env = given as GateBindings
  const startedMs = Date.now()
  const answered = await app.fetch(request, env, context)
  const ms = Date.now() - startedMs
  const { pathname } = new URL(request.url)
  const route = routeOf(pathname, answered.status)
  // That of an error stands in its body.
  const requestId = crypto.randomUUID()
  const response = withHeaders(answered, {
    // No shared cache may keep it, and no browser may guess another type. Assets say themselves how long they are kept.
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

/** A response with more headers. Hono's own way makes a new one for each. */
function withHeaders(answered: Response, headers: Readonly<Record<string, string>>): Response {
  try {
    for (const [name, value] of Object.entries(headers)) answered.headers.set(name, value)
    return answered
  } catch {
    // Headers of what another Worker answered are not to be written: then of a copy.
    return withHeaders(new Response(answered.body, answered), headers)
  }
}

/** `undefined` where the settings make no Worker. */
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
