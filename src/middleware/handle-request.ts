/** The way of a request: its question is read and judged; refusals and cache hits are answered here, the rest by the handler. */
import type { Context, Next } from 'hono'
import type { Audience } from '../core/policy/preset.ts'
import { buildRefusal } from '../core/reports/refusal.ts'
import { RagGateError } from '../errors.ts'
import { collectionNotFound } from '../pipeline/find-place.ts'
import { type CachedResult, type GateResult, gateQuestion, type JudgedResult } from '../pipeline/gate-question.ts'
import type { QuestionRequest } from '../pipeline/question-settings.ts'
import type { Principal } from '../ports/authenticator.ts'
import { respondThroughHandler } from './answer-through-handler.ts'
import type { ReadSettings, RouteSettings } from './check-options.ts'
import type { ResolvedDependencies } from './dependencies.ts'
import type { Exchange } from './exchange.ts'
import { finish } from './finish.ts'
import type { ExchangeCache } from './gate-cache.ts'
import type { RagGateEnv } from './gate-context.ts'
import { identified } from './identified.ts'
import { readQuestion, type ReadQuestion } from './read-question.ts'

type GateContext<Bindings extends object> = Context<RagGateEnv<Bindings>>

/** Methods that bring a question in their body; QUERY as in RFC 10008. */
const METHODS: ReadonlySet<string> = new Set(['POST', 'QUERY'])

/**
 * Handles a request behind the gate.
 *
 * @returns the response of a question that the handler is not called for, `undefined` where it was
 * @throws whatever reading, retrieving and judging throw
 */
export async function handleRequest<Bindings extends object>(
  c: GateContext<Bindings>,
  next: Next,
  settings: RouteSettings,
  dependencies: ResolvedDependencies,
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
  const principal = await identified(dependencies.authenticate, received, settings.retrieval.timeoutMs)
  const read = await readQuestion(c, settings.question, principal.tenant)
  const { messages, key: messagesKey } = settings.messagesFor(c)
  const request = questionRequest(read, principal, settings)
  const { closestPassages } = settings
  const options = {
    otherFields: read.otherFields,
    ...(messagesKey && { messages: messagesKey }),
    ...(closestPassages && { closestPassages: String(closestPassages) }),
  }
  const cache = dependencies.cache?.open(c, { request, received, options, startedMs })
  const exchange = {
    settings,
    dependencies,
    request,
    startedMs,
    route,
    ...(messages && { messages }),
    ...(cache && { cache }),
  }
  try {
    return await respond(c, next, exchange, await gateQuestion(dependencies, settings, request, cache?.question))
  } catch (thrown) {
    cache?.keep({ kind: 'failure' })
    throw thrown
  }
}

async function respond<Bindings extends object>(
  c: GateContext<Bindings>,
  next: Next,
  exchange: Exchange,
  result: GateResult,
): Promise<Response | undefined> {
  const { cache, settings } = exchange
  // Found where there is a cache only.
  if (result.kind === 'cached') return respondFromCache(c, exchange, cache!, result)
  cache?.noteHeaders()
  if (result.decision.verdict === 'refuse' && settings.mode === 'enforce') {
    return respondWithRefusal(c, exchange, result)
  }
  await respondThroughHandler(c, next, exchange, result)
  return undefined
}

function questionRequest(read: ReadQuestion, principal: Principal, settings: RouteSettings): QuestionRequest {
  const audience: Audience = principal.scopes.includes('admin') ? 'operator' : 'public'
  return {
    question: read.question,
    collection: allowedCollection(read.collection, settings.question),
    principal,
    audience,
  }
}

function allowedCollection(named: string | undefined, { collection, collections }: ReadSettings): string {
  if (named === undefined) return collection
  if (collections !== 'any' && !collections.includes(named)) throw collectionNotFound()
  return named
}

async function respondFromCache<Bindings extends object>(
  c: GateContext<Bindings>,
  exchange: Exchange,
  cache: ExchangeCache,
  { found, policy, retrievals, timings }: CachedResult,
): Promise<Response> {
  const response = await cache.send(found)
  const { decision } = found.answer
  finish(c, exchange, response, {
    decision,
    policy,
    found,
    handler: 'not-called',
    timings: timings ?? {},
    retrievals,
  })
  return response
}

async function respondWithRefusal<Bindings extends object>(
  c: GateContext<Bindings>,
  exchange: Exchange,
  { decision, evidence, policy, timings, retrievals }: JudgedResult,
): Promise<Response> {
  const { settings, request, messages, cache } = exchange
  const { closestPassages } = settings
  const outcome = { decision, policy, handler: 'not-called', timings, retrievals } as const
  let own: Response | void
  try {
    own = await settings.onRefuse?.(decision, c)
  } catch (thrown) {
    finish(c, exchange, new Response(null, { status: 500 }), outcome)
    throw thrown
  }
  let response: Response
  if (!own) {
    const telling = { audience: request.audience, policy, closestPassages, ...(messages && { messages }) }
    const body = JSON.stringify(buildRefusal(decision, evidence.chunks, telling))
    // With the status that `onRefuse` may have set.
    response = c.newResponse(body, { headers: REFUSAL_HEADERS })
    cache?.keep({ kind: 'refusal', body, status: response.status, decision, policy })
  } else {
    // The headers of a response that was passed on from elsewhere cannot be written.
    response = new Response(own.body, own)
    cache?.keep({ kind: 'nothing' })
  }
  finish(c, exchange, response, outcome)
  return response
}

const REFUSAL_HEADERS = { 'content-type': 'application/json' }
