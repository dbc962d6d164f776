/** The middleware: reads the question, has it gated, answers refusals and cache hits itself, and records the decision. */
import type { Context, MiddlewareHandler, Next } from 'hono'
import { routePath } from 'hono/route'
import type { StatusCode } from 'hono/utils/http-status'
import type { CacheState, Decision, Timings } from '../core/policy/decision.ts'
import { judgesAnswers } from '../core/policy/policy.ts'
import { type Audience, buildRefusal } from '../core/reports/refusal.ts'
import { RagGateError } from '../errors.ts'
import { type AskedQuestion, collectionNotFound, type GatedQuestion, gateQuestion } from '../pipeline/gate-question.ts'
import { newId } from '../pipeline/new-id.ts'
import type { Principal } from '../ports/authenticator.ts'
import type { DecisionEvent } from '../ports/decision-log.ts'
import { type Connected, connector } from './connect.ts'
import { type AnswerReport, makeGated, type RagGateEnv } from './gated.ts'
import { type CacheOutcome, cacheStatusHeader, ragGateHeader, serverTimingHeader } from './headers.ts'
import { judgeResponse, replaceAnswer, resendAnswer } from './judge-response.ts'
import { checkOptions, type RagGateOptions, type RouteSettings } from './options.ts'
import { readQuestion, type ReadQuestion } from './read-question.ts'
import { respondWithError } from './respond.ts'
import { REFUSAL_HEADERS, storeAnswer, storeRefusal, type Storing } from './store-answer.ts'

/**
 * Makes the gate. Mount it before the handler that calls the model:
 *
 * ```ts
 * app.post('/ask', ragGate({ resolve: (env) => ({ retriever, collections }) }), (c) => {
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
  const connectedFor = connector(options.resolve, checked.cacheScope)
  return async function ragGate(c, next) {
    try {
      return await handle(c, next, checked, connectedFor(c.env))
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
  connected: Connected,
): Promise<Response | undefined> {
  const startedMs = connected.clock.nowMs()
  // Taken before `next`: afterwards it would be the handler's.
  const route = routePath(c)
  if (!METHODS.has(c.req.method)) throw new RagGateError('method_not_allowed', 'Questions come by POST')
  // Set where an outer gate judged this question already: its context says otherwise, it cannot be undefined.
  if ((c.var as Partial<typeof c.var>).ragGate !== undefined) {
    throw new RagGateError('config_invalid', 'There are two gates on the way of this request')
  }
  const principal = await connected.identify(c.req.raw)
  const read = await readQuestion(c.req, settings.question, principal.tenant, settings.searchModes)
  const asked = askedQuestion(c, read, principal, settings, connected)
  const gated = await gateQuestion(connected, settings, asked)
  const exchange: Exchange = { settings, connected, asked, startedMs, route }
  if (gated.kind === 'cached') return respondFromCache(c, exchange, gated)
  if (gated.decision.verdict === 'refuse' && settings.mode === 'enforce') return respondWithRefusal(c, exchange, gated)
  await respondThroughHandler(c, next, exchange, gated)
  return undefined
}

/** One request on its way. */
interface Exchange {
  readonly settings: RouteSettings
  readonly connected: Connected
  readonly asked: AskedQuestion
  readonly startedMs: number
  /** Path under which the gate is mounted. */
  readonly route: string
}

type Judged = Extract<GatedQuestion, { kind: 'judged' }>

function askedQuestion<Bindings extends object>(
  c: GateContext<Bindings>,
  read: ReadQuestion,
  principal: Principal,
  settings: RouteSettings,
  connected: Connected,
): AskedQuestion {
  if (read.searchMode !== undefined && !principal.scopes.includes('admin')) {
    throw new RagGateError('forbidden', 'Only operators may choose how is searched', { param: 'search_mode' })
  }
  const audience: Audience = principal.scopes.includes('admin') ? 'operator' : connected.audience
  return {
    question: read.question,
    collection: allowedCollection(read.collection, settings),
    principal,
    audience,
    partition: connected.partition(principal),
    deployment: connected.deployment,
    path: c.req.path,
    model: connected.model,
    vary: [
      // Absent, empty and repeated are three different things.
      ...settings.varyHeaders.map((name) => JSON.stringify(c.req.header(name) ?? null)),
      ...settings.varyQuery.map((name) => JSON.stringify(c.req.queries(name) ?? null)),
    ],
    options: { otherFields: read.otherFields },
    ...(read.searchMode === undefined ? {} : { searchMode: read.searchMode }),
  }
}

function allowedCollection(named: string | undefined, { collection, otherCollections }: RouteSettings): string {
  if (named === undefined || named === collection) return collection
  if (otherCollections !== 'any' && !otherCollections.includes(named)) throw collectionNotFound()
  return named
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

function respondWithRefusal<Bindings extends object>(
  c: GateContext<Bindings>,
  exchange: Exchange,
  judged: Judged,
): Response {
  const { decision, evidence, policy } = judged
  const refusal = buildRefusal(decision, evidence.chunks, exchange.asked.audience, [], policy.gates)
  const body = JSON.stringify(refusal)
  const response = c.body(body, exchange.settings.refusalStatus, REFUSAL_HEADERS)
  const storing = storingOf(exchange, judged, () => ({}))
  if (storing !== undefined) later(c, () => storeRefusal(body, response.status, storing))
  finish(c, exchange, response, {
    decision,
    cache: forwarded(judged),
    timings: retrievalTimings(judged),
    report: {},
  })
  return response
}

async function respondThroughHandler<Bindings extends object>(
  c: GateContext<Bindings>,
  next: Next,
  exchange: Exchange,
  judged: Judged,
): Promise<void> {
  const { connected, asked } = exchange
  const { gated, reported } = makeGated({
    question: asked.question,
    principal: asked.principal,
    decision: judged.decision,
    evidence: judged.evidence,
    audience: asked.audience,
    context: judged.context,
    policy: judged.policy,
  })
  c.set('ragGate', gated)
  const generationStartedMs = connected.clock.nowMs()
  await next()
  const generationMs = connected.clock.nowMs() - generationStartedMs
  const second = await judgeAnswerOf(c, exchange, judged, reported())
  const storing = storingOf(exchange, { ...judged, decision: second.decision }, reported)
  // What the application's `onError` answered is no answer to the question, whatever its status.
  if (storing !== undefined && c.error === undefined) {
    const { refusal } = second
    later(c, () => (refusal === undefined ? storeAnswer(c.res, storing) : storeRefusal(refusal, c.res.status, storing)))
  }
  finish(c, exchange, writableResponse(c), {
    decision: second.decision,
    cache: forwarded(judged),
    timings: { ...retrievalTimings(judged), generationMs },
    report: reported(),
  })
}

/** What the second stage made of an answer. */
interface SecondStage {
  readonly decision: Decision
  /** The body that was sent in place of the answer. */
  readonly refusal?: string
}

/**
 * Has an answer judged before it is sent, by the policies that judge answers. A refusal takes its place; in `observe` mode
 * it is only recorded. What the handler itself says is no answer, by its status, is not judged.
 */
async function judgeAnswerOf<Bindings extends object>(
  c: GateContext<Bindings>,
  { settings, asked }: Exchange,
  { decision, evidence, context, policy }: Judged,
  report: AnswerReport,
): Promise<SecondStage> {
  if (!judgesAnswers(policy) || c.error !== undefined || c.res.status >= 400) return { decision }
  // To observe is not to touch: a copy is read, and what it says is only recorded. The same behind disabled gates.
  const observing = settings.mode === 'observe' || policy.dangerouslyDisableGates === true
  const judged = await judgeResponse(observing ? c.res.clone() : c.res, {
    question: asked.question,
    decision,
    evidence,
    shown: context.chunks,
    policy,
    audience: asked.audience,
    report,
    generationConfidence: settings.generationConfidence,
    maxBytes: settings.maxJudgedBytes,
  })
  if (observing) return { decision: judged.decision }
  if (judged.decision.verdict === 'refuse') {
    const { decision: refused, unsupported } = judged
    const refusal = JSON.stringify(buildRefusal(refused, evidence.chunks, asked.audience, unsupported, policy.gates))
    replaceResponse(c, replaceAnswer(c.res, refusal, settings.refusalStatus))
    return { decision: judged.decision, refusal }
  }
  if (judged.body !== undefined) replaceResponse(c, resendAnswer(c.res, judged.body))
  return { decision: judged.decision }
}

/** Hono gives a new response the headers of the one it replaces, also those that were left out on purpose. */
function replaceResponse<Bindings extends object>(c: GateContext<Bindings>, response: Response): void {
  c.res = undefined
  c.res = response
}

/** The handler's response, with headers that can be written: those of a response passed on from `fetch` cannot. */
function writableResponse<Bindings extends object>(c: GateContext<Bindings>): Response {
  try {
    c.res.headers.delete('rag-gate')
  } catch {
    c.res = new Response(c.res.body, c.res)
  }
  return c.res
}

function storingOf(
  { settings, connected }: Exchange,
  { key, policy, decision }: Judged,
  reported: () => AnswerReport,
): Storing | undefined {
  const { cache, clock } = connected
  if (cache === undefined || key === undefined) return undefined
  // Another tier decided than the policy means to: the next question has the reranker asked again.
  if (decision.reranker === 'failed' || decision.reranker === 'timeout') return undefined
  // Nor is an answer kept that a further round might have changed.
  if (decision.expansion?.expanded === false) return undefined
  const { varyHeaders, maxStoredBytes, staleIfErrorSeconds } = settings
  return { cache, clock, key, policy, decision, reported, varyHeaders, maxStoredBytes, staleIfErrorSeconds }
}

function retrievalTimings({ retrievalMs, rerankMs }: Judged): Timings {
  return { retrievalMs, ...(rerankMs === undefined ? {} : { rerankMs }) }
}

function forwarded({ cache, stale }: Judged): CacheOutcome {
  return { kind: 'forwarded', why: cache === 'bypass' ? 'bypass' : stale ? 'stale' : 'miss' }
}

/** What is known when a response is ready. */
interface Outcome {
  readonly decision: Decision
  readonly cache: CacheOutcome
  readonly timings: Timings
  readonly report: AnswerReport
}

/** Writes the gate's headers, and records the decision once the response is on its way. */
function finish<Bindings extends object>(
  c: GateContext<Bindings>,
  { settings, connected, asked, startedMs, route }: Exchange,
  response: Response,
  { decision, cache, timings, report }: Outcome,
): void {
  const state: CacheState = cache.kind !== 'forwarded' ? cache.kind : cache.why === 'bypass' ? 'bypass' : 'miss'
  const nowMs = connected.clock.nowMs()
  const spent = { ...timings, totalMs: nowMs - startedMs }
  const eventId = state === 'hit' || state === 'stale' ? newId(connected.clock) : decision.id
  response.headers.set('rag-gate', ragGateHeader(decision, eventId, settings.mode))
  response.headers.set('cache-status', cacheStatusHeader(cache, asked.audience))
  response.headers.set('server-timing', serverTimingHeader(spent))
  if (!response.headers.has('cache-control')) response.headers.set('cache-control', 'private, no-store')
  const event: DecisionEvent = {
    id: eventId,
    decision,
    atMs: nowMs,
    mode: settings.mode,
    route,
    cache: state,
    status: response.status,
    timings: spent,
    principalId: asked.principal.id,
    ...(report.model === undefined ? {} : { model: report.model }),
    ...(report.usage === undefined ? {} : { usage: report.usage }),
  }
  later(c, () => connected.record(event, asked.question))
}

/**
 * Work that the response does not wait for, and that cannot harm it, also when it throws at once. Where the platform has
 * no `waitUntil`, it runs on its own.
 */
function later<Bindings extends object>(c: GateContext<Bindings>, work: () => Promise<void> | undefined): void {
  const report = (thrown: unknown): void => console.error('[rag-gate] after the response:', thrown)
  let settled: Promise<void> | undefined
  try {
    settled = work()?.catch(report)
  } catch (thrown) {
    report(thrown)
  }
  if (settled === undefined) return
  try {
    c.executionCtx.waitUntil(settled)
  } catch {
    // Hono throws where there is no execution context (Node, tests): the promise runs on its own, and never rejects.
  }
}
