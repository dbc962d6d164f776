/** The gate of a route without its HTTP: for callers that hold the question already. */
import type { Context } from 'hono'
import { answerMeasure, judgeAnswer, refusedSentences } from '../core/policy/judge-answer.ts'
import type { ReasonCode } from '../core/gates/finding.ts'
import type { Text } from '../core/gates/text.ts'
import type { Decision } from '../core/policy/decision.ts'
import type { Policy } from '../core/policy/policy.ts'
import { buildRefusal, type Refusal } from '../core/reports/refusal.ts'
import { RagGateError } from '../errors.ts'
import { gateQuestion, type JudgedResult } from '../pipeline/gate-question.ts'
import { type CacheOutcome, NO_CACHE } from '../pipeline/gate-cache.ts'
import type { QuestionRequest } from '../pipeline/question-settings.ts'
import type { Principal } from '../ports/authenticator.ts'
import { answerJudge, type AnswerJudgeOptions } from './answer-judge.ts'
import { checkOptions, type RouteSettings } from './check-options.ts'
import { dependenciesFor, type GateDependencies, type ResolvedDependencies } from './dependencies.ts'
import { makeGateContext, type RagGateContext } from './gate-context.ts'
import { questionRequest } from './exchange.ts'
import { ANONYMOUS, requirePrincipal } from './identified.ts'
import type { QuestionOptions, RagGateOptions } from './options.ts'
import { checkQuestion } from './read-question.ts'
import { recordDecision } from './record.ts'

/** Settings of `gateWithoutHttp`: those of `ragGate` that need no request. */
export interface GateWithoutHttpOptions extends Pick<
  RagGateOptions,
  'policy' | 'rules' | 'mode' | 'retrieval' | 'context' | 'closestPassages' | 'onWarning'
> {
  /** As those of `ragGate`, without an answer cache. */
  readonly dependencies: Omit<GateDependencies, 'cache' | 'authenticate'>
  /** Texts instead of the policy's own, by reason code. @default none */
  readonly messages?: Readonly<Record<ReasonCode, Partial<Text>>>
  /** How long questions may be, and where they may be asked. */
  readonly question?: Pick<QuestionOptions, 'maxCodePoints' | 'collections'>
  /** From where the model's confidence is had, for policies that judge it. */
  readonly answer?: AnswerJudgeOptions
  /**
   * Named in the records and in the keys of stored answers: routes over different indexes that share a store need different
   * names.
   *
   * @default 'without-http'
   */
  readonly route?: string
}

/** A question, and who asks it. */
export interface AskedWithoutHttp {
  readonly question: string
  /** @default the first of the gate's */
  readonly collection?: string
  /** @default the anonymous principal of the tenant `default` */
  readonly principal?: Principal
}

/** A question that was judged. */
export interface GatedQuestion {
  readonly decision: Decision
  /** The one that judged. */
  readonly policy: Policy
  /** Present where it is refused: no model may be asked. */
  readonly refusal?: Refusal
  /** What a handler sees of it, refused or not. */
  readonly gate: RagGateContext
  /** None for a question that is refused before it. */
  readonly retrievals: number
  /**
   * Judges the answer by what the model could read, where the policy judges answers.
   *
   * @returns the refusal that takes the answer's place; `undefined` where it may be shown
   */
  readonly judge: (answer: string) => Refusal | undefined
  /** The decision, with what was found of the answer once that was judged. */
  readonly decided: () => Decision
  /**
   * Records the decision, with what was reported of its answer. Call it once.
   *
   * @param status as HTTP has it: 200, or what a failure would be answered with
   * @param cache how an answer cache took part. Default: there is none
   * @returns a promise where there is work left that no answer waits for
   */
  readonly record: (status?: number, cache?: CacheOutcome) => Promise<void> | undefined
}

/**
 * Makes the gate of `ragGate` for questions that come by no request.
 *
 * @returns asks the gate. It throws what `ragGate` answers with an error
 * @throws `config_invalid`, `policy_invalid` for options that are out of range
 */
export function gateWithoutHttp(given: GateWithoutHttpOptions): (asked: AskedWithoutHttp) => Promise<GatedQuestion> {
  // A caller without types may give nothing.
  const { route = 'without-http', answer, ...options } = given ?? {}
  const settings = checkOptions({ ...options, answer: { judge: answerJudge(answer) } })
  const dependencies = dependenciesFor(options.dependencies, settings)({})
  return async function ask(question) {
    const asked = readAsked(question, settings, dependencies, route)
    const gated = await gateQuestion(dependencies, settings, asked.request)
    // Without a cache there is nothing to serve from it.
    if (gated.kind === 'cached') throw new RagGateError('internal', 'There is no cache to answer from')
    return gatedQuestion(asked, gated)
  }
}

/** @throws what questions are refused for; `config_invalid` for a principal that is none */
export function readAsked(
  given: AskedWithoutHttp,
  settings: RouteSettings,
  dependencies: ResolvedDependencies,
  route: string,
): AskedOnItsWay {
  const startedMs = dependencies.clock.nowMs()
  const { question: asked, collection, principal = ANONYMOUS } = given ?? {}
  requirePrincipal(principal, 'principal')
  const read = { question: checkQuestion(asked, settings.question), collection }
  return { settings, dependencies, request: questionRequest(read, principal, settings), route, startedMs }
}

/** One question on its way. */
export interface AskedOnItsWay {
  readonly settings: RouteSettings
  readonly dependencies: ResolvedDependencies
  readonly request: QuestionRequest
  readonly route: string
  readonly startedMs: number
}

/** A question that was judged, for its answer. */
export function gatedQuestion(asked: AskedOnItsWay, gated: JudgedResult): GatedQuestion {
  const { settings, dependencies, request, startedMs } = asked
  const { policy, evidence, context, retrievals, timings } = gated
  const { messages } = settings.messagesFor(NO_REQUEST)
  const reportOptions = { audience: request.audience, policy, messages }
  const { gateContext, reported } = makeGateContext({ ...request, ...gated, ...reportOptions })
  const refuses = (decision: Decision): boolean => decision.verdict === 'refuse' && settings.mode === 'enforce'
  const refusalOf = (decision: Decision, unsupported: readonly string[] = []): Refusal =>
    buildRefusal(decision, evidence.chunks, {
      ...reportOptions,
      unsupported,
      closestPassages: settings.closestPassages,
    })
  const isRefused = refuses(gated.decision)
  let { decision } = gated
  return {
    decision,
    policy,
    retrievals,
    decided: () => decision,
    ...(isRefused && { refusal: refusalOf(decision) }),
    gate: gateContext,
    judge(answer) {
      const source = settings.answerJudge?.generationConfidence
      const answerSignals = answerMeasure(policy)?.({
        question: request.question,
        chunks: context.chunks,
        answer,
        report: reported(),
        ...(source && { generationConfidenceSource: source }),
      })
      if (answerSignals === undefined) return undefined
      decision = { ...decision, answerSignals, ...judgeAnswer(policy, decision, answerSignals) }
      return refuses(decision) ? refusalOf(decision, refusedSentences(policy, answer, answerSignals)) : undefined
    },
    record(status = 200, cache = NO_CACHE) {
      const atMs = dependencies.clock.nowMs()
      const known = { id: decision.id, atMs, status, timings: { ...timings, totalMs: atMs - startedMs } }
      const handler = isRefused ? 'not-called' : 'called'
      return recordDecision(asked, { decision, policy, handler, retrievals }, reported(), cache, known)
    },
  }
}

/** Only texts by a function would look at it, and those are not taken here. */
export const NO_REQUEST = undefined as never as Context
