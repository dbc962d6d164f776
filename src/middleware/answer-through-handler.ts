/** The way of an answer: the handler makes it, the policy may judge it, and it is sent and kept, or a refusal instead. */
import type { Context, Next } from 'hono'
import { buildRefusal } from '../core/reports/refusal.ts'
import { judgeResponse, replaceAnswer, resendAnswer } from './judge-response.ts'
import { answerMeasure } from '../core/policy/judge.ts'
import type { Decision } from '../core/policy/decision.ts'
import { isRagGateError } from '../errors.ts'
import type { CachedResult } from '../pipeline/gate-question.ts'
import { storeAnswer, storeRefusal } from './store-answer.ts'
import { storedResponse } from './stored-response.ts'
import { storingOf, keep, finish, forwarded, retrievalTimings } from './finish.ts'
import { makeGateContext, type AnswerReport } from './gate-context.ts'
import type { Exchange, Judged } from './finish.ts'
import type { RagGateEnv } from './gate-context.ts'

type GateContext<Bindings extends object> = Context<RagGateEnv<Bindings>>

/** Lets the handler answer, and has its answer judged where the policy judges answers. */
export async function respondThroughHandler<Bindings extends object>(
  c: GateContext<Bindings>,
  next: Next,
  exchange: Exchange,
  judged: Judged,
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
    ...(messages === undefined ? {} : { messages }),
  })
  c.set('ragGate', gateContext)
  const generationStartedMs = dependencies.clock.nowMs()
  await next()
  const generationMs = dependencies.clock.nowMs() - generationStartedMs
  if (judged.standIn !== undefined && FAULTS.has(c.res.status)) {
    return respondWithStandIn(c, exchange, judged, judged.standIn, generationMs)
  }
  const second = await judgeAnswerOf(c, exchange, judged, reported())
  const storing = storingOf(exchange, { ...judged, decision: second.decision }, reported)
  // What the application's `onError` answered is no answer to the question, whatever its status.
  const { refusal, refusedBy } = second
  const store = (): ReturnType<typeof storeAnswer> => {
    if (storing === undefined || c.error !== undefined || refusedBy !== undefined) return undefined
    return refusal === undefined ? storeAnswer(c.res, storing) : storeRefusal(refusal, c.res.status, storing)
  }
  keep(c, judged.lead, store, c.error !== undefined || c.res.status >= 500 ? 'failed' : 'not-stored')
  finish(c, exchange, writableResponse(c), {
    decision: second.decision,
    policy: judged.policy,
    cache: forwarded(exchange, judged),
    timings: { ...retrievalTimings(judged), generationMs },
    report: reported(),
    retrievals: judged.retrievals,
  })
}

/** Statuses of a handler that has no answer. @see RFC 5861, section 4 */
const FAULTS: ReadonlySet<number> = new Set([500, 502, 503, 504])

/** Sends an answer past its lifetime instead of the handler's failure. */
async function respondWithStandIn<Bindings extends object>(
  c: GateContext<Bindings>,
  exchange: Exchange,
  judged: Judged,
  { answer, policy, ageSeconds, ttlSeconds, cache: kind, retrievals }: CachedResult,
  generationMs: number,
): Promise<void> {
  exchange.settings.onWarning({
    code: isRagGateError(c.error) ? c.error.code : 'handler_failed',
    message: `The handler answered ${c.res.status}: an answer past its lifetime is sent`,
    ...(c.error === undefined ? {} : { cause: c.error }),
  })
  await c.res.body?.cancel().catch(() => undefined)
  c.res = undefined
  c.res = await storedResponse(c, answer)
  keep(c, judged.lead, () => undefined, 'failed')
  finish(c, exchange, c.res, {
    decision: answer.decision,
    policy,
    cache: { kind, ageSeconds, ttlSeconds, principalId: answer.principalId },
    timings: { ...retrievalTimings(judged), generationMs },
    report: {},
    retrievals,
  })
}

/** What the second stage made of an answer. */
interface SecondStage {
  readonly decision: Decision
  /** The body that was sent in place of the answer. */
  readonly refusal?: string
  /** Present when the application made the refusal by itself. */
  readonly refusedBy?: 'application'
}

/**
 * Has an answer judged before it is sent, by the policies that judge answers. A refusal takes its place; in `observe` mode
 * it is only recorded. What the handler itself says is no answer, by its status, is not judged.
 */
async function judgeAnswerOf<Bindings extends object>(
  c: GateContext<Bindings>,
  exchange: Exchange,
  { decision, evidence, context, policy }: Judged,
  report: AnswerReport,
): Promise<SecondStage> {
  const { settings, request, messages } = exchange
  const measure = answerMeasure(policy)
  if (measure === undefined || c.error !== undefined || c.res.status >= 400) return { decision }
  // In `observe` mode the response stays as it is: a copy is judged, and the verdict only recorded. The same with disabled gates.
  const observing = settings.mode === 'observe' || policy.dangerouslyDisableGates === true
  const judged = await judgeResponse(observing ? c.res.clone() : c.res, {
    question: request.question,
    decision,
    evidence,
    shown: context.chunks,
    policy,
    measure,
    audience: request.audience,
    ...(messages === undefined ? {} : { messages }),
    report,
    generationConfidence: settings.generationConfidence,
    maxBytes: settings.maxJudgedBytes,
  })
  if (observing) return { decision: judged.decision }
  if (judged.decision.verdict === 'refuse') {
    const { decision: refused, unsupported } = judged
    const { closestPassages } = settings
    const telling = { audience: request.audience, policy, unsupported, closestPassages, ...(messages && { messages }) }
    const refusal = JSON.stringify(buildRefusal(refused, evidence.chunks, telling))
    const own = await settings.onRefuse?.(refused, c)
    replaceResponse(c, own ?? replaceAnswer(c.res, refusal, settings.refusalStatus))
    return { decision: refused, ...(own === undefined ? { refusal } : { refusedBy: 'application' as const }) }
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
