/** The second stage, for policies with gates for answers: reads and judges the handler's answer before it is sent. */
import type { Decision } from '../core/policy/decision.ts'
import type { GenerationConfidenceSource } from '../core/answer/answer-input.ts'
import { oneOf, requireOptions } from '../core/lib/options.ts'
import { answerMeasure, judgeAnswer, refusedSentences } from '../core/policy/judge-answer.ts'
import { CAUTION_FOR_READER } from '../core/reports/caution.ts'
import { summariseDecision, type MessagesByCode } from '../core/reports/refusal.ts'
import { type JsonObject, readJsonAnswer } from '../http/json-answer.ts'
import type { JudgedResult } from '../pipeline/gate-question.ts'
import { discard } from '../http/discard.ts'
import type { QuestionRequest, QuestionSettings } from '../pipeline/question-settings.ts'
import type { AnswerReport } from './gate-context.ts'

/** Largest answer that can be judged, bytes. */
const MAX_JUDGED_BYTES = 1_048_576

/** The result of judging an answer. */
export interface JudgedAnswer {
  /** With the findings of both stages. */
  readonly decision: Decision
  /** Whether a refusal is sent instead. */
  readonly isRefused: boolean
  /** Sentences of the answer that the passages do not support, verbatim. */
  readonly unsupported: readonly string[]
  /** The response to send if the answer is not refused. */
  readonly response: Response
}

/** Settings of `answerJudge`. */
export interface AnswerJudgeOptions {
  /**
   * Source of the model's confidence, which the handler reports with `c.var.ragGate.report(…)`: a value of its own, or the
   * tokens' log-probabilities. Required by policies with the gate `generation-confidence`.
   *
   * @default none
   */
  readonly generationConfidence?: GenerationConfidenceSource
}

/** Judges answers before they are sent. */
export interface AnswerJudge extends AnswerJudgeOptions {
  /** @returns the response to send, or the data for a refusal in its place */
  readonly judge: (made: AnswerToJudge) => Promise<JudgedAnswer>
}

/** A handler's answer, with the question and the settings for judging it. */
export interface AnswerToJudge extends Pick<QuestionRequest, 'question' | 'audience'>, Pick<QuestionSettings, 'mode'> {
  readonly gated: JudgedResult
  readonly response: Response
  readonly report: AnswerReport
  readonly messages?: MessagesByCode | undefined
  /** Deadline for each piece of the body, milliseconds. */
  readonly timeoutMs: number
}

/**
 * Makes the judge of answers, which applies the policy's gates for answers:
 * `ragGate({ policy: multiGate(), answer: { judge: answerJudge() }, … })`.
 *
 * @throws `config_invalid` for an invalid option
 */
export function answerJudge(options: AnswerJudgeOptions = {}): AnswerJudge {
  requireOptions(options, { generationConfidence: oneOf('reported', 'token-log-probabilities') })
  const { generationConfidence: source } = options
  return { ...options, judge: (made) => judgeAnswerSent(made, source) }
}

/**
 * In `observe` mode, and with disabled gates, a copy is judged, and the verdict is only recorded. A response with an error
 * status is not judged; one that the application sent in place of a failed handler is.
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
    // Otherwise the unread rest of the copy would be buffered while the original is sent.
    discard(copy)
    return { ...passed, decision: observed.decision }
  }
  const judged = await judge(response, toJudge)
  const isRefused = judged.decision.verdict === 'refuse'
  const { body } = judged
  return { ...judged, isRefused, response: isRefused || body === undefined ? response : resent(response, body) }
}

/** Input of `judge`. */
interface ToJudge extends AnswerToJudge {
  readonly source: GenerationConfidenceSource | undefined
  /** The policy's way of measuring answers. */
  readonly measure: NonNullable<ReturnType<typeof answerMeasure>>
}

/** A judged answer, and its body as it was read. */
interface ReadAnswer extends Pick<JudgedAnswer, 'decision' | 'unsupported'> {
  /** The body to send in place of the one that was consumed; `undefined` if none was. */
  readonly body: Uint8Array | string | undefined
}

/**
 * Judges an answer against the context. The text is the member `answer` of a JSON object, else the text that the handler
 * reported. An event stream and invalid JSON cannot be read, and are refused unless the policy judges unreadable answers;
 * JSON that is too large or incomplete is always refused.
 */
async function judge(response: Response, toJudge: ToJudge): Promise<ReadAnswer> {
  const { gated, question, report, source } = toJudge
  const { decision, policy, context } = gated
  const read = await readJsonAnswer(response, MAX_JUDGED_BYTES, toJudge.timeoutMs)
  const json = read.kind === 'json' ? read.value : undefined
  // If a body claims to be JSON but is not, the reported answer is ignored too.
  const mayBeReported = read.kind === 'unread' ? read.media === 'other' : json !== undefined
  const answer = answerIn(json) ?? (mayBeReported ? report.answer : undefined)
  const structured = report.structured ?? json
  const answerSignals = toJudge.measure({
    question,
    // The chunks that the model was shown; `[1]` cites the first.
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

/** The member `answer`, even if it is not a string. */
function answerIn(body: JsonObject | undefined): unknown {
  return body !== undefined && Object.hasOwn(body, 'answer') ? (body['answer'] ?? '') : undefined
}

/** Replaces the summary of the first stage in an answer by that of the final decision. */
function withSummary(
  body: JsonObject | undefined,
  judged: Decision,
  { audience, messages, gated: { evidence, policy } }: ToJudge,
  unsupported: readonly string[],
): string | undefined {
  if (body?.['decision_id'] !== judged.id) return undefined
  // If only the answer led to the verdict `advise`, the handler did not know of the caution.
  const caution = judged.verdict === 'advise' && !Object.hasOwn(body, 'caution') ? { caution: CAUTION_FOR_READER } : {}
  const reportOptions = { audience, policy, unsupported, messages }
  return JSON.stringify({ ...body, ...caution, ...summariseDecision(judged, evidence.chunks, reportOptions) })
}

/** The same response with a new body, after the original was read. */
function resent(response: Response, body: Uint8Array | string): Response {
  const headers = new Headers(response.headers)
  for (const name of typeof body === 'string' ? ['content-length', 'etag', 'content-digest', 'repr-digest'] : []) {
    headers.delete(name)
  }
  // A view over its own buffer, as `readAtMost` makes it.
  return new Response(body as BodyInit, { status: response.status, statusText: response.statusText, headers })
}
