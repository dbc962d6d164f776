/** Answers of a route in the protocol that its client speaks. */
import type { Context, MiddlewareHandler } from 'hono'
import { isRecord, oneOf, requireOptions } from 'hono-rag-gate/core/lib'
import { mediaTypeOf, readEvent } from 'hono-rag-gate/http'
import type { RagGateContext } from 'hono-rag-gate/middleware'
import { aboutAnswer, aboutInHeader } from './about-answer.ts'
import {
  type AboutAnswer,
  type AnswerBody,
  bodyOfStream,
  type ChangeEvent,
  completionOf,
  EVENT_STREAM,
  mapEvents,
  streamOfBody,
} from './completions.ts'
import { type Chat, readChat, type ReadChatOptions, type RefuseAs } from './conversation.ts'
import { partsAbout, UI_EVENTS, UI_PART, UI_STREAM_HEADER, uiMessageOf } from './ui-message-stream.ts'

/** Settings of `chatProtocol`. */
export interface ChatProtocolOptions {
  /**
   * How a refusal is told: as the text of the message, `content`; as OpenAI's `refusal` in its place, and to `useChat` in the
   * part `data-rag-gate` alone; or as an `error`, with status 422. A request may say it in `rag_gate.refuse_as`.
   *
   * @default 'content'
   */
  readonly refuseAs?: RefuseAs
  /**
   * How the chat is read, where the route bounds it otherwise.
   *
   * @default as the gate read it
   */
  readonly read?: ReadChatOptions
}

/**
 * Makes the middleware that answers refusals, advisories and citations in the client's protocol. Mount it before the gate:
 *
 * ```ts
 * app.post('/chat', chatProtocol(), ragGate({ policy, dependencies, question: { read: readChat } }), handler)
 * ```
 *
 * The handler may answer JSON with a member `answer`, or a chat completion, whole or in chunks. OpenAI clients get a
 * completion or its chunks, `useChat` a UI message stream, others JSON; verdict and citations come before the first word. A
 * UI message stream of the handler is for `useChat` alone: others get it as it is.
 *
 * @throws `config_invalid` for options that are not these
 */
export function chatProtocol(options: ChatProtocolOptions = {}): MiddlewareHandler {
  requireOptions(options, {
    refuseAs: oneOf('content', 'refusal', 'error'),
    read: { words: 'an object', holds: isRecord },
  })
  return async function chatProtocol(c, next) {
    await next()
    const media = mediaTypeOf(c.res.headers.get('content-type'))
    if (media === 'json' && c.res.status >= 400 && (await answeredError(c))) return
    // Only what the gate decided has it; then the body was read.
    if (media === 'other' || !c.res.headers.has('rag-gate')) return
    const chat = await readChat(c, options.read)
    const told = { chat, refuseAs: chat.refuseAs ?? options.refuseAs ?? 'content', about: aboutIn(c) }
    await (media === 'json' ? answerJson(c, told) : answerEvents(c, told))
  }
}

/** What is known of an answer, for a client. */
interface Told {
  readonly chat: Chat
  readonly refuseAs: RefuseAs
  readonly about: AboutAnswer | undefined
}

/** From the gate where it called the handler for this question, else from its header. */
function aboutIn(c: Context): AboutAnswer | undefined {
  const gate = (c.var as { readonly ragGate?: RagGateContext }).ragGate
  const header = aboutInHeader(c.res.headers.get('rag-gate'))
  // The answer may have been judged since, or a stored one stands in for it.
  return gate === undefined || gate.decision.id !== header?.decision_id ? header : aboutAnswer(gate)
}

async function answerJson(c: Context, { chat, refuseAs, about }: Told): Promise<void> {
  if (chat.protocol === 'json') return
  const text = await c.res.text()
  const given = recordIn(text) ?? {}
  if (about === undefined) return replace(c, text)
  const { decision_id } = about
  const isCompletion = typeof given['answer'] !== 'string'
  const body = isCompletion
    ? bodyOfStream(`data: ${JSON.stringify(given)}\n\n`, about)
    : // The member that both need was looked at. A refusal of the application's own may lack the id.
      ({ ...(given['refused'] === true ? { decision_id } : about), ...given } as unknown as AnswerBody)
  // What calls a tool has no text, nor has what is no completion.
  if (isCompletion && body.answer === '') return replace(c, text)
  if (chat.protocol === 'ui-messages') return replace(c, uiMessageOf(body, refuseAs), 'ui')
  const isRefused = body['refused'] === true
  if (isRefused && refuseAs === 'error') return replace(c, JSON.stringify(refusalAsError(body)), 'json', 422)
  const { model = 'rag-gate' } = chat
  const as = isRefused && refuseAs === 'refusal' ? 'refusal' : 'content'
  const completed = (): object => (isCompletion ? { rag_gate: about, ...given } : completionOf(body, model, as))
  if (!chat.stream) return replace(c, JSON.stringify(completed()))
  const stream = streamOfBody(body, model, as)
  replace(c, chat.includeUsage ? stream : splitUsage(stream), 'events')
}

/** A refusal for clients that look for errors only. */
function refusalAsError({ answer, ...about }: AnswerBody): object {
  const { decision_id: id, reason_code: code } = about
  return { error: { message: answer, type: 'rag_gate_refusal', param: null, code, request_id: id }, rag_gate: about }
}

async function answerEvents(c: Context, told: Told): Promise<void> {
  const { chat, about } = told
  const isUiStream = c.res.headers.get(UI_STREAM_HEADER[0]) !== null
  if (chat.protocol === 'json' || (chat.protocol === 'openai' && isUiStream)) return
  if (chat.protocol === 'openai' && !chat.stream) {
    const body = bodyOfStream(await c.res.text(), about)
    return replace(c, JSON.stringify(completionOf(body, chat.model ?? 'rag-gate')))
  }
  const change =
    chat.protocol === 'openai' ? completionChunks(told) : isUiStream ? uiParts(told) : uiPartsOfChunks(told)
  replace(c, mapEvents(c.res.body!, change), chat.protocol === 'openai' ? 'events' : 'ui')
}

/** Adds what is told to the first chunk, where it is not there; leaves the count of tokens out where it was not asked for. */
function completionChunks({ chat, about }: Told): ChangeEvent {
  let isFirst = true
  return (event) => {
    const chunk = chunkIn(event)
    if (chunk === undefined) return event
    if (isUsage(chunk) && !chat.includeUsage) return ''
    const lacks = isFirst && chunk['rag_gate'] === undefined && about !== undefined && Array.isArray(chunk['choices'])
    isFirst = false
    return lacks ? `data: ${JSON.stringify({ ...chunk, rag_gate: about })}\n\n` : event
  }
}

function splitUsage(stream: string): string {
  return stream.replace(/^data: \{[^\n]*"choices":\[\],[^\n]*\n\n/m, '')
}

function isUsage({ choices, usage }: Readonly<Record<string, unknown>>): boolean {
  return Array.isArray(choices) && choices.length === 0 && isRecord(usage)
}

/** Adds verdict and citations behind the start of a message, where they are not there. */
function uiParts({ about }: Told): ChangeEvent {
  let isMissing = about !== undefined
  return (event) => {
    const part = chunkIn(event)
    if (part === undefined) return event
    const failed = failureIn(part)
    if (failed !== undefined) return UI_EVENTS.failure(failed)
    const { type } = part
    if (type === UI_PART) isMissing = false
    if (!isMissing || type === 'start') return event
    // The first part behind the start is another one: the verdict goes before it.
    isMissing = false
    return partsAbout(about!) + event
  }
}

/** Chunks of a completion as a message. */
function uiPartsOfChunks({ about }: Told): ChangeEvent {
  let state: 'before' | 'within' | 'behind' = 'before'
  let isInText = false
  let reason = 'stop'
  return (event) => {
    const { data } = readEvent(event)
    const end = isInText ? UI_EVENTS.textEnd : ''
    if (data === '[DONE]') return `${end}${UI_EVENTS.last(reason)}`
    const chunk = chunkIn(event)
    if (chunk === undefined || state === 'behind') return ''
    const failed = failureIn(chunk)
    if (failed !== undefined) {
      state = 'behind'
      return UI_EVENTS.failure(failed)
    }
    const { choices, rag_gate: told } = chunk as { choices?: unknown; rag_gate?: AboutAnswer }
    let events = ''
    if (state === 'before') {
      state = 'within'
      // The gate's header is there, so its verdict is.
      events += UI_EVENTS.first(told ?? about!)
    }
    const choice: unknown = Array.isArray(choices) ? choices[0] : undefined
    const { delta, finish_reason: ended } = isRecord(choice) ? choice : {}
    // The AI SDK takes no other words, and writes these with a hyphen.
    if (/^(?:length|content_filter|tool_calls)$/.test(String(ended))) reason = String(ended).replace('_', '-')
    const { content } = isRecord(delta) ? delta : {}
    if (typeof content !== 'string' || content === '') return events
    if (!isInText) events += UI_EVENTS.textStart
    isInText = true
    return events + UI_EVENTS.text(content)
  }
}

/** The message of the error that a stream broke off by. */
function failureIn({ error }: Readonly<Record<string, unknown>>): string | undefined {
  const { message } = isRecord(error) ? error : {}
  return typeof message === 'string' ? message : undefined
}

/** The JSON of an event; `undefined` where it has none. */
function chunkIn(event: string): Readonly<Record<string, unknown>> | undefined {
  return recordIn(readEvent(event).data)
}

function recordIn(text: string): Readonly<Record<string, unknown>> | undefined {
  if (!text.startsWith('{')) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** An error as OpenAI's clients read it; others find what was there. @returns whether it is one */
async function answeredError(c: Context): Promise<boolean> {
  const text = await c.res.text()
  const body = recordIn(text)
  const { error } = body ?? {}
  const type = c.res.status >= 500 ? 'server_error' : 'invalid_request_error'
  replace(c, isRecord(error) ? JSON.stringify({ ...body, error: { type, param: null, ...error } }) : text)
  return isRecord(error)
}

/** Another body under the same headers. */
function replace(
  c: Context,
  body: string | ReadableStream<Uint8Array>,
  form: 'json' | 'events' | 'ui' = 'json',
  status: number = c.res.status,
): void {
  const headers = new Headers(c.res.headers)
  headers.set('content-type', form === 'json' ? 'application/json' : EVENT_STREAM)
  if (form === 'ui') headers.set(...UI_STREAM_HEADER)
  else headers.delete(UI_STREAM_HEADER[0])
  for (const name of ['content-length', 'etag']) headers.delete(name)
  // Hono gives a new response the headers of the one it replaces.
  c.res = undefined
  c.res = new Response(body, { status, headers })
}
