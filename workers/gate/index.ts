/** The ready Worker: the gate in front of a question route, documents in, statistics out, and a page to try it on. */
import { respondWithError } from 'hono-rag-gate/middleware'
import { Hono } from 'hono/tiny'
import type { GateBindings } from './bindings.ts'
import { WORKER_STATUS, WorkerError } from './errors.ts'
import { compositionFor } from './compose.ts'
import { runJobs } from './jobs.ts'
import type { FaultCounter } from './statistics/count-faults.ts'
import { consumeQueuedDecisions } from './statistics/decision-log.ts'
import { ROUTES } from './routes.ts'
import { otherMethods } from '@hono-rag-gate/console/http'
import { console as consoleApp, CONSOLE_STATUS } from '@hono-rag-gate/console'

export { AnswerFlight } from 'hono-rag-gate/adapters/durable-object-coalescer'

const LONGEST_URL = 8192

const app = new Hono<{ Bindings: GateBindings }>()
app.use(async (c, next) => {
  if (c.req.url.length > LONGEST_URL) throw new WorkerError('uri_too_long', 'The address is too long')
  await next()
  if (c.req.path !== '/ask' && !c.req.path.startsWith('/v1/')) return
  // No shared cache may keep it, and no browser may guess another type.
  if (!c.res.headers.has('cache-control')) c.header('cache-control', 'no-store')
  c.header('x-content-type-options', 'nosniff')
})

for (const [method, path, ...serving] of ROUTES) app.on(method, [path], ...serving)
app.route(
  '/v1',
  consoleApp<GateBindings>((env) => compositionFor(env).console),
)

for (const [path, refuse] of otherMethods(ROUTES)) app.all(path, refuse)
app.get('*', (c) => c.env.ASSETS.fetch(c.req.raw))
app.notFound((c) => respondWithError(c, new WorkerError('not_found', 'There is nothing here'), WORKER_STATUS))
app.onError((thrown, c) => respondWithError(c, thrown, { ...CONSOLE_STATUS, ...WORKER_STATUS }))

/** What failed or was rejected is counted behind the response. */
const serve: typeof app.fetch = async (request, env, context) => {
  const response = await app.fetch(request, env, context)
  // The platform gives these bindings.
  const later = faultsOf(env as GateBindings)?.count(new URL(request.url).pathname, response)
  if (later !== undefined) context?.waitUntil(later)
  return response
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
  scheduled: (_controller, env) => runJobs(env),
  queue: consumeQueuedDecisions,
} satisfies ExportedHandler<GateBindings>
