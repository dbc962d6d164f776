/** The gate without HTTP, for callers that already have the question. */
import type { Context } from 'hono'
import { answerMeasure, judgeAnswer, refusedSentences } from '../core/policy/judge-answer.ts'
import type { ReasonCode } from '../core/gates/finding.ts'
import type { Text } from '../core/gates/text.ts'
import type { Decision } from '../core/policy/decision.ts'
import type { Policy } from '../core/policy/policy.ts'
import { required, requireOptions, string } from '../core/lib/options.ts'
import { buildRefusal, type DecisionSummary, type Refusal, summariseDecision } from '../core/reports/refusal.ts'
import { gateQuestion, type JudgedResult } from '../pipeline/gate-question.ts'
import { type CacheOutcome, NO_CACHE } from '../pipeline/gate-cache.ts'
import type { QuestionRequest } from '../pipeline/question-settings.ts'
import type { Principal } from '../ports/authenticator.ts'
import { answerJudge, type AnswerJudgeOptions } from './answer-judge.ts'
import { checkOptions, type RouteSettings } from './check-options.ts'
import { dependenciesFor, type GateDependencies, type ResolvedDependencies } from './dependencies.ts'
import { type AnswerReport, makeGateContext, type RagGateContext } from './gate-context.ts'
import { questionRequest } from './exchange.ts'
import { ANONYMOUS, requirePrincipal } from './identified.ts'
import type { QuestionOptions, RagGateOptions } from './options.ts'
import { checkQuestion } from './read-question.ts'
import { recordDecision } from './record.ts'

/** Options of `gateWithoutHttp`: those of `ragGate` that need no request. */
export interface GateWithoutHttpOptions extends Pick<
  RagGateOptions,
  'policy' | 'rules' | 'mode' | 'retrieval' | 'context' | 'closestPassages' | 'onWarning'
> {
  /** Those of `ragGate` without an answer cache and `authenticate`. */
  readonly dependencies: Omit<GateDependencies, 'cache' | 'authenticate'>
  /** Texts that replace the policy's own, by reason code. @default none */
  readonly messages?: Readonly<Record<ReasonCode, Partial<Text>>>
  /** Longest question, and the allowed collections. */
  readonly question?: Pick<QuestionOptions, 'maxCodePoints' | 'collections'>
  /** Source of the model's confidence, for policies that judge it. */
  readonly answer?: AnswerJudgeOptions
  /**
   * Name of the route in records and answer keys. Routes over different indexes that share a store need different names.
   *
   * @default 'without-http'
   */
  readonly route?: string
}

/** A question and its principal. */
export interface AskedWithoutHttp {
  readonly question: string
  /** @default the gate's first collection */
  readonly collection?: string
  /** @default the anonymous principal of the tenant `default` */
  readonly principal?: Principal
}

/** A question that was judged. */
export interface GatedQuestion {
  readonly decision: Decision
  /** The policy that judged it. */
  readonly policy: Policy
  /** Present if it is refused; then no model may be called. */
  readonly refusal?: Refusal
  /** The context that a handler would get, refused or not. */
  readonly gate: RagGateContext
  /** Number of retrievals: 0 for a question that is refused before retrieval. */
  readonly retrievals: number
  /**
   * Judges the answer against the context, if the policy judges answers.
   *
   * @returns the refusal that replaces the answer; `undefined` if the answer may be shown
   */
  readonly judge: (answer: string) => Refusal | undefined
  /** The decision; after `judge`, with the findings about the answer. */
  readonly decided: () => Decision
  /**
   * Records the decision, with the reports about its answer. Call it once.
   *
   * @param status the HTTP status: 200, or that of a failure
   * @param cache what the answer cache did. Default: there is none
   * @returns a promise if there is work left, which the answer need not wait for
   */
  readonly record: (status?: number, cache?: CacheOutcome) => Promise<void> | undefined
}

/**
 * Makes a gate like `ragGate`'s for questions without an HTTP request.
 *
 * @returns a function that gates a question, and throws the errors of `ragGate`
 * @throws `config_invalid`, `policy_invalid` for invalid options
 */
export function gateWithoutHttp(given: GateWithoutHttpOptions): (asked: AskedWithoutHttp) => Promise<GatedQuestion> {
  // An untyped caller may pass nothing.
  const { route = 'without-http', answer, ...options } = given ?? {}
  requireOptions({ route }, { route: required(string) })
  const settings = checkOptions({ ...options, answer: { judge: answerJudge(answer) } })
  const dependencies = dependenciesFor(options.dependencies, settings)({})
  return async function ask(question) {
    const asked = readAsked(question, settings, dependencies, route)
    const gated = await gateQuestion(dependencies, settings, asked.request)
    // Without a cache there is no cached result.
    return gatedQuestion(asked, gated as JudgedResult)
  }
}

/** @throws the errors of invalid questions; `config_invalid` for an invalid principal */
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

/** A question with everything needed to process it. */
export interface AskedOnItsWay {
  readonly settings: RouteSettings
  readonly dependencies: ResolvedDependencies
  readonly request: QuestionRequest
  readonly route: string
  readonly startedMs: number
}

interface Reported {
  /** The reports about the answer. */
  readonly reported: () => AnswerReport
  /** The part of the decision that the caller may see; what is only observed about an answer is not in it. */
  readonly summary: () => DecisionSummary
}

/** Makes a `GatedQuestion` from the result of gating, with the reports about its answer. */
export function gatedQuestion(asked: AskedOnItsWay, gated: JudgedResult): GatedQuestion & Reported {
  const { settings, dependencies, request, startedMs } = asked
  const { policy, evidence, context, retrievals, timings } = gated
  const { messages } = settings.messagesFor(NO_REQUEST)
  const reportOptions = { audience: request.audience, policy, messages }
  const { gateContext, reported } = makeGateContext({ ...request, ...gated, ...reportOptions })
  const enforces = settings.mode === 'enforce'
  let { decision } = gated
  let unsupported: readonly string[] = []
  const { closestPassages } = settings
  const refusalOf = (): Refusal | undefined =>
    enforces && decision.verdict === 'refuse'
      ? buildRefusal(decision, evidence.chunks, { ...reportOptions, unsupported, closestPassages })
      : undefined
  const refusal = refusalOf()
  return {
    decision,
    policy,
    retrievals,
    decided: () => decision,
    ...(refusal && { refusal }),
    gate: gateContext,
    reported,
    summary: () =>
      enforces ? summariseDecision(decision, evidence.chunks, { ...reportOptions, unsupported }) : gateContext.summary,
    judge(answer) {
      const source = settings.answerJudge!.generationConfidence
      const answerSignals = answerMeasure(policy)?.({
        question: request.question,
        chunks: context.chunks,
        answer,
        report: reported(),
        ...(source && { generationConfidenceSource: source }),
      })
      if (answerSignals === undefined) return undefined
      decision = { ...decision, answerSignals, ...judgeAnswer(policy, decision, answerSignals) }
      unsupported = refusedSentences(policy, answer, answerSignals)
      return refusalOf()
    },
    record(status = 200, cache = NO_CACHE) {
      const atMs = dependencies.clock.nowMs()
      const known = { id: decision.id, atMs, status, timings: { ...timings, totalMs: atMs - startedMs } }
      return recordDecision(asked, { decision, policy, retrievals }, reported(), cache, known)
    },
  }
}

/** Stands for the request's context, which only `messages` functions read; these are not accepted here. */
export const NO_REQUEST = undefined as never as Context
