/** The way of an answer: the handler makes it, the policy may judge it, and it is sent and kept, or a refusal instead. */
import type { Context, Next } from 'hono'
import { buildRefusal } from '../core/reports/refusal.ts'
import { mergedHeaders, outerHeaders } from './merged-headers.ts'
import { judgeResponse, resendAnswer } from './judge-response.ts'
import { mediaTypeOf } from '../http/media-type.ts'
import { answerMeasure } from '../core/policy/judge.ts'
import type { Decision } from '../core/policy/decision.ts'
import { errorForLog } from '../errors.ts'
import type { JudgedResult } from '../pipeline/gate-question.ts'
import type { FoundAnswer } from '../pipeline/question-cache.ts'
import type { Exchange } from './exchange.ts'
import { type AnswerEnd, finish } from './finish.ts'
import type { ExchangeCache, Made } from './gate-cache.ts'
import { makeGateContext, type AnswerReport } from './gate-context.ts'
import type { RagGateEnv } from './gate-context.ts'
import { statusOf } from './respond.ts'
import { withSilenceLimit } from './silence-limit.ts'
import { withStreamEnd } from './stream-end.ts'

type GateContext<Bindings extends object> = Context<RagGateEnv<Bindings>>

/** Lets the handler answer, and has its answer judged where the policy judges answers. */
export async function respondThroughHandler<Bindings extends object>(
  c: GateContext<Bindings>,
  next: Next,
  exchange: Exchange,
  judged: JudgedResult,
): Promise<void> {
  const { dependencies, request, messages } = exchange
  const { gateContext, reported } = makeGateContext({
    question: request.question,
    principal: request.principal,
    decision: judged.decision,
    evidence: judged.evidence,
    audience: request.audience,
    context: judged.context,
    policy: judged.policy,
    ...(messages && { messages }),
  })
  c.set('ragGate', gateContext)
  const answer: HandlersAnswer = { reported, outer: outerHeaders(c), decision: judged.decision }
  const generationStartedMs = dependencies.clock.nowMs()
  try {
    await next()
    answer.generationMs = dependencies.clock.nowMs() - generationStartedMs
    await sendAnswer(c, exchange, judged, answer)
  } catch (thrown) {
    // What could not be judged is not sent, whoever answers the error.
    discard(c.res)
    replaceResponse(c, new Response(null, { status: 500, headers: answer.outer }))
    finishFailed(c, exchange, judged, answer)
    throw thrown
  }
}

/** Records a decision whose answer could not be sent; a second failure must not hide the first. */
function finishFailed<Bindings extends object>(
  c: GateContext<Bindings>,
  exchange: Exchange,
  { policy, timings, retrievals }: JudgedResult,
  { decision, generationMs, reported }: HandlersAnswer,
): void {
  const taken = generationMs === undefined ? timings : { ...timings, generationMs }
  const end = { report: reported() }
  try {
    finish(c, exchange, c.res, { decision, policy, handler: 'called', timings: taken, end, retrievals })
  } catch (thrown) {
    console.error(`[rag-gate] ${errorForLog(thrown)}`)
  }
}

/** What becomes known of an answer. */
interface HandlersAnswer {
  readonly reported: () => AnswerReport
  /** Headers from before it. */
  readonly outer: Headers
  /** As far as it was judged. */
  decision: Decision
  /** How long the handler took. */
  generationMs?: number
}

/** Judges the handler's answer, keeps it, and sends it, or what takes its place. */
async function sendAnswer<Bindings extends object>(
  c: GateContext<Bindings>,
  exchange: Exchange,
  judged: JudgedResult,
  answer: HandlersAnswer,
): Promise<void> {
  const { reported, outer, generationMs = 0 } = answer
  const { cache } = exchange
  const standIn = cache?.question.standIn({ by: 'handler', status: c.res.status, thrown: c.error })
  if (cache !== undefined && standIn !== undefined) {
    discard(c.res)
    replaceResponse(c, new Response(null, { headers: outer }))
    return respondWithStandIn(c, exchange, cache, standIn, judged, generationMs)
  }
  const second = await judgeAnswerOf(c, exchange, judged, answer)
  // Before a copy is taken: a stream that is given up is so for whoever reads it.
  if (isStream(c.res))
    replaceResponse(c, c.req.method === 'HEAD' ? unread(c.res) : withSilenceLimit(c.res, exchange.settings))
  cache?.keep(madeOf(c, judged, answer, second))
  const end = endOf(c, reported)
  finish(c, exchange, writableResponse(c), {
    decision: answer.decision,
    policy: judged.policy,
    handler: 'called',
    timings: { ...judged.timings, generationMs },
    end,
    retrievals: judged.retrievals,
  })
}

/** How an answer ended. What a stream used, and whether it broke off, is known at its end: the record waits for that. */
function endOf<Bindings extends object>(
  c: GateContext<Bindings>,
  reported: () => AnswerReport,
): AnswerEnd | Promise<AnswerEnd> {
  if (!isStream(c.res)) return { report: reported() }
  const requestId = crypto.randomUUID()
  const { response, ended } = withStreamEnd(c.res, requestId)
  replaceResponse(c, response)
  const { signal } = c.req.raw
  return ended.then((failure) => {
    // Whoever left is told nothing any more, and the model did not fail.
    if (failure === undefined || signal.aborted) return { report: reported() }
    console.error(`[rag-gate] ${errorForLog(failure, requestId)}`)
    return { report: reported(), status: statusOf(failure.code) }
  })
}

/** A stream that nobody reads, since only its headers were asked for. */
function unread(response: Response): Response {
  discard(response)
  return new Response(null, response)
}

/** Nobody reads it any more: whoever makes it may stop. */
function discard({ body }: Response): void {
  if (body?.locked === false) body.cancel().catch(() => undefined)
}

/** Whether a response is a stream of events. */
function isStream({ body, headers }: Response): boolean {
  return body !== null && mediaTypeOf(headers.get('content-type')) === 'events'
}

/** What a cache is told of an answer. What the application's `onError` answered is no answer, whatever its status. */
function madeOf<Bindings extends object>(
  c: GateContext<Bindings>,
  { policy }: JudgedResult,
  { decision, reported }: HandlersAnswer,
  { refusal, refusedBy }: SecondStage,
): Made {
  const { status } = c.res
  if (c.error !== undefined || status >= 500) return { kind: 'failure' }
  // Of a stream whose headers were asked for there is no answer to keep.
  if (refusedBy !== undefined || c.req.method === 'HEAD') return { kind: 'nothing' }
  if (refusal !== undefined) return { kind: 'refusal', body: refusal, status, decision, policy }
  // It was not judged: it is sent this once.
  if (status >= 400 && answerMeasure(policy) !== undefined) return { kind: 'nothing' }
  return { kind: 'answer', response: c.res, decision, policy, reported }
}

/** Sends an answer past its lifetime instead of the handler's failure. */
async function respondWithStandIn<Bindings extends object>(
  c: GateContext<Bindings>,
  exchange: Exchange,
  cache: ExchangeCache,
  found: FoundAnswer,
  { policy, timings, retrievals }: JudgedResult,
  generationMs: number,
): Promise<void> {
  c.res = await cache.send(found)
  const { decision } = found.answer
  finish(c, exchange, c.res, {
    decision,
    policy,
    found,
    handler: 'called',
    timings: { ...timings, generationMs },
    retrievals,
  })
}

/** Headers of an answer that a refusal in its place keeps: who may read it, and cookies. */
const KEPT = /^(?:access-control-|vary$|set-cookie$)/

/** What the second stage sent in place of an answer; nothing of it where the answer stands. */
interface SecondStage {
  /** The body that was sent in place of the answer. */
  readonly refusal?: string
  /** Present when the application made the refusal by itself. */
  readonly refusedBy?: 'application'
}

/**
 * Has an answer judged before it is sent, by the policies that judge answers, and notes the decision. A refusal takes its place; in `observe` mode
 * it is only recorded. What says by its status that it is no answer is not judged; what was answered in place of a handler
 * that failed is.
 */
async function judgeAnswerOf<Bindings extends object>(
  c: GateContext<Bindings>,
  exchange: Exchange,
  { decision, evidence, context, policy }: JudgedResult,
  answer: HandlersAnswer,
): Promise<SecondStage> {
  const { settings, request, messages } = exchange
  const measure = answerMeasure(policy)
  if (measure === undefined || c.res.status >= 400) return {}
  // In `observe` mode the response stays as it is: a copy is judged, and the verdict only recorded. The same with disabled gates.
  const observing = settings.mode === 'observe' || policy.dangerouslyDisableGates === true
  const read = observing ? c.res.clone() : c.res
  const judged = await judgeResponse(read, {
    question: request.question,
    decision,
    evidence,
    shown: context.chunks,
    policy,
    measure,
    audience: request.audience,
    ...(messages && { messages }),
    report: answer.reported(),
    generationConfidence: settings.generationConfidence,
    silenceMs: settings.streamStartTimeoutMs,
  })
  answer.decision = judged.decision
  if (observing) {
    // What is left of a copy that was not read through would pile up behind the one that is sent.
    discard(read)
    return {}
  }
  if (judged.decision.verdict === 'refuse') {
    const { decision: refused, unsupported } = judged
    const { closestPassages } = settings
    const telling = { audience: request.audience, policy, unsupported, closestPassages, ...(messages && { messages }) }
    const refusal = JSON.stringify(buildRefusal(refused, evidence.chunks, telling))
    // Before it is asked: Hono gives what it makes the headers and the status of the answer.
    discard(c.res)
    const headers = mergedHeaders(answer.outer, c.res.headers, KEPT)
    replaceResponse(c, new Response(null, { headers }))
    c.status(200)
    const own = await settings.onRefuse?.(refused, c)
    // With the status that `onRefuse` may have set.
    const { body, status } = own ?? c.newResponse(refusal)
    const sent = mergedHeaders(headers, own?.headers ?? new Headers({ 'content-type': 'application/json' }))
    replaceResponse(c, new Response(body, { status, headers: sent }))
    return own === undefined ? { refusal } : { refusedBy: 'application' }
  }
  if (judged.body !== undefined) replaceResponse(c, resendAnswer(c.res, judged.body))
  return {}
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
