/** The middleware: reads the question, has it gated, answers refusals and cache hits itself, and records the decision. */
import type { Context, MiddlewareHandler, Next } from 'hono'
import { routePath } from 'hono/route'
import type { CacheState, Decision, Timings } from '../core/decision.ts'
import { handlerFreshness, lifetimeSeconds } from '../core/freshness.ts'
import type { ConvexWeights } from '../core/fusion.ts'
import { definePolicy, type Policy } from '../core/policy.ts'
import { balanced } from '../core/profiles/balanced.ts'
import { type Audience, buildRefusal } from '../core/refusal.ts'
import { RagGateError } from '../errors.ts'
import {
  type AskedQuestion,
  type GatedQuestion,
  gateQuestion,
  type GateSettings,
  newId,
} from '../pipeline/gate-question.ts'
import type { CachedAnswer } from '../ports/answer-cache.ts'
import type { Principal } from '../ports/authenticator.ts'
import type { DecisionEvent } from '../ports/decision-log.ts'
import { type CacheScope, type Connected, type GateConnections, connect } from './connect.ts'
import { type AnswerReport, makeGated, type RagGateEnv } from './gated.ts'
import { type CacheOutcome, cacheStatusHeader, ragGateHeader, serverTimingHeader } from './headers.ts'
import { type QuestionOptions, readQuestion, type ReadQuestion } from './read-question.ts'
import { respondWithError } from './respond.ts'

/** Settings of `ragGate`. */
export interface RagGateOptions<Bindings extends object> {
  /**
   * Connects the gate to the world: retriever, collections, and what else there is. Called once for each bindings
   * object, so clients and buffers live as long as the isolate.
   */
  readonly resolve: (env: Bindings) => GateConnections
  /**
   * The policy, or how to choose one. Thresholds come from the server only; nothing in a request changes them.
   *
   * @default balanced()
   */
  readonly policy?: Policy | ((tenant: string, collection: string) => Policy)
  /**
   * `enforce` answers refusals itself. `observe` decides and records, and always lets the handler answer.
   *
   * @default 'enforce'
   */
  readonly mode?: 'enforce' | 'observe'
  /**
   * Collection searched when the request names none.
   *
   * @default 'default'
   */
  readonly collection?: string
  /** How questions are read. */
  readonly question?: QuestionOptions
  /**
   * Who may share a cached answer: everyone, all of a tenant, or one principal alone. With a cache and no
   * `authenticate`, it must be said to be `public`.
   *
   * @default 'principal'
   */
  readonly cacheScope?: CacheScope
  /**
   * Request headers, in lower case, and query parameters that the handler's answer depends on. They join the answer key.
   */
  readonly vary?: { readonly headers?: readonly string[]; readonly query?: readonly string[] }
  /**
   * Chunks retrieved of each method and judged, 1..100.
   *
   * @default 10
   */
  readonly topK?: number
  /** Weights of the convex mix of dense and sparse scores. */
  readonly fusionWeights?: ConvexWeights
  /**
   * Deadline of the retrieval, headers and body together, milliseconds.
   *
   * @default 3000
   */
  readonly retrievalTimeoutMs?: number
  /**
   * Budget of the context for the model, characters.
   *
   * @default 12000
   */
  readonly maxContextCharacters?: number
  /**
   * Largest answer that is stored, bytes.
   *
   * @default 262144
   */
  readonly maxStoredBytes?: number
  /**
   * Status of a refusal. It is an answer, not an error.
   *
   * @default 200
   */
  readonly refusalStatus?: 200 | 403 | 404 | 422
  /**
   * Names the deployment in the answer key, so that two of them can share a store.
   *
   * @default ''
   */
  readonly deployment?: string
  /**
   * Version or hash of the handler's prompt. Change it when the prompt changes: old answers are then never found.
   *
   * @default ''
   */
  readonly prompt?: string
}

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
  const connections = new WeakMap<object, Connected>()
  const connectedFor = (env: Bindings): Connected => {
    // Outside Workers Hono may have no bindings; one connection then serves all.
    const holder: object = env ?? checked
    const known = connections.get(holder)
    if (known !== undefined) return known
    const made = connect(options.resolve(env), checked.cacheScope)
    connections.set(holder, made)
    return made
  }
  return async function ragGate(c, next) {
    try {
      return await handle(c, next, checked, connectedFor(c.env))
    } catch (thrown) {
      return respondWithError(c, thrown)
    }
  }
}

type Checked = GateSettings &
  Required<Pick<RagGateOptions<object>, 'collection' | 'maxContextCharacters' | 'maxStoredBytes' | 'refusalStatus'>> & {
    readonly question: Required<QuestionOptions>
    readonly cacheScope: CacheScope | undefined
    readonly varyHeaders: readonly string[]
    readonly varyQuery: readonly string[]
  }

function checkOptions(options: RagGateOptions<never>): Checked {
  const { policy = balanced(), topK = 10, retrievalTimeoutMs = 3000, maxContextCharacters = 12_000 } = options
  requireWhole('topK', topK, 1, 100)
  requireWhole('retrievalTimeoutMs', retrievalTimeoutMs, 1, 60_000)
  requireWhole('maxContextCharacters', maxContextCharacters, 200, 10_000_000)
  const fixed = typeof policy === 'function' ? undefined : definePolicy(policy)
  const question: Required<QuestionOptions> = {
    field: 'question',
    maxCodePoints: 2000,
    maxBodyBytes: 65_536,
    bodyTimeoutMs: 10_000,
    otherFields: 'refuse',
    ...options.question,
  }
  const maxStoredBytes = options.maxStoredBytes ?? 262_144
  requireWhole('maxStoredBytes', maxStoredBytes, 0, 100_000_000)
  requireOneOf('mode', options.mode, ['enforce', 'observe'])
  requireOneOf('cacheScope', options.cacheScope, ['public', 'tenant', 'principal'])
  requireOneOf('refusalStatus', options.refusalStatus, [200, 403, 404, 422])
  requireOneOf('question.otherFields', question.otherFields, ['refuse', 'allow'])
  requireWhole('question.maxCodePoints', question.maxCodePoints, 1, 1_000_000)
  requireWhole('question.maxBodyBytes', question.maxBodyBytes, 1, 100_000_000)
  requireWhole('question.bodyTimeoutMs', question.bodyTimeoutMs, 1, 600_000)
  return {
    policy: typeof policy === 'function' ? policy : () => fixed ?? policy,
    mode: options.mode ?? 'enforce',
    collection: options.collection ?? 'default',
    question,
    cacheScope: options.cacheScope,
    varyHeaders: options.vary?.headers?.map((name) => name.toLowerCase()) ?? [],
    varyQuery: options.vary?.query ?? [],
    topK,
    fusionWeights: options.fusionWeights ?? {},
    retrievalTimeoutMs,
    maxContextCharacters,
    maxStoredBytes,
    refusalStatus: options.refusalStatus ?? 200,
    deployment: options.deployment ?? '',
    prompt: options.prompt ?? '',
  }
}

function requireWhole(option: string, value: number, low: number, high: number): void {
  if (!Number.isInteger(value) || value < low || value > high) {
    throw new RagGateError('config_invalid', `${option} must be a whole number from ${low} to ${high}`, {
      param: option,
    })
  }
}

/** A mode with a typing error must not open the gate. */
function requireOneOf<Value>(option: string, value: Value | undefined, allowed: readonly Value[]): void {
  if (value !== undefined && !allowed.includes(value)) {
    throw new RagGateError('config_invalid', `${option} must be one of ${allowed.join(', ')}`, { param: option })
  }
}

type GateContext<Bindings extends object> = Context<RagGateEnv<Bindings>>

async function handle<Bindings extends object>(
  c: GateContext<Bindings>,
  next: Next,
  settings: Checked,
  connected: Connected,
): Promise<Response | undefined> {
  const startedMs = connected.clock.nowMs()
  const read = await readQuestion(c.req, settings.question)
  const principal = await connected.identify(c.req.raw)
  const asked = askedQuestion(c, read, principal, settings, connected)
  const gated = await gateQuestion(connected, settings, asked)
  const exchange: Exchange = { settings, connected, asked, startedMs, topK: read.topK ?? settings.topK }
  if (gated.kind === 'cached') return respondFromCache(c, exchange, gated)
  if (gated.decision.verdict === 'refuse' && settings.mode === 'enforce') return respondWithRefusal(c, exchange, gated)
  await respondThroughHandler(c, next, exchange, gated)
  return undefined
}

/** One request on its way. */
interface Exchange {
  readonly settings: Checked
  readonly connected: Connected
  readonly asked: AskedQuestion
  readonly startedMs: number
  /** Chunks that the handler is given. */
  readonly topK: number
}

type Judged = Extract<GatedQuestion, { kind: 'judged' }>

function askedQuestion<Bindings extends object>(
  c: GateContext<Bindings>,
  read: ReadQuestion,
  principal: Principal,
  settings: Checked,
  connected: Connected,
): AskedQuestion {
  const audience: Audience = principal.scopes.includes('admin') ? 'operator' : connected.audience
  return {
    question: read.question,
    collection: read.collection ?? settings.collection,
    principal,
    audience,
    partition: connected.partition(principal),
    path: c.req.path,
    model: connected.model,
    vary: [
      ...settings.varyHeaders.map((name) => c.req.header(name) ?? ''),
      ...settings.varyQuery.map((name) => c.req.query(name) ?? ''),
    ],
    options: { topK: String(read.topK ?? ''), otherFields: read.otherFields },
  }
}

function respondFromCache<Bindings extends object>(
  c: GateContext<Bindings>,
  exchange: Exchange,
  { answer, ageSeconds }: Extract<GatedQuestion, { kind: 'cached' }>,
): Response {
  const response = new Response(answer.body, {
    status: answer.status,
    headers: answer.headers.map(([name, value]): [string, string] => [name, value]),
  })
  response.headers.set('age', String(ageSeconds))
  finish(c, exchange, response, {
    decision: answer.decision,
    cache: { kind: 'hit', ageSeconds, ttlSeconds: answer.lifetimeSeconds - ageSeconds },
    timings: {},
    report: {},
  })
  return response
}

const REFUSAL_HEADERS = { 'content-type': 'application/json' }

function respondWithRefusal<Bindings extends object>(
  c: GateContext<Bindings>,
  exchange: Exchange,
  judged: Judged,
): Response {
  const { decision, evidence } = judged
  const refusal = buildRefusal(decision, evidence.chunks, exchange.asked.audience)
  const body = JSON.stringify(refusal)
  const response = c.body(body, exchange.settings.refusalStatus, REFUSAL_HEADERS)
  const lifetime = lifetimeSeconds(judged.policy, decision)
  if (lifetime > 0 && judged.key !== undefined) {
    const { key } = judged
    // Headers that other middleware gave to this caller are not for the next one.
    const shared = new Response(null, { status: response.status, headers: REFUSAL_HEADERS })
    const stored = cachedAnswer(exchange, judged, key, lifetime, {}, shared, body)
    later(c, () => exchange.connected.cache?.put(key, stored))
  }
  finish(c, exchange, response, {
    decision,
    cache: forwarded(judged),
    timings: { retrievalMs: judged.retrievalMs },
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
  const { settings, connected, asked } = exchange
  const { gated, reported } = makeGated({
    question: asked.question,
    principal: asked.principal,
    decision: judged.decision,
    evidence: judged.evidence,
    audience: asked.audience,
    maxContextCharacters: settings.maxContextCharacters,
    maxChunks: exchange.topK,
  })
  c.set('ragGate', gated)
  const generationStartedMs = connected.clock.nowMs()
  await next()
  const generationMs = connected.clock.nowMs() - generationStartedMs
  const report = reported()
  const { key } = judged
  // What the application's `onError` answered is no answer to the question, whatever its status.
  if (key !== undefined && c.error === undefined) later(c, () => storeAnswer(c.res, exchange, judged, key, report))
  finish(c, exchange, writableResponse(c), {
    decision: judged.decision,
    cache: forwarded(judged),
    timings: { retrievalMs: judged.retrievalMs, generationMs },
    report,
  })
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

/** Stores a clean, whole answer for as long as its confidence and the handler's own headers allow. */
function storeAnswer(
  response: Response,
  exchange: Exchange,
  judged: Judged,
  key: string,
  report: AnswerReport,
): Promise<void> | undefined {
  const { settings, connected } = exchange
  // In `observe` mode an answer may rest on evidence that the policy would have refused: it is sent, and not kept.
  if (judged.decision.verdict === 'refuse' || report.complete === false) return undefined
  if (response.headers.get('content-type')?.toLowerCase().startsWith('text/event-stream') === true) return undefined
  const allowed = handlerFreshness(response.status, (name) => response.headers.get(name), settings.varyHeaders)
  const lifetime = lifetimeSeconds(judged.policy, judged.decision, allowed)
  if (lifetime === 0 || response.body === null) return undefined
  if (Number(response.headers.get('content-length') ?? 0) > settings.maxStoredBytes) return undefined
  const copy = response.clone()
  return (async () => {
    const bytes = await readAtMost(copy, settings.maxStoredBytes)
    if (bytes === undefined) return
    const body = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    await connected.cache?.put(key, cachedAnswer(exchange, judged, key, lifetime, report, copy, body))
  })()
}

/** The body, or `undefined` when it is larger: then the rest is left to whoever reads the response itself. */
async function readAtMost({ body }: Response, maxBytes: number): Promise<Uint8Array | undefined> {
  const reader = body?.getReader()
  const pieces: Uint8Array[] = []
  let length = 0
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true }
    if (done || value === undefined) break
    length += value.byteLength
    if (length > maxBytes) {
      // Not awaited: it settles only when the other reader is done as well.
      reader?.cancel().catch(() => undefined)
      return undefined
    }
    pieces.push(value)
  }
  const bytes = new Uint8Array(length)
  let at = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.byteLength
  }
  return bytes
}

/** Headers that belong to one exchange, or that the gate writes itself. */
const NOT_STORED = new Set(
  `age cache-control cache-status connection content-length date keep-alive proxy-authenticate rag-gate server-timing te
  trailer transfer-encoding upgrade`.split(/\s+/),
)

function cachedAnswer(
  { connected }: Exchange,
  { decision }: Judged,
  key: string,
  lifetime: number,
  report: AnswerReport,
  response: Response,
  body: string,
): CachedAnswer {
  return {
    schema: 1,
    key,
    storedAtMs: connected.clock.nowMs(),
    lifetimeSeconds: lifetime,
    status: response.status,
    headers: [...response.headers].filter(([name]) => !NOT_STORED.has(name)),
    body,
    decision,
    ...(report.model === undefined ? {} : { model: report.model }),
    epochs: {},
  }
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
  { settings, connected, asked, startedMs }: Exchange,
  response: Response,
  { decision, cache, timings, report }: Outcome,
): void {
  const state: CacheState = cache.kind === 'hit' ? 'hit' : cache.why === 'bypass' ? 'bypass' : 'miss'
  const nowMs = connected.clock.nowMs()
  const spent = { ...timings, totalMs: nowMs - startedMs }
  const eventId = state === 'hit' ? newId(connected.clock) : decision.id
  response.headers.set('rag-gate', ragGateHeader(decision, eventId, settings.mode))
  response.headers.set('cache-status', cacheStatusHeader(cache))
  response.headers.set('server-timing', serverTimingHeader(spent))
  if (!response.headers.has('cache-control')) response.headers.set('cache-control', 'private, no-store')
  const event: DecisionEvent = {
    id: eventId,
    decision,
    atMs: nowMs,
    mode: settings.mode,
    route: routePath(c),
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
