/** The second stage: reads the handler's answer before it is sent, and judges it. */
import { isRecord } from '../core/lib/guards.ts'
import { CAUTION_FOR_READER } from '../core/reports/caution.ts'
import type { Chunk } from '../core/evidence/chunk.ts'
import type { Decision } from '../core/policy/decision.ts'
import type { Evidence } from '../core/evidence/evidence.ts'
import type { GenerationConfidenceSource } from '../core/answer/measure-answer.ts'
import { type answerMeasure, judgeAnswer, refusedSentences } from '../core/policy/judge.ts'
import { type Policy } from '../core/policy/policy.ts'
import { type Audience } from '../core/policy/preset.ts'
import { summariseDecision, type MessagesByCode } from '../core/reports/refusal.ts'
import { readAtMost } from '../http/read-at-most.ts'
import { utf8TextOf } from '../http/utf8.ts'
import type { AnswerReport } from './gate-context.ts'
import { mediaTypeOf } from '../http/media-type.ts'
import { withSilenceLimit } from './silence-limit.ts'

/** What judging an answer needs. */
export interface AnswerToJudge {
  readonly question: string
  readonly decision: Decision
  readonly evidence: Evidence
  /** What of the evidence was shown to the model; `[1]` cites the first of them. */
  readonly shown: readonly Chunk[]
  readonly policy: Policy
  /** As the policy has it. */
  readonly measure: NonNullable<ReturnType<typeof answerMeasure>>
  readonly audience: Audience
  readonly messages?: MessagesByCode
  readonly report: AnswerReport
  readonly generationConfidence: GenerationConfidenceSource | undefined
  /** How long a piece of it may be waited for, milliseconds. */
  readonly silenceMs: number
}

/** Largest answer that is read, bytes; a larger one cannot be judged. */
const MAX_JUDGED_BYTES = 1_048_576

/** An answer, judged. */
export interface JudgedAnswer {
  /** With the findings of both stages. */
  readonly decision: Decision
  /** Sentences that the passages do not support, as the answer had them. */
  readonly unsupported: readonly string[]
  /** The body to send in place of the one that was read; `undefined` when none was. */
  readonly body: Uint8Array | string | undefined
}

/**
 * Judges an answer by what the model could read: member `answer` of a JSON object, which is read, else the text that the handler reported. Of
 * the text, what is sent counts before what was reported. A stream of events, and JSON that is broken, cannot be read, and refuse unless the
 * policy judges that; JSON that is too large or breaks off refuses always.
 */
export async function judgeResponse(response: Response, toJudge: AnswerToJudge): Promise<JudgedAnswer> {
  const { question, shown, policy, report, decision } = toJudge
  const media = mediaTypeOf(response.headers.get('content-type'))
  const read = media === 'json' ? await readBody(response, toJudge) : 'unread'
  const bytes = typeof read === 'string' ? undefined : read
  const body = bytes === undefined ? undefined : jsonIn(bytes)
  const mayBeReported = media === 'json' ? body !== undefined : media === 'other'
  const answer = answerIn(body) ?? (mayBeReported ? report.answer : undefined)
  const source = toJudge.generationConfidence
  const structured = report.structured ?? body
  const answerSignals = toJudge.measure({
    question,
    chunks: shown,
    answer: typeof answer === 'string' ? answer : undefined,
    report: { ...report, ...(structured === undefined ? {} : { structured }) },
    ...(source === undefined ? {} : { generationConfidenceSource: source }),
  })
  const judged: Decision = {
    ...decision,
    answerSignals,
    ...judgeAnswer(policy, decision, answerSignals, read !== 'lost'),
  }
  const unsupported = typeof answer === 'string' ? refusedSentences(policy, answer, answerSignals) : []
  return {
    decision: judged,
    unsupported,
    body: bytes === undefined ? undefined : (withSummary(body, judged, toJudge, unsupported) ?? bytes),
  }
}

/** The bytes of a body; `unread` where it can be sent without, `lost` where it is too large, stops or breaks off. */
async function readBody(
  response: Response,
  { silenceMs }: Pick<AnswerToJudge, 'silenceMs'>,
): Promise<Uint8Array | 'unread' | 'lost'> {
  const { body, headers } = response
  if (body === null || body.locked || headers.get('content-encoding') !== null) return 'unread'
  if (Number(headers.get('content-length') ?? 0) > MAX_JUDGED_BYTES) return 'lost'
  try {
    const limits = { streamStartTimeoutMs: silenceMs, streamIdleTimeoutMs: silenceMs }
    return (await readAtMost(withSilenceLimit(response, limits).body, MAX_JUDGED_BYTES)) ?? 'lost'
  } catch {
    return 'lost'
  }
}

type JsonObject = Readonly<Record<string, unknown>>

function jsonIn(bytes: Uint8Array): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(utf8TextOf(bytes) ?? '')
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
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
  { evidence, audience, policy, messages }: AnswerToJudge,
  unsupported: readonly string[],
): string | undefined {
  if (body?.['decision_id'] !== judged.id) return undefined
  // An advisory that only the answer gave cause for was not known when the handler wrote its caution.
  const caution = judged.verdict === 'advise' && !Object.hasOwn(body, 'caution') ? { caution: CAUTION_FOR_READER } : {}
  return JSON.stringify({
    ...body,
    ...caution,
    ...summariseDecision(judged, evidence.chunks, { audience, policy, unsupported, ...(messages && { messages }) }),
  })
}

/** The same answer, after its body was read. */
export function resendAnswer(response: Response, body: Uint8Array | string): Response {
  const headers = new Headers(response.headers)
  for (const name of typeof body === 'string' ? ['content-length', 'etag', 'content-digest', 'repr-digest'] : []) {
    headers.delete(name)
  }
  // A view over its own buffer, as `readAtMost` makes it.
  return new Response(body as BodyInit, { status: response.status, statusText: response.statusText, headers })
}
