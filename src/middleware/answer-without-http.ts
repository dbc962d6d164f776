/** A route behind the gate without its HTTP: gated, answered, judged, kept in the answer cache, recorded. */
import type { CacheState, Decision } from '../core/policy/decision.ts'
import type { Policy } from '../core/policy/policy.ts'
import type { Evidence } from '../core/evidence/evidence.ts'
import { errorForLog, isRagGateError, RagGateError } from '../errors.ts'
import { type FoundAnswer, type Made, NO_CACHE, type QuestionCache } from '../pipeline/gate-cache.ts'
import { type CachedResult, gateQuestion, type JudgedResult } from '../pipeline/gate-question.ts'
import { newId } from '../pipeline/new-id.ts'
import { answerJudge } from './answer-judge.ts'
import { checkOptions } from './check-options.ts'
import { dependenciesFor, type GateDependencies } from './dependencies.ts'
import type { AnswerReport, RagGateContext } from './gate-context.ts'
import {
  type AskedOnItsWay,
  type AskedWithoutHttp,
  gatedQuestion,
  type GateWithoutHttpOptions,
  readAsked,
} from './gate-without-http.ts'
import { eventOf } from './record.ts'
import { statusOf } from './respond.ts'

/** Settings of `answerWithoutHttp`: those of `gateWithoutHttp`, with an answer cache. */
export interface AnswerWithoutHttpOptions extends Omit<GateWithoutHttpOptions, 'dependencies' | 'mode'> {
  /** As those of `ragGate`; who asks is said with each question. */
  readonly dependencies: Omit<GateDependencies, 'authenticate'>
  /**
   * Whether each question says who asks: without, an answer cache must be of the scope `public`.
   *
   * @default false
   */
  readonly tellsCallersApart?: boolean
}

/** What answers a question that got through. */
export interface MadeAnswer extends AnswerReport {
  readonly answer: string
}

/** A question with what became of it. */
export interface AnsweredWithoutHttp {
  /** The answer, or the refusal in its place, as `POST /ask` has it. */
  readonly body: { readonly answer: string; readonly refused: boolean; readonly [member: string]: unknown }
  readonly decision: Decision
  readonly policy: Policy
  /** Absent where the answer was stored before. */
  readonly evidence?: Evidence
  readonly cache: CacheState
}

/**
 * Makes a route of `ragGate` for questions that come by no request.
 *
 * @returns answers a question: `make` is called only where it may be answered. It throws what `ragGate` answers with an
 *   error, and what `make` throws
 * @throws `config_invalid`, `policy_invalid`, `cache_scope_required` for options that are out of range
 */
export function answerWithoutHttp({
  route = 'without-http',
  tellsCallersApart = false,
  answer: answerOptions,
  ...options
}: AnswerWithoutHttpOptions): (
  asked: AskedWithoutHttp,
  make: (gate: RagGateContext, policy: Policy) => Promise<MadeAnswer>,
) => Promise<AnsweredWithoutHttp> {
  const settings = checkOptions({ ...options, answer: { judge: answerJudge(answerOptions) }, mode: 'enforce' })
  // It tells the cache that callers are told apart; who asks comes with the question.
  const identity = tellsCallersApart ? { authenticate: () => null } : {}
  const dependencies = dependenciesFor({ ...options.dependencies, ...identity }, settings)({})
  return async function answer(given, make) {
    if (tellsCallersApart && given.principal === undefined) {
      throw new RagGateError('unauthorized', 'The question does not say who asks', { param: 'principal' })
    }
    const asked = readAsked(given, settings, dependencies, route)
    const cache = openCache(asked)
    const gated = await gateQuestion(dependencies, settings, asked.request, cache)
    if (gated.kind === 'cached') return stored(asked, cache!, gated, gated.found, 'not-called')
    return answered(asked, cache, gated, make)
  }
}

function openCache({ dependencies, request, route, startedMs }: AskedOnItsWay): QuestionCache | undefined {
  return dependencies.cache?.open({
    request,
    // It bars nothing, and brings nothing that an answer depends on.
    received: new Request('https://without-http.invalid/', { method: 'POST' }),
    path: route,
    queries: () => undefined,
    options: {},
    startedMs,
    later,
  })
}

/** Work that no answer waits for, and that cannot harm it. */
function later(work: () => Promise<void> | undefined): void {
  const report = (thrown: unknown): void => console.error(`[rag-gate] after the answer: ${errorForLog(thrown)}`)
  try {
    work()?.catch(report)
  } catch (thrown) {
    report(thrown)
  }
}

async function answered(
  asked: AskedOnItsWay,
  cache: QuestionCache | undefined,
  gated: JudgedResult,
  make: (gate: RagGateContext, policy: Policy) => Promise<MadeAnswer>,
): Promise<AnsweredWithoutHttp> {
  const { lookup, evidence, policy } = gated
  const question = gatedQuestion(asked, gated)
  const ended = (body: AnsweredWithoutHttp['body'], made: Made): AnsweredWithoutHttp => {
    cache?.store(lookup, made)
    const outcome = cache?.outcome(lookup, undefined) ?? NO_CACHE
    later(() => question.record(200, outcome))
    return { body, decision: question.decided(), policy, evidence, cache: outcome.state }
  }
  const refused = (refusal: NonNullable<typeof question.refusal>): AnsweredWithoutHttp =>
    ended({ ...refusal }, { kind: 'refusal', body: JSON.stringify(refusal), status: 200, decision: question.decided() })
  if (question.refusal !== undefined) return refused(question.refusal)
  let made: MadeAnswer
  try {
    made = await make(question.gate, policy)
  } catch (thrown) {
    const status = isRagGateError(thrown) ? statusOf(thrown.code) : 502
    const found = lookup && cache?.standIn(lookup, { by: 'handler', status, thrown })
    if (found !== undefined) return stored(asked, cache!, gated, found, 'called')
    cache?.store(lookup, { kind: 'failure' })
    later(() => question.record(status, cache?.outcome(lookup, undefined)))
    throw thrown
  }
  const { answer, ...report } = made
  question.gate.report(report)
  const refusal = question.judge(answer)
  if (refusal !== undefined) return refused(refusal)
  const { citations: sources, caution, summary } = question.gate
  const body = { answer, sources, refused: false, ...(caution === undefined ? {} : { caution }), ...summary }
  const decision = question.decided()
  const response = Response.json(body)
  return ended(body, { kind: 'answer', response, outer: new Headers(), decision, reported: () => report })
}

async function stored(
  asked: AskedOnItsWay,
  cache: QuestionCache,
  {
    lookup,
    policy,
    retrievals,
    timings,
  }: Pick<CachedResult, 'policy' | 'retrievals' | 'timings'> & {
    readonly lookup?: CachedResult['lookup']
  },
  found: FoundAnswer,
  handler: 'called' | 'not-called',
): Promise<AnsweredWithoutHttp> {
  const { dependencies, request, startedMs } = asked
  const { body } = await cache.contentOf(found)
  const { decision } = found.answer
  cache.store(lookup, { kind: 'found', found })
  const outcome = cache.outcome(lookup, found)
  const atMs = dependencies.clock.nowMs()
  const known = { id: newId(dependencies.clock), atMs, status: 200, timings: { ...timings, totalMs: atMs - startedMs } }
  const event = eventOf(asked, { decision, policy, found, handler, retrievals }, {}, outcome, known)
  later(() => dependencies.record?.(event, request.question))
  // It was written here, or by a route under the same name, as JSON.
  const stored: AnsweredWithoutHttp['body'] = await new Response(body).json()
  return { body: stored, decision, policy, cache: outcome.state }
}
