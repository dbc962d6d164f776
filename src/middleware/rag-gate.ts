/** The middleware: reads the question, has it gated, answers refusals and cache hits itself, and records the decision. */
import type { AskedQuestion } from '../pipeline/question-settings.ts'
import { finish, type Judged, forwarded, retrievalTimings, storingOf, later } from './finish.ts'
import { respondThroughHandler } from './answer-through-handler.ts'
import type { Exchange } from './finish.ts'
import type { Context, MiddlewareHandler, Next } from 'hono'
import type { StatusCode } from 'hono/utils/http-status'
import { type Audience } from '../core/policy/preset.ts'
import { buildRefusal, summariseDecision } from '../core/reports/refusal.ts'
import { RagGateError } from '../errors.ts'
import { collectionNotFound, type GatedQuestion, gateQuestion } from '../pipeline/gate-question.ts'
import type { Principal } from '../ports/authenticator.ts'
import { dependenciesFor, type ResolvedDependencies } from './dependencies.ts'
import { type RagGateEnv } from './gate-context.ts'
import { checkOptions, type ReadSettings, type RouteSettings } from './check-options.ts'
import type { RagGateOptions } from './options.ts'
import { ragGateHeader } from './headers.ts'
import { readQuestion, type ReadQuestion } from './read-question.ts'
import { respondWithError } from './respond.ts'
import { REFUSAL_HEADERS, storeRefusal } from './store-answer.ts'

/**
 * Makes the gate. Mount it before the handler that calls the model:
 *
 * ```ts
 * app.post('/ask', ragGate({ dependencies: { retriever } }), (c) => {
 *   const { question, context, summary } = c.var.ragGate
 *   …
 * })
 * ```
 *
 * A request that cannot be read or judged is answered with an error of a stable code, never passed on: no evidence that
 * can be judged, no model call.
 *
 * @throws `config_invalid`, `policy_invalid` when an option is out of range
 */
export function ragGate<Bindings extends object = object>(
  options: RagGateOptions<Bindings>,
): MiddlewareHandler<RagGateEnv<Bindings>> {
  const checked = checkOptions(options)
  const dependencies = dependenciesFor(options.dependencies, checked.cacheScope, checked.question.collection)
  return async function ragGate(c, next) {
    try {
      return await handle(c, next, checked, dependencies(c.env))
    } catch (thrown) {
      // An exception that knows its response (Hono's HTTPException) is the application's own.
      if (thrown instanceof Error && 'getResponse' in thrown) throw thrown
      return respondWithError(c, thrown)
    }
  }
}

type GateContext<Bindings extends object> = Context<RagGateEnv<Bindings>>

/** Methods that bring a question in their body; QUERY as in RFC 10008. */
const METHODS: ReadonlySet<string> = new Set(['POST', 'QUERY'])

async function handle<Bindings extends object>(
  c: GateContext<Bindings>,
  next: Next,
  settings: RouteSettings,
  dependencies: ResolvedDependencies,
): Promise<Response | undefined> {
  const startedMs = dependencies.clock.nowMs()
  // Taken before `next`: afterwards it would be the handler's.
  const route = c.req.routePath
  if (settings.question.read === undefined && !METHODS.has(c.req.method))
    throw new RagGateError('method_not_allowed', 'Questions come by POST')
  // Set where an outer gate judged this question already: its context says otherwise, it cannot be undefined.
  if ((c.var as Partial<typeof c.var>).ragGate !== undefined) {
    throw new RagGateError('config_invalid', 'There are two gates on the way of this request')
  }
  const principal = await dependencies.identify(c.req.raw)
  const read = await readQuestion(c, settings.question, principal.tenant)
  const { messages, key: messagesKey } = settings.messagesFor(c)
  const asked = askedQuestion(c, read, principal, messagesKey, settings, dependencies)
  const ports = { ...dependencies, onWarning: settings.onWarning }
  const gated = await gateQuestion(ports, settings, asked)
  const exchange: Exchange = { settings, dependencies, asked, startedMs, route, ...(messages && { messages }) }
  if (gated.kind === 'cached') return respondFromCache(c, exchange, gated)
  if (asked.without !== undefined) return respondToTrial(c, exchange, gated)
  if (gated.decision.verdict === 'refuse' && settings.mode === 'enforce') return respondWithRefusal(c, exchange, gated)
  await respondThroughHandler(c, next, exchange, gated)
  return undefined
}

function askedQuestion<Bindings extends object>(
  c: GateContext<Bindings>,
  read: ReadQuestion,
  principal: Principal,
  messagesKey: string,
  settings: RouteSettings,
  dependencies: ResolvedDependencies,
): AskedQuestion {
  if (read.searchMode !== undefined && !principal.scopes.includes('admin')) {
    throw new RagGateError('forbidden', 'Only operators may choose how is searched', { param: 'search_mode' })
  }
  if (read.without !== undefined && !principal.scopes.includes('admin')) {
    throw new RagGateError('forbidden', 'Only operators may ask on trial', { param: 'without' })
  }
  const audience: Audience = principal.scopes.includes('admin') ? 'operator' : dependencies.audience
  return {
    question: read.question,
    collection: allowedCollection(read.collection, settings.question),
    principal,
    audience,
    partition: dependencies.partition(principal),
    deployment: dependencies.deployment,
    path: c.req.path,
    model: dependencies.model,
    vary: [
      // Absent, empty and repeated are three different things.
      ...settings.varyHeaders.map((name) => JSON.stringify(c.req.header(name) ?? null)),
      ...settings.varyQuery.map((name) => JSON.stringify(c.req.queries(name) ?? null)),
    ],
    options: { otherFields: read.otherFields, ...(messagesKey === '' ? {} : { messages: messagesKey }) },
    ...(read.searchMode === undefined ? {} : { searchMode: read.searchMode }),
    ...(read.without === undefined ? {} : { without: read.without }),
  }
}

function allowedCollection(named: string | undefined, { collection, otherCollections }: ReadSettings): string {
  if (named === undefined || named === collection) return collection
  if (otherCollections !== 'any' && !otherCollections.includes(named)) throw collectionNotFound()
  return named
}

/** The judgement alone: a trial calls no model, and is neither kept nor counted. */
function respondToTrial<Bindings extends object>(
  c: GateContext<Bindings>,
  { asked: { audience }, settings }: Exchange,
  { decision, evidence, policy }: Judged,
): Response {
  const summary = summariseDecision(decision, evidence.chunks, { audience, policy })
  const body = { answer: '', sources: [], refused: decision.verdict === 'refuse', trial: true, ...summary }
  const headers = { 'cache-control': 'no-store', 'rag-gate': ragGateHeader(decision, decision.id, settings.mode) }
  return c.json(body, 200, headers)
}

function respondFromCache<Bindings extends object>(
  c: GateContext<Bindings>,
  exchange: Exchange,
  { answer, ageSeconds, stale }: Extract<GatedQuestion, { kind: 'cached' }>,
): Response {
  // Through the context, so that headers which other middleware gave to this caller stay.
  // It was sent with this status before, so it is one.
  const response = c.newResponse(answer.body, answer.status as StatusCode, Object.fromEntries(answer.headers))
  response.headers.set('age', String(ageSeconds))
  finish(c, exchange, response, {
    decision: answer.decision,
    cache: { kind: stale ? 'stale' : 'hit', ageSeconds, ttlSeconds: answer.lifetimeSeconds - ageSeconds },
    timings: {},
    report: {},
  })
  return response
}

async function respondWithRefusal<Bindings extends object>(
  c: GateContext<Bindings>,
  exchange: Exchange,
  judged: Judged,
): Promise<Response> {
  const { decision, evidence, policy } = judged
  const { settings, asked, messages } = exchange
  const own = await settings.onRefuse?.(decision, c)
  const outcome = { decision, cache: forwarded(judged), timings: retrievalTimings(judged), report: {} }
  if (own !== undefined) {
    // The headers of a response that was passed on from elsewhere cannot be written.
    const response = new Response(own.body, own)
    finish(c, exchange, response, outcome)
    return response
  }
  const telling = { audience: asked.audience, policy, ...(messages === undefined ? {} : { messages }) }
  const body = JSON.stringify(buildRefusal(decision, evidence.chunks, telling))
  const response = c.body(body, settings.refusalStatus, REFUSAL_HEADERS)
  const storing = storingOf(exchange, judged, () => ({}))
  if (storing !== undefined) later(c, () => storeRefusal(body, response.status, storing))
  finish(c, exchange, response, outcome)
  return response
}
