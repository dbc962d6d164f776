/** The way of an answer: the handler makes it, the policy may judge it, and it is sent and kept, or a refusal instead. */
import type { Context, Next } from 'hono'
import { buildRefusal } from '../core/reports/refusal.ts'
import { judgeResponse, replaceAnswer, resendAnswer } from './judge-response.ts'
import { answerMeasure } from '../core/policy/judge.ts'
import type { Decision } from '../core/policy/decision.ts'
import { storeAnswer, storeRefusal } from './store-answer.ts'
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
  const { dependencies, asked, messages } = exchange
  const { gateContext, reported } = makeGateContext({
    question: asked.question,
    principal: asked.principal,
    decision: judged.decision,
    evidence: judged.evidence,
    audience: asked.audience,
    context: judged.context,
    policy: judged.policy,
    ...(messages === undefined ? {} : { messages }),
  })
  c.set('ragGate', gateContext)
  const generationStartedMs = dependencies.clock.nowMs()
  await next()
  const generationMs = dependencies.clock.nowMs() - generationStartedMs
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
  const { settings, asked, messages } = exchange
  const measure = answerMeasure(policy)
  if (measure === undefined || c.error !== undefined || c.res.status >= 400) return { decision }
  // To observe is not to touch: a copy is read, and what it says is only recorded. The same behind disabled gates.
  const observing = settings.mode === 'observe' || policy.dangerouslyDisableGates === true
  const judged = await judgeResponse(observing ? c.res.clone() : c.res, {
    question: asked.question,
    decision,
    evidence,
    shown: context.chunks,
    policy,
    measure,
    audience: asked.audience,
    ...(messages === undefined ? {} : { messages }),
    report,
    generationConfidence: settings.generationConfidence,
    maxBytes: settings.maxJudgedBytes,
  })
  if (observing) return { decision: judged.decision }
  if (judged.decision.verdict === 'refuse') {
    const { decision: refused, unsupported } = judged
    const { closestPassages } = settings
    const telling = { audience: asked.audience, policy, unsupported, closestPassages, ...(messages && { messages }) }
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
