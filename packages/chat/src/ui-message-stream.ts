/**
 * Answers as the AI SDK's UI message stream, which `useChat` reads: verdict and citations come before the text.
 *
 * @see https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol
 */
import { isRecord } from 'hono-rag-gate/core/lib'
import type { TokenUsage } from 'hono-rag-gate/core/reports'
import { RagGateError } from 'hono-rag-gate/errors'
import { textStream } from 'hono-rag-gate/http'
import type { Citation, RagGateContext } from 'hono-rag-gate/middleware'
import { aboutAnswer, type AboutAnswer } from './about-answer.ts'
import { citedSources } from './cited-sources.ts'
import { type AnswerBody, EVENT_STREAM } from './completions.ts'
import type { RefuseAs } from './conversation.ts'
import { UI_STREAM_HEADER } from './ui-stream-header.ts'

/** Type of the part with `decision_id`, `verdict`, `band`, `reason_code`, `caution`, and other members of refusals. */
export const UI_PART = 'data-rag-gate'

/** A part of a message, as an event. */
export const messagePart = (part: object): string => `data: ${JSON.stringify(part)}\n\n`

/** Id of a message's only text. */
const TEXT_ID = 'answer'

/** Verdict and citations as parts of a message. */
export function partsAbout({ sources, ...about }: AboutAnswer): string {
  const given: readonly Partial<Citation>[] = Array.isArray(sources) ? sources : []
  // The app's handler may send sources of another shape.
  const citations = given.filter(
    (each): each is Citation => typeof each?.id === 'string' && typeof each.document_id === 'string',
  )
  const parts = citedSources(citations).map(({ id: sourceId, url, title, mediaType, filename }) =>
    url === undefined
      ? { type: 'source-document', sourceId, mediaType, title, ...(filename === undefined ? {} : { filename }) }
      : { type: 'source-url', sourceId, url, title },
  )
  return [{ type: UI_PART, data: about }, ...parts].map(messagePart).join('')
}

/** Events of a message whose text is streamed. */
export const UI_EVENTS = {
  first: (about: AboutAnswer): string =>
    `${messagePart({ type: 'start' })}${partsAbout(about)}${messagePart({ type: 'start-step' })}`,
  textStart: messagePart({ type: 'text-start', id: TEXT_ID }),
  text: (delta: string): string => messagePart({ type: 'text-delta', id: TEXT_ID, delta }),
  textEnd: messagePart({ type: 'text-end', id: TEXT_ID }),
  last: (finishReason: string): string =>
    `${messagePart({ type: 'finish-step' })}${messagePart({ type: 'finish', finishReason })}data: [DONE]\n\n`,
  failure: (errorText: string): string => `${messagePart({ type: 'error', errorText })}data: [DONE]\n\n`,
} as const

/** A whole answer, or a refusal, as a message. */
export function uiMessageOf({ answer, ...about }: AnswerBody, refuseAs: RefuseAs): string {
  const first = UI_EVENTS.first({ ...about, ...(about['refused'] === true && { answer }) })
  const isRefused = about['refused'] === true
  if (isRefused && refuseAs === 'error') return first + UI_EVENTS.failure(answer)
  const text = answer === '' || (isRefused && refuseAs === 'refusal') ? '' : UI_EVENTS.text(answer)
  const said = text === '' ? '' : `${UI_EVENTS.textStart}${text}${UI_EVENTS.textEnd}`
  return `${first}${said}${UI_EVENTS.last(about.complete === false ? 'length' : 'stop')}`
}

/**
 * A piece of an answer: a text, or a part of the AI SDK's `streamText().stream` (`fullStream` before version 7), of
 * which text, errors and the end are read.
 */
export type AnswerPiece = string | { readonly type: string }

/**
 * Responds with a UI message stream: verdict and citations, then the model's text as it arrives. If the stream breaks
 * off or the model fails, the gate ends it with an error. The AI SDK's token counts and finish reason go to the gate.
 *
 * @param pieces of the answer, in order. Not `streamText().textStream`, which ends without an error if the model fails
 * @param onLeave called when the client disconnects before the end: stop the model there
 * @throws `config_invalid` if `pieces` cannot be iterated, such as the member `stream` of an AI SDK that has none
 * @example return uiMessageStream(c.var.ragGate, streamText({ model, prompt }).stream)
 */
export function uiMessageStream(
  gate: Pick<RagGateContext, 'summary' | 'citations' | 'caution' | 'report'>,
  pieces: AsyncIterable<AnswerPiece>,
  onLeave?: () => void,
): Response {
  if (!(Symbol.asyncIterator in Object(pieces))) {
    const message =
      'uiMessageStream needs streamText().stream, before AI SDK 7 its fullStream, or an async iterable of texts'
    throw new RagGateError('config_invalid', message, { param: 'pieces' })
  }
  async function* events(): AsyncGenerator<string, void, void> {
    yield UI_EVENTS.first(aboutAnswer(gate)) + UI_EVENTS.textStart
    let reason = 'stop'
    for await (const piece of pieces) {
      const { text, end } = typeof piece === 'string' ? { text: piece } : readPart(piece)
      if (text) yield UI_EVENTS.text(text)
      if (end === undefined) continue
      reason = end.reason
      gate.report({ complete: reason === 'stop', ...(end.usage && { usage: end.usage }) })
    }
    yield UI_EVENTS.textEnd + UI_EVENTS.last(reason)
  }
  const headers = { 'content-type': EVENT_STREAM, [UI_STREAM_HEADER[0]]: UI_STREAM_HEADER[1] }
  return new Response(textStream(events(), onLeave), { headers })
}

/** What is read of a part: text, or the end of the answer. */
interface PartRead {
  readonly text?: string
  readonly end?: { readonly reason: string; readonly usage?: TokenUsage }
}

/** @throws `llm_unavailable` if the model failed or was stopped */
function readPart(part: { readonly type: string }): PartRead {
  const { type, text, error, finishReason, totalUsage } = part as Readonly<Record<string, unknown>>
  if (type === 'text-delta' && typeof text === 'string') return { text }
  if (type === 'error' || type === 'abort') {
    throw new RagGateError('llm_unavailable', 'The answer broke off', { cause: error })
  }
  if (type !== 'finish') return {}
  const { inputTokens, outputTokens } = isRecord(totalUsage) ? totalUsage : {}
  const isCounted = typeof inputTokens === 'number' && typeof outputTokens === 'number'
  return { end: { reason: String(finishReason), ...(isCounted && { usage: { inputTokens, outputTokens } }) } }
}
