/** The way of a request: its question is read and judged; refusals and cache hits are answered here, the rest by the handler. */
import type { Context, Next } from 'hono'
import type { Audience } from '../core/policy/preset.ts'
import { buildRefusal, summariseDecision } from '../core/reports/refusal.ts'
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
import { ragGateHeader } from './headers.ts'
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
  const request = questionRequest(read, principal, settings, dependencies)
  const { closestPassages } = settings
  const options = {
    otherFields: read.otherFields,
    ...(messagesKey && { messages: messagesKey }),
    ...(closestPassages && { closestPassages: String(closestPassages) }),
  }
  // A trial is nobody's answer: it is neither looked for nor kept.
  const cache =
    read.without === undefined ? dependencies.cache?.open(c, { request, received, options, startedMs }) : undefined
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
  const { cache, request, settings } = exchange
  // Found where there is a cache only.
  if (result.kind === 'cached') return respondFromCache(c, exchange, cache!, result)
  if (request.without !== undefined) return respondToTrial(c, exchange, result)
  cache?.noteHeaders()
  if (result.decision.verdict === 'refuse' && settings.mode === 'enforce') {
    return respondWithRefusal(c, exchange, result)
  }
  await respondThroughHandler(c, next, exchange, result)
  return undefined
}

function questionRequest(
  read: ReadQuestion,
  principal: Principal,
  settings: RouteSettings,
  dependencies: ResolvedDependencies,
): QuestionRequest {
  if (read.searchMode !== undefined && !principal.scopes.includes('admin')) {
    throw new RagGateError('forbidden', 'Only operators may set the member search_mode', { param: 'search_mode' })
  }
  if (read.without !== undefined && !principal.scopes.includes('admin')) {
    throw new RagGateError('forbidden', 'Only operators may set the member without', { param: 'without' })
  }
  const audience: Audience = principal.scopes.includes('admin') ? 'operator' : dependencies.audience
  return {
    question: read.question,
    collection: allowedCollection(read.collection, settings.question),
    principal,
    audience,
    ...(read.searchMode && { searchMode: read.searchMode }),
    ...(read.without && { without: read.without }),
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
  { decision, evidence, policy }: JudgedResult,
): Response {
  const summary = summariseDecision(decision, evidence.chunks, { audience, policy })
  const body = { answer: '', sources: [], refused: decision.verdict === 'refuse', trial: true, ...summary }
  const headers = { 'cache-control': 'no-store', 'rag-gate': ragGateHeader(decision, decision.id, settings.mode) }
  return c.json(body, 200, headers)
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
  const { closestPassages, refusalStatus } = settings
  const outcome = { decision, policy, handler: 'not-called', timings, retrievals } as const
  let own: Response | undefined
  try {
    own = await settings.onRefuse?.(decision, c)
  } catch (thrown) {
    finish(c, exchange, new Response(null, { status: 500 }), outcome)
    throw thrown
  }
  let response: Response
  if (own === undefined) {
    const telling = { audience: request.audience, policy, closestPassages, ...(messages && { messages }) }
    const body = JSON.stringify(buildRefusal(decision, evidence.chunks, telling))
    response = c.body(body, refusalStatus, REFUSAL_HEADERS)
    cache?.keep({ kind: 'refusal', body, status: refusalStatus, decision, policy })
  } else {
    // The headers of a response that was passed on from elsewhere cannot be written.
    response = new Response(own.body, own)
    cache?.keep({ kind: 'nothing' })
  }
  finish(c, exchange, response, outcome)
  return response
}

const REFUSAL_HEADERS = { 'content-type': 'application/json' }
