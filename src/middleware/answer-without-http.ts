/** The whole route without HTTP: gating, answering, judging, caching and recording. */
import type { CacheState, Decision } from '../core/policy/decision.ts'
import type { Policy } from '../core/policy/policy.ts'
import type { Evidence } from '../core/evidence/evidence.ts'
import { canonicalJson } from '../core/lib/canonical.ts'
import { boolean, callable, requireOptions, string } from '../core/lib/options.ts'
import { CAUTION_FOR_READER } from '../core/reports/caution.ts'
import { isRagGateError, RagGateError } from '../errors.ts'
import { type FoundAnswer, type Made, NO_CACHE, type QuestionCache } from '../pipeline/gate-cache.ts'
import { gateQuestion, type GateResult, type JudgedResult } from '../pipeline/gate-question.ts'
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
  NO_REQUEST,
  readAsked,
} from './gate-without-http.ts'
import { later, type Lasting } from './later.ts'
import { recordDecision } from './record.ts'
import { statusOf } from './respond.ts'

/** Settings of `answerWithoutHttp` and `openWithoutHttp`: those of `gateWithoutHttp`, with an answer cache. */
export interface AnswerWithoutHttpOptions extends Omit<GateWithoutHttpOptions, 'dependencies'> {
  /** Those of `ragGate` without `authenticate`; each question names its principal. */
  readonly dependencies: Omit<GateDependencies, 'authenticate'>
  /**
   * Whether questions name their principal. If not, an answer cache must have the scope `public`.
   *
   * @default false
   */
  readonly tellsCallersApart?: boolean
  /**
   * Keeps a Worker alive for caching and recording after the answer.
   *
   * @default that work runs without it
   */
  readonly waitUntil?: (work: Promise<unknown>) => void
}

/** A question, its principal, and everything else that the answer depends on. */
export interface AskedForAnswer extends AskedWithoutHttp {
  /** Values by name, part of the answer keys. @default nothing */
  readonly vary?: Readonly<Record<string, string>>
}

/** An answer to a question that may be answered. */
export interface MadeAnswer extends AnswerReport {
  readonly answer: string
  /** Whether it may be cached: only if its text is the whole answer. @default true */
  readonly isKept?: boolean
}

/** An answered or refused question. */
export interface AnsweredWithoutHttp {
  /** The answer or refusal, in the form of `POST /ask`. */
  readonly body: { readonly answer: string; readonly refused: boolean; readonly [member: string]: unknown }
  readonly decision: Decision
  readonly policy: Policy
  /** Absent if the answer came from the cache. */
  readonly evidence?: Evidence
  readonly cache: CacheState
}

/** A question that may be answered. Call exactly one of the functions, once, with the result. */
export interface OpenQuestion {
  readonly gate: RagGateContext
  readonly policy: Policy
  /** Judges, caches and records an answer. @returns the answer, or the refusal that replaces it */
  readonly answered: (made: MadeAnswer) => AnsweredWithoutHttp
  /** Reports that the model failed. @returns an expired answer to send instead, if there is one */
  readonly failed: (thrown: unknown) => Promise<AnsweredWithoutHttp | undefined>
  /** Records a result that must not be cached, such as a tool call, or a stream that broke off. @param status HTTP status */
  readonly ended: (status: number) => void
}

/** A question after gating: already answered, from the cache or by a refusal, or open for an answer. */
export type Opened =
  | { readonly kind: 'answered'; readonly by: AnsweredWithoutHttp }
  | { readonly kind: 'open'; readonly question: OpenQuestion }

/**
 * Makes a route like `ragGate`'s for questions without an HTTP request.
 *
 * @returns a function that answers a question, and calls `make` only if it may be answered. It throws the errors of
 *   `ragGate`, what `make` throws, and `llm_bad_response` if `make` returns no answer
 * @throws `config_invalid`, `policy_invalid`, `cache_scope_required` for invalid options
 */
export function answerWithoutHttp(
  options: AnswerWithoutHttpOptions,
): (
  asked: AskedForAnswer,
  make: (gate: RagGateContext, policy: Policy) => Promise<MadeAnswer>,
) => Promise<AnsweredWithoutHttp> {
  const open = openWithoutHttp(options)
  return async function answer(asked, make) {
    const opened = await open(asked)
    if (opened.kind === 'answered') return opened.by
    const { gate, policy, answered, failed } = opened.question
    let made: MadeAnswer
    try {
      made = await make(gate, policy)
      if (typeof made?.answer !== 'string') throw new RagGateError('llm_bad_response', 'The result contains no answer')
    } catch (thrown) {
      const standsIn = await failed(thrown)
      if (standsIn === undefined) throw thrown
      return standsIn
    }
    return answered(made)
  }
}

/**
 * The same for answers that are streamed.
 *
 * @returns a function that gates a question, and throws the errors of `ragGate`
 * @throws the same as `answerWithoutHttp`
 */
export function openWithoutHttp(given: AnswerWithoutHttpOptions): (asked: AskedForAnswer) => Promise<Opened> {
  const {
    route = 'without-http',
    tellsCallersApart = false,
    answer: answerOptions,
    waitUntil = () => undefined,
    ...options
    // An untyped caller may pass nothing.
  } = given ?? {}
  const own = { route, tellsCallersApart, waitUntil }
  requireOptions<Partial<typeof own>>(own, { route: string, tellsCallersApart: boolean, waitUntil: callable })
  const settings = checkOptions({ ...options, answer: { judge: answerJudge(answerOptions) } })
  // This only tells the cache that callers are identified; the principal comes with each question.
  const identity = tellsCallersApart ? { authenticate: () => null } : {}
  const dependencies = dependenciesFor({ ...options.dependencies, ...identity }, settings)({})
  const lasting = { executionCtx: { waitUntil } }
  return async function open(question) {
    const { vary = {}, ...who } = question ?? {}
    if (tellsCallersApart && who.principal === undefined) {
      throw new RagGateError('unauthorized', 'principal is missing', { param: 'principal' })
    }
    const asked = readAsked(who, settings, dependencies, route)
    const { request, startedMs } = asked
    const { key: messages } = settings.messagesFor(NO_REQUEST)
    const cache = dependencies.cache?.open({
      request,
      // A placeholder without cache directives or anything else that an answer depends on.
      received: new Request('https://without-http.invalid/'),
      path: route,
      queries: () => undefined,
      options: {
        vary: canonicalJson(vary),
        messages,
        closestPassages: String(settings.closestPassages),
      },
      startedMs,
      later: (work) => later(lasting, work),
    })
    const gated = await gateQuestion(dependencies, settings, request, cache)
    return gated.kind === 'cached'
      ? { kind: 'answered', by: await stored(asked, cache!, gated, gated.found, lasting) }
      : opened(asked, cache, gated, lasting)
  }
}

function opened(asked: AskedOnItsWay, cache: QuestionCache | undefined, gated: JudgedResult, lasting: Lasting): Opened {
  const { lookup, evidence, policy } = gated
  const question = gatedQuestion(asked, gated)
  const { gate, reported } = question
  const record = (made: Made, status = 200): CacheState => {
    cache?.store(lookup, made)
    const outcome = cache?.outcome(lookup, undefined) ?? NO_CACHE
    later(lasting, () => question.record(status, outcome))
    return outcome.state
  }
  const sent = (body: AnsweredWithoutHttp['body'], made: Made): AnsweredWithoutHttp => {
    const state = record(made)
    return { body, decision: question.decided(), policy, evidence, cache: state }
  }
  const refused = (refusal: NonNullable<typeof question.refusal>): AnsweredWithoutHttp =>
    sent({ ...refusal }, { kind: 'refusal', body: JSON.stringify(refusal), status: 200, decision: question.decided() })
  if (question.refusal !== undefined) return { kind: 'answered', by: refused(question.refusal) }
  return {
    kind: 'open',
    question: {
      gate,
      policy,
      answered({ answer, isKept = true, ...report }) {
        gate.report(report)
        let refusal: ReturnType<typeof question.judge>
        try {
          refusal = question.judge(answer)
        } catch (thrown) {
          record({ kind: 'failure' }, 500)
          throw thrown
        }
        if (refusal !== undefined) return refused(refusal)
        const summary = question.summary()
        const told = summary.verdict === 'advise' ? { caution: CAUTION_FOR_READER } : {}
        const body = { answer, sources: gate.citations, refused: false, ...told, ...summary }
        const made = { response: Response.json(body), outer: new Headers(), decision: question.decided() }
        return sent(body, isKept ? { kind: 'answer', ...made, reported } : { kind: 'nothing' })
      },
      async failed(thrown) {
        const status = isRagGateError(thrown) ? statusOf(thrown.code) : 502
        const found = lookup && cache!.standIn(lookup, { by: 'handler', status, thrown })
        if (found !== undefined) return stored(asked, cache!, gated, found, lasting, reported())
        record({ kind: 'failure' }, status)
        return undefined
      },
      ended: (status) => void record({ kind: status < 400 ? 'nothing' : 'failure' }, status),
    },
  }
}

async function stored(
  asked: AskedOnItsWay,
  cache: QuestionCache,
  { lookup, policy, retrievals, timings }: GateResult,
  found: FoundAnswer,
  lasting: Lasting,
  report?: AnswerReport,
): Promise<AnsweredWithoutHttp> {
  const { dependencies, startedMs } = asked
  const { body } = await cache.contentOf(found)
  const { decision } = found.answer
  cache.store(lookup, { kind: 'found', found })
  const outcome = cache.outcome(lookup, found)
  const atMs = dependencies.clock.nowMs()
  const known = { id: newId(dependencies.clock), atMs, status: 200, timings: { ...timings, totalMs: atMs - startedMs } }
  later(lasting, () => recordDecision(asked, { decision, policy, found, retrievals }, report, outcome, known))
  // It was written as JSON, here or by a route with the same name.
  const stored: AnsweredWithoutHttp['body'] = await new Response(body).json()
  return { body: stored, decision, policy, cache: outcome.state }
}
