/** The middleware: reads the question, has it judged, answers refusals and cache hits itself, and records the decision. */
import type { QuestionRequest } from '../pipeline/question-settings.ts'
import { finish, type Judged, forwarded, isUnimpaired, retrievalTimings, storingOf, keep, later } from './finish.ts'
import { respondThroughHandler } from './answer-through-handler.ts'
import type { Exchange } from './finish.ts'
import type { Context, MiddlewareHandler, Next } from 'hono'
import { type Audience } from '../core/policy/preset.ts'
import { buildRefusal, summariseDecision } from '../core/reports/refusal.ts'
import { RagGateError } from '../errors.ts'
import { collectionNotFound } from '../pipeline/find-place.ts'
import { type GateResult, gateQuestion } from '../pipeline/gate-question.ts'
import { type Faults, withinDeadline } from '../pipeline/within-deadline.ts'
import type { CachedAnswer } from '../ports/answer-cache.ts'
import type { Principal } from '../ports/authenticator.ts'
import { dependenciesFor, type ResolvedDependencies } from './dependencies.ts'
import { type RagGateEnv } from './gate-context.ts'
import { checkOptions, type ReadSettings, type RouteSettings } from './check-options.ts'
import type { RagGateOptions } from './options.ts'
import { ragGateHeader } from './headers.ts'
import { readQuestion, type ReadQuestion } from './read-question.ts'
import { respondWithError } from './respond.ts'
import { storedResponse } from './stored-response.ts'
import { REFUSAL_HEADERS, storeByQuestion, storeRefusal } from './store-answer.ts'
import { createBypassLimit, type BypassLimit } from './bypass-limit.ts'
import { cacheUseOf, type RequestedCacheUse } from './cache-use.ts'

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
  const limits = new WeakMap<ResolvedDependencies, BypassLimit>()
  const limitFor = (resolved: ResolvedDependencies): BypassLimit => {
    const known = limits.get(resolved) ?? createBypassLimit(resolved.clock, checked.bypassesPerMinute)
    limits.set(resolved, known)
    return known
  }
  return async function ragGate(c, next) {
    try {
      const resolved = dependencies(c.env)
      return await handle(c, next, checked, resolved, limitFor(resolved))
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
  limit: BypassLimit,
): Promise<Response | undefined> {
  const startedMs = dependencies.clock.nowMs()
  // Reading the body puts another one in its place.
  const received = c.req.raw
  // Taken before `next`: afterwards it would be the handler's.
  const route = c.req.routePath
  if (settings.question.read === undefined && !METHODS.has(c.req.method))
    throw new RagGateError('method_not_allowed', 'Questions come by POST')
  // Set where an outer gate judged this question already: its context says otherwise, it cannot be undefined.
  if ((c.var as Partial<typeof c.var>).ragGate !== undefined) {
    throw new RagGateError('config_invalid', 'There are two gates on the way of this request')
  }
  const principal = await identified(dependencies, c.req.raw, settings.retrieval.timeoutMs)
  const read = await readQuestion(c, settings.question, principal.tenant)
  const { messages, key: messagesKey } = settings.messagesFor(c)
  const plain = questionRequest(c, read, principal, messagesKey, settings, dependencies)
  const cacheUse = requestedCacheUse(c, plain, settings, dependencies, limit)
  const request: QuestionRequest = { ...plain, cacheUse }
  const ports = { ...dependencies, onWarning: settings.onWarning }
  // A request that is to replace a stale answer is not answered with it.
  const anew =
    settings.refreshes?.isRefresh(received) === true ? { ...settings, staleWhileRevalidateSeconds: 0 } : settings
  const result = await gateQuestion(ports, anew, request)
  const exchange: Exchange = {
    settings,
    dependencies,
    request,
    startedMs,
    route,
    ...(messages && { messages }),
    ...(cacheUse.why && { cacheBypass: cacheUse.why }),
    // Only what is stored needs to be told from what was set for this caller.
    outerHeaders: result.kind === 'judged' && result.key !== undefined ? new Set(c.res.headers.keys()) : NO_HEADERS,
  }
  try {
    return await respond(c, next, exchange, result)
  } catch (thrown) {
    await result.lead?.land('failed')
    throw thrown
  }
}

const IDENTIFY_FAULTS: Faults = { late: 'store_unavailable', failed: 'store_unavailable', what: 'Authentication' }

/** Who asks. What `authenticate` throws is passed on as it is, Hono's exceptions too; one that hangs holds no request. */
async function identified({ identify }: ResolvedDependencies, request: Request, timeoutMs: number): Promise<Principal> {
  const outcome = await withinDeadline(timeoutMs, IDENTIFY_FAULTS, () =>
    identify(request).then(
      (principal) => ({ principal }),
      (thrown: unknown) => ({ thrown }),
    ),
  )
  if ('thrown' in outcome) throw outcome.thrown
  return outcome.principal
}

async function respond<Bindings extends object>(
  c: GateContext<Bindings>,
  next: Next,
  exchange: Exchange,
  result: GateResult,
): Promise<Response | undefined> {
  if (result.kind === 'cached') return respondFromCache(c, exchange, result)
  if (exchange.request.without !== undefined) return respondToTrial(c, exchange, result)
  if (result.decision.verdict === 'refuse' && exchange.settings.mode === 'enforce') {
    return respondWithRefusal(c, exchange, result)
  }
  await respondThroughHandler(c, next, exchange, result)
  return undefined
}

const NO_HEADERS: ReadonlySet<string> = new Set()

function requestedCacheUse<Bindings extends object>(
  { req }: GateContext<Bindings>,
  { audience, principal }: QuestionRequest,
  { barredCredentials }: RouteSettings,
  { cache, sharesAnswers }: ResolvedDependencies,
  limit: BypassLimit,
): RequestedCacheUse {
  // Without a cache there is nothing to have a part in, and nothing to pass by.
  if (cache === undefined) return { read: true, store: true }
  const ownAnswersOnly = sharesAnswers && audience !== 'operator'
  return cacheUseOf(req, {
    barredCredentials,
    ownAnswersOnly,
    limit,
    asker: JSON.stringify([principal.tenant, principal.id]),
  })
}

function questionRequest<Bindings extends object>(
  c: GateContext<Bindings>,
  read: ReadQuestion,
  principal: Principal,
  messagesKey: string,
  settings: RouteSettings,
  dependencies: ResolvedDependencies,
): QuestionRequest {
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
    options: {
      otherFields: read.otherFields,
      ...(messagesKey === '' ? {} : { messages: messagesKey }),
      ...(settings.closestPassages === 0 ? {} : { closestPassages: String(settings.closestPassages) }),
    },
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
  { request: { audience }, settings }: Exchange,
  { decision, evidence, policy }: Judged,
): Response {
  const summary = summariseDecision(decision, evidence.chunks, { audience, policy })
  const body = { answer: '', sources: [], refused: decision.verdict === 'refuse', trial: true, ...summary }
  const headers = { 'cache-control': 'no-store', 'rag-gate': ragGateHeader(decision, decision.id, settings.mode) }
  return c.json(body, 200, headers)
}

async function respondFromCache<Bindings extends object>(
  c: GateContext<Bindings>,
  exchange: Exchange,
  result: Extract<GateResult, { kind: 'cached' }>,
): Promise<Response> {
  const { answer, policy, ageSeconds, ttlSeconds, cache: kind, judged, lead, retrievals } = result
  const response = await storedResponse(c, answer)
  const { cache, clock } = exchange.dependencies
  const store = (): Promise<CachedAnswer> | undefined =>
    judged?.key !== undefined &&
    cache !== undefined &&
    exchange.request.cacheUse?.store !== false &&
    isUnimpaired(judged.decision)
      ? storeByQuestion(answer, { cache, policy, key: judged.key, decision: judged.decision }, clock.nowMs())
      : undefined
  keep(c, lead, store, kind === 'stale' ? 'failed' : 'not-stored')
  if (kind === 'refreshed') later(c, () => exchange.settings.refreshes?.refresh(answer.key, c, clock))
  finish(c, exchange, response, {
    decision: answer.decision,
    policy,
    cache: { kind, ageSeconds, ttlSeconds, principalId: answer.principalId },
    timings: judged === undefined ? {} : retrievalTimings(judged),
    report: {},
    retrievals,
    ...(answer.usage === undefined ? {} : { savedUsage: answer.usage }),
  })
  return response
}

async function respondWithRefusal<Bindings extends object>(
  c: GateContext<Bindings>,
  exchange: Exchange,
  judged: Judged,
): Promise<Response> {
  const { decision, evidence, policy } = judged
  const { settings, request, messages } = exchange
  const own = await settings.onRefuse?.(decision, c)
  const outcome = {
    decision,
    policy,
    cache: forwarded(exchange, judged),
    timings: retrievalTimings(judged),
    report: {},
    retrievals: judged.retrievals,
  }
  if (own !== undefined) {
    // The headers of a response that was passed on from elsewhere cannot be written.
    const response = new Response(own.body, own)
    keep(c, judged.lead, () => undefined)
    finish(c, exchange, response, outcome)
    return response
  }
  const { closestPassages } = settings
  const telling = { audience: request.audience, policy, closestPassages, ...(messages && { messages }) }
  const body = JSON.stringify(buildRefusal(decision, evidence.chunks, telling))
  const response = c.body(body, settings.refusalStatus, REFUSAL_HEADERS)
  const storing = storingOf(exchange, judged, () => ({}))
  keep(c, judged.lead, () => storing && storeRefusal(body, response.status, storing))
  finish(c, exchange, response, outcome)
  return response
}
