/** Chooses the response to a gated question: a stored answer, a refusal, or the handler's answer. */
import type { Context, Next } from 'hono'
import type { StatusCode } from 'hono/utils/http-status'
import { judgesAnswers } from '../core/policy/judge.ts'
import type { Decision, Timings } from '../core/policy/decision.ts'
import type { Policy } from '../core/policy/policy.ts'
import { buildRefusal } from '../core/reports/refusal.ts'
import type { FoundAnswer, Lookup, Made } from '../pipeline/gate-cache.ts'
import type { GateResult, JudgedResult } from '../pipeline/gate-question.ts'
import { discard } from '../http/discard.ts'
import { putResponse, requireSendable } from './context-response.ts'
import type { Exchange } from './exchange.ts'
import type { AnswerReport, RagGateEnv } from './gate-context.ts'
import { handOver, type HandlersAnswer, showToHandler } from './hand-over.ts'
import type { JudgedAnswer } from './answer-judge.ts'
import { mergedHeaders } from './merged-headers.ts'
import { errorOf, statusOf } from './respond.ts'

type GateContext<Bindings extends object> = Context<RagGateEnv<Bindings>>

/** The response, and how it was made. */
export interface Reply extends Recorded, Chosen {
  /** The stored answer that is sent; absent for a new answer. */
  readonly found?: FoundAnswer
  /** The handler's reports; absent if it was not called. It may have failed, and a stored answer be sent. */
  readonly reported?: () => AnswerReport
  /** Present if an error replaces the response. */
  readonly failure?: { readonly thrown: unknown }
}

/** Facts that are recorded for every question. */
interface Recorded {
  readonly decision: Decision
  /** The policy that decided. */
  readonly policy: Policy
  readonly timings: Timings
  /** Number of retrievals for this question. */
  readonly retrievals: number
  /** Absent if the cache was not used. */
  readonly lookup: Lookup | undefined
}

/** The response, and what the cache may store of it. */
interface Chosen {
  readonly response: Response
  readonly made: Made
}

/** Makes the response to a gated question. It does not throw; errors become `failure`. */
export async function replyTo<Bindings extends object>(
  c: GateContext<Bindings>,
  next: Next,
  exchange: Exchange,
  gated: GateResult,
): Promise<Reply> {
  const { policy, timings = {}, retrievals, lookup } = gated
  const { decision } = gated.kind === 'cached' ? gated.found.answer : gated
  const known: Recorded = { decision, policy, timings, retrievals, lookup }
  try {
    if (gated.kind === 'cached') return { ...known, ...(await storedReply(c, exchange, gated.found)) }
    if (decision.verdict === 'refuse' && exchange.settings.mode === 'enforce')
      return { ...known, ...(await refusal(c, exchange, gated, { decision, unsupported: [] })) }
    // The client may have disconnected during the search; then no model is called.
    exchange.received.signal.throwIfAborted()
    return await handlersReply(c, next, exchange, gated, known)
  } catch (thrown) {
    return { ...known, ...failed(c.newResponse(null), thrown, exchange) }
  }
}

/** Calls the handler, judges its answer, and chooses the response. */
async function handlersReply<Bindings extends object>(
  c: GateContext<Bindings>,
  next: Next,
  exchange: Exchange,
  gated: JudgedResult,
  before: Recorded,
): Promise<Reply> {
  // Headers set by middleware around the gate, copied because Hono adds the handler's headers to the same object.
  const left = new Response(null, c.newResponse(null))
  const reported = showToHandler(c, exchange, gated)
  let known = { ...before, reported }
  let answer: HandlersAnswer | undefined
  try {
    answer = await handOver(c, next, exchange, left)
    known = { ...known, timings: { ...known.timings, generationMs: answer.generationMs } }
    const found = standIn(exchange, gated, answer)
    if (found !== undefined) {
      discard(answer.response)
      return { ...known, ...(await storedReply(c, exchange, found)) }
    }
    const judged = await judgedAnswer(exchange, gated, answer, reported)
    known = { ...known, decision: judged.decision }
    const chosen = judged.isRefused
      ? await refusalInstead(c, exchange, gated, judged, answer)
      : answerAsMade(exchange, gated, judged, answer, reported)
    // A response of the application's `onError` is a failure, even with status 200.
    const isFailure = answer.error !== undefined || chosen.response.status >= 500
    return { ...known, ...chosen, ...(isFailure && { made: { kind: 'failure' } }) }
  } catch (thrown) {
    if (answer !== undefined) discard(answer.response)
    return { ...known, ...failed(left, thrown, exchange) }
  }
}

/** Judges the answer by the policy's gates for answers; without any it is unchanged. */
async function judgedAnswer(
  exchange: Exchange,
  gated: JudgedResult,
  { response }: HandlersAnswer,
  reported: () => AnswerReport,
): Promise<JudgedAnswer> {
  const { settings, request, messages } = exchange
  const { answerJudge, mode, streamStartTimeoutMs: timeoutMs } = settings
  if (answerJudge === undefined) {
    return { decision: gated.decision, isRefused: false, unsupported: [], response }
  }
  return answerJudge.judge({ ...request, messages, mode, timeoutMs, gated, response, report: reported() })
}

/** An expired stored answer, if the handler failed and one may be sent. */
function standIn({ cache }: Exchange, { lookup }: JudgedResult, answer: HandlersAnswer): FoundAnswer | undefined {
  const { response, error: thrown } = answer
  return lookup && cache?.standIn(lookup, { by: 'handler', status: response.status, thrown })
}

async function storedReply<Bindings extends object>(
  c: GateContext<Bindings>,
  exchange: Exchange,
  found: FoundAnswer,
): Promise<Chosen & Pick<Reply, 'found' | 'decision'>> {
  // An answer was found, so there is a cache.
  const { body, status, headers } = await exchange.cache!.contentOf(found)
  // It was sent with this status before, so it is valid.
  const response = c.newResponse(body, status as StatusCode, headers)
  return { response, made: { kind: 'found', found }, found, decision: found.answer.decision }
}

/** Statuses of responses that have no body. */
const BODILESS = [204, 205, 304]

/** The policy's refusal, or the application's own. @throws `config_invalid` if `onRefuse` returned something other than a response */
async function refusal<Bindings extends object>(
  c: GateContext<Bindings>,
  { settings, request: { audience }, messages }: Exchange,
  { evidence, policy }: JudgedResult,
  { decision, unsupported }: Pick<JudgedAnswer, 'decision' | 'unsupported'>,
): Promise<Chosen> {
  const { onRefuse, closestPassages } = settings
  const reportOptions = { audience, policy, unsupported, closestPassages, messages }
  const refused = buildRefusal(decision, evidence.chunks, reportOptions)
  const own = await onRefuse?.(decision, c, refused)
  // With the status that `onRefuse` may have set.
  const empty = c.newResponse(null)
  if (own !== undefined) {
    requireSendable(own, 'onRefuse')
    const headers = mergedHeaders(empty.headers, own.headers)
    return { response: new Response(own.body, { status: own.status, headers }), made: { kind: 'nothing' } }
  }
  if (BODILESS.includes(empty.status)) return { response: empty, made: { kind: 'nothing' } }
  const body = JSON.stringify(refused)
  const response = c.newResponse(body, { headers: { 'content-type': 'application/json' } })
  return { response, made: { kind: 'refusal', body, status: response.status, decision } }
}

/** Headers of an answer that a refusal in its place keeps: CORS, `Vary` and cookies. */
const KEPT = /^(?:access-control-|vary$|set-cookie$)/

/** Replaces an answer by a refusal. */
async function refusalInstead<Bindings extends object>(
  c: GateContext<Bindings>,
  exchange: Exchange,
  gated: JudgedResult,
  judged: JudgedAnswer,
  answer: HandlersAnswer,
): Promise<Chosen> {
  discard(answer.response)
  putResponse(c, new Response(null, { headers: mergedHeaders(answer.outer, answer.response.headers, KEPT) }))
  return refusal(c, exchange, gated, judged)
}

/** The handler's answer, unchanged. */
function answerAsMade(
  { received }: Exchange,
  { policy }: JudgedResult,
  { decision, response: passed }: JudgedAnswer,
  answer: HandlersAnswer,
  reported: () => AnswerReport,
): Chosen {
  // A HEAD response has no body to store.
  const isHead = received.method === 'HEAD'
  if (isHead) discard(passed)
  const response = isHead ? new Response(null, passed) : passed
  const isUnjudged = response.status >= 400 && judgesAnswers(policy)
  const made: Made =
    isHead || isUnjudged ? { kind: 'nothing' } : { kind: 'answer', response, outer: answer.outer, decision, reported }
  return { response, made }
}

/** An error response with the headers that outer middleware had set. A disconnected client does not count as a failure. */
function failed({ headers }: Response, thrown: unknown, { received }: Exchange): Chosen & Pick<Reply, 'failure'> {
  const status = statusOf(errorOf(received.signal, thrown).code)
  return { response: new Response(null, { status, headers }), made: { kind: 'failure' }, failure: { thrown } }
}
