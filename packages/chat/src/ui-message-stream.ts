/**
 * Answers as the AI SDK's stream of a UI message, which `useChat` reads: verdict and citations stand before the first word.
 *
 * @see https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol
 */
import { textStream } from 'hono-rag-gate/http'
import type { Citation, RagGateContext } from 'hono-rag-gate/middleware'
import { aboutAnswer } from './about-answer.ts'
import { citedSources } from './cited-sources.ts'
import { type AboutAnswer, type AnswerBody, EVENT_STREAM } from './completions.ts'
import type { RefuseAs } from './conversation.ts'

/** Name and value of the header that says what the stream is. */
export const UI_STREAM_HEADER = ['x-vercel-ai-ui-message-stream', 'v1'] as const

/** Type of the part that holds the verdict: `decision_id`, `verdict`, `band`, `reason_code`, `caution`, and for refusals the rest of them. */
export const UI_PART = 'data-rag-gate'

const HEADERS = { 'content-type': EVENT_STREAM, [UI_STREAM_HEADER[0]]: UI_STREAM_HEADER[1] }

const event = (part: object): string => `data: ${JSON.stringify(part)}\n\n`

/** The one text of a message. */
const TEXT_ID = 'answer'

/** Verdict and citations, as parts of a message. */
export function partsAbout({ sources, ...about }: AboutAnswer): string {
  const given: readonly Partial<Citation>[] = Array.isArray(sources) ? sources : []
  // A handler of the app may have sources of its own shape.
  const citations = given.filter(
    (each): each is Citation => typeof each?.id === 'string' && typeof each.document_id === 'string',
  )
  const parts = citedSources(citations).map(({ id: sourceId, url, title, mediaType, filename }) =>
    url === undefined
      ? { type: 'source-document', sourceId, mediaType, title, ...(filename === undefined ? {} : { filename }) }
      : { type: 'source-url', sourceId, url, title },
  )
  return [{ type: UI_PART, data: about }, ...parts].map(event).join('')
}

/** Events of a message whose text comes in pieces. */
export const UI_EVENTS = {
  first: (about: AboutAnswer): string =>
    `${event({ type: 'start' })}${partsAbout(about)}${event({ type: 'start-step' })}`,
  textStart: event({ type: 'text-start', id: TEXT_ID }),
  text: (delta: string): string => event({ type: 'text-delta', id: TEXT_ID, delta }),
  textEnd: event({ type: 'text-end', id: TEXT_ID }),
  last: (finishReason: 'stop' | 'length'): string =>
    `${event({ type: 'finish-step' })}${event({ type: 'finish', finishReason })}data: [DONE]\n\n`,
  failure: (errorText: string): string => `${event({ type: 'error', errorText })}data: [DONE]\n\n`,
} as const

/** A whole answer, or a refusal, as a message. */
export function uiMessageOf({ answer, ...about }: AnswerBody, refuseAs: RefuseAs = 'content'): string {
  const first = UI_EVENTS.first({ ...about, ...(about['refused'] === true && { answer }) })
  const isRefused = about['refused'] === true
  if (isRefused && refuseAs === 'error') return first + UI_EVENTS.failure(answer)
  const text = answer === '' || (isRefused && refuseAs === 'refusal') ? '' : UI_EVENTS.text(answer)
  const said = text === '' ? '' : `${UI_EVENTS.textStart}${text}${UI_EVENTS.textEnd}`
  return `${first}${said}${UI_EVENTS.last(about.complete === false ? 'length' : 'stop')}`
}

/** A response with events of a message. */
export function uiResponse(
  events: string | ReadableStream<Uint8Array>,
  { status, headers }: ResponseInit = {},
): Response {
  return new Response(events, {
    status: status ?? 200,
    headers: { ...Object.fromEntries(new Headers(headers)), ...HEADERS },
  })
}

/**
 * Answers a UI message with a model's words as they come, verdict and citations before them. Where they break off, the
 * gate ends the stream with an error.
 *
 * @param texts pieces of the answer, in order
 * @param onLeave called when the client leaves before the end: stop the model there
 * @example return uiMessageStream(c.var.ragGate, streamText({ model, prompt }).textStream)
 */
export function uiMessageStream(
  gate: Pick<RagGateContext, 'summary' | 'citations' | 'caution'>,
  texts: AsyncIterable<string>,
  onLeave?: () => void,
): Response {
  async function* events(): AsyncGenerator<string, void, void> {
    yield UI_EVENTS.first(aboutAnswer(gate)) + UI_EVENTS.textStart
    for await (const text of texts) if (text !== '') yield UI_EVENTS.text(text)
    yield UI_EVENTS.textEnd + UI_EVENTS.last('stop')
  }
  return uiResponse(textStream(events(), onLeave))
}
