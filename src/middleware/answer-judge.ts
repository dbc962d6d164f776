/** The second stage, for policies that have gates for answers: reads the handler's answer before it is sent, and judges it. */
import type { Decision } from '../core/policy/decision.ts'
import type { GenerationConfidenceSource } from '../core/answer/answer-input.ts'
import { oneOf, requireOptions } from '../core/lib/options.ts'
import { answerMeasure, judgeAnswer, refusedSentences } from '../core/policy/judge-answer.ts'
import { CAUTION_FOR_READER } from '../core/reports/caution.ts'
import { summariseDecision } from '../core/reports/refusal.ts'
import { type JsonObject, readJsonAnswer } from '../http/json-answer.ts'
import type { JudgedResult } from '../pipeline/gate-question.ts'
import { discard } from '../http/discard.ts'
import type { QuestionRequest, QuestionSettings } from '../pipeline/question-settings.ts'
import type { MessagesByCode } from '../core/reports/refusal.ts'
import type { AnswerReport } from './gate-context.ts'

/** Largest answer that is read, bytes; a larger one cannot be judged. */
const MAX_JUDGED_BYTES = 1_048_576

/** An answer, judged. */
export interface JudgedAnswer {
  /** With the findings of both stages. */
  readonly decision: Decision
  /** Whether a refusal is sent in its place. */
  readonly isRefused: boolean
  /** Sentences that the passages do not support, as the answer had them. */
  readonly unsupported: readonly string[]
  /** The answer as it is sent where it is not refused. */
  readonly response: Response
}

/** Settings of `answerJudge`. */
export interface AnswerJudgeOptions {
  /**
   * From where the handler has its model's confidence, which it reports with `c.var.ragGate.report(…)`: a value of its
   * own, or the tokens' log-probabilities. A policy with the gate `generation-confidence` needs it said.
   *
   * @default none
   */
  readonly generationConfidence?: GenerationConfidenceSource
}

/** Judges answers before they are sent. */
export interface AnswerJudge extends AnswerJudgeOptions {
  /** @returns the answer as it is sent, or what a refusal in its place is made of */
  readonly judge: (made: AnswerToJudge) => Promise<JudgedAnswer>
}

/** What a handler made of a question that was let through. */
export interface AnswerToJudge extends Pick<QuestionRequest, 'question' | 'audience'>, Pick<QuestionSettings, 'mode'> {
  readonly gated: JudgedResult
  readonly response: Response
  readonly report: AnswerReport
  readonly messages?: MessagesByCode | undefined
  /** Longest that a piece of it may take, milliseconds. */
  readonly timeoutMs: number
}

/**
 * What judges answers by the gates that a policy has for them:
 * `ragGate({ policy: multiGate(), answer: { judge: answerJudge() }, … })`.
 *
 * @throws `config_invalid` for an option that is none
 */
export function answerJudge(options: AnswerJudgeOptions = {}): AnswerJudge {
  requireOptions(options, { generationConfidence: oneOf('reported', 'token-log-probabilities') })
  const { generationConfidence: source } = options
  return { ...options, judge: (made) => judgeAnswerSent(made, source) }
}

/**
 * In `observe` mode, and with disabled gates, a copy is judged, and the verdict only recorded. What says by its status
 * that it is no answer is not judged; what was answered in place of a handler that failed is.
 */
async function judgeAnswerSent(
  made: AnswerToJudge,
  source: GenerationConfidenceSource | undefined,
): Promise<JudgedAnswer> {
  const { gated, response, mode } = made
  const { decision, policy } = gated
  const measure = answerMeasure(policy)
  const passed = { decision, isRefused: false, unsupported: [], response }
  if (measure === undefined || response.status >= 400) return passed
  const toJudge = { ...made, source, measure }
  if (mode === 'observe' || policy.dangerouslyDisableGates === true) {
    const copy = response.clone()
    const observed = await judge(copy, toJudge)
    // What is left of a copy that was not read through would pile up behind the one that is sent.
    discard(copy)
    return { ...passed, decision: observed.decision }
  }
  const judged = await judge(response, toJudge)
  const isRefused = judged.decision.verdict === 'refuse'
  const { body } = judged
  return { ...judged, isRefused, response: isRefused || body === undefined ? response : resent(response, body) }
}

/** What judging an answer needs. */
interface ToJudge extends AnswerToJudge {
  readonly source: GenerationConfidenceSource | undefined
  /** As the policy has it. */
  readonly measure: NonNullable<ReturnType<typeof answerMeasure>>
}

/** What was read of an answer, judged. */
interface ReadAnswer extends Pick<JudgedAnswer, 'decision' | 'unsupported'> {
  /** The body to send in place of the one that was read; `undefined` when none was. */
  readonly body: Uint8Array | string | undefined
}

/**
 * Judges an answer by what the model could read: member `answer` of a JSON object, which is read, else the text that the handler reported. Of
 * the text, what is sent counts before what was reported. A stream of events, and JSON that is broken, cannot be read, and refuse unless the
 * policy judges that; JSON that is too large or breaks off refuses always.
 */
async function judge(response: Response, toJudge: ToJudge): Promise<ReadAnswer> {
  const { gated, question, report, source } = toJudge
  const { decision, policy, context } = gated
  const read = await readJsonAnswer(response, MAX_JUDGED_BYTES, toJudge.timeoutMs)
  const json = read.kind === 'json' ? read.value : undefined
  // Where a body claims to be JSON and is not, the reported answer does not count either.
  const mayBeReported = read.kind === 'unread' ? read.media === 'other' : json !== undefined
  const answer = answerIn(json) ?? (mayBeReported ? report.answer : undefined)
  const structured = report.structured ?? json
  const answerSignals = toJudge.measure({
    question,
    // What of the evidence was shown to the model; `[1]` cites the first of them.
    chunks: context.chunks,
    answer: typeof answer === 'string' ? answer : undefined,
    report: { ...report, ...(structured === undefined ? {} : { structured }) },
    ...(source === undefined ? {} : { generationConfidenceSource: source }),
  })
  const judged: Decision = {
    ...decision,
    answerSignals,
    ...judgeAnswer(policy, decision, answerSignals, read.kind !== 'lost'),
  }
  const unsupported = typeof answer === 'string' ? refusedSentences(policy, answer, answerSignals) : []
  return {
    decision: judged,
    unsupported,
    body: read.kind === 'json' ? (withSummary(json, judged, toJudge, unsupported) ?? read.bytes) : undefined,
  }
}

/** A JSON object that has the member has its answer there, also when it is no text. */
function answerIn(body: JsonObject | undefined): unknown {
  return body !== undefined && Object.hasOwn(body, 'answer') ? (body['answer'] ?? '') : undefined
}

/** An answer that carries what was known of the decision before it was judged is told what is known now. */
function withSummary(
  body: JsonObject | undefined,
  judged: Decision,
  { audience, messages, gated: { evidence, policy } }: ToJudge,
  unsupported: readonly string[],
): string | undefined {
  if (body?.['decision_id'] !== judged.id) return undefined
  // An advisory that only the answer gave cause for was not known when the handler wrote its caution.
  const caution = judged.verdict === 'advise' && !Object.hasOwn(body, 'caution') ? { caution: CAUTION_FOR_READER } : {}
  const reportOptions = { audience, policy, unsupported, messages }
  return JSON.stringify({ ...body, ...caution, ...summariseDecision(judged, evidence.chunks, reportOptions) })
}

/** The same answer, after its body was read. */
function resent(response: Response, body: Uint8Array | string): Response {
  const headers = new Headers(response.headers)
  for (const name of typeof body === 'string' ? ['content-length', 'etag', 'content-digest', 'repr-digest'] : []) {
    headers.delete(name)
  }
  // A view over its own buffer, as `readAtMost` makes it.
  return new Response(body as BodyInit, { status: response.status, statusText: response.statusText, headers })
}
