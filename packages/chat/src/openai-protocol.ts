/** Answers of a route in OpenAI's protocol. */
import type { Context, MiddlewareHandler } from 'hono'
import { group, isRecord, oneOf, requireOptions } from 'hono-rag-gate/core/lib'
import { isRagGateError } from 'hono-rag-gate/errors'
import { mediaTypeOf, readEvent, splitEvents } from 'hono-rag-gate/http'
import { type RagGateContext, respondWithError } from 'hono-rag-gate/middleware'
import { aboutAnswer, aboutInHeader } from './about-answer.ts'
import {
  type AboutAnswer,
  type AnswerBody,
  bodyOfStream,
  type ChangeEvent,
  completionOf,
  EVENT_STREAM,
  mapEvents,
  recordIn,
  streamOfBody,
} from './completions.ts'
import { type Chat, READ_CHAT, readChat, type ReadChatOptions, type RefuseAs } from './conversation.ts'
import { UI_STREAM_HEADER } from './ui-stream-header.ts'

/** Options of `chatProtocol`. */
export interface ChatProtocolOptions {
  /**
   * Form of a refusal: `content`, as the text of the message; `refusal`, as OpenAI's `refusal` instead, and for
   * `useChat` in the part `data-rag-gate` alone; or `error`, with status 422. A request may set `rag_gate.refuse_as`.
   *
   * @default 'content'
   */
  readonly refuseAs?: RefuseAs
  /**
   * Limits for reading the chat, if the route has its own.
   *
   * @default as the gate read it
   */
  readonly read?: ReadChatOptions
}

/** Conversions into messages of `useChat`. */
export interface MessageForm {
  /** Converts a whole answer into the events of a message. */
  readonly whole: (body: AnswerBody, refuseAs: RefuseAs) => string
  /** Converts the events of a handler: of a message, or of a completion. */
  readonly change: (told: Told, isUiStream: boolean) => ChangeEvent
}

/**
 * Makes the middleware `chatProtocol` for OpenAI's clients only: others get the answer unchanged.
 *
 * @throws `config_invalid` for unknown or invalid options
 */
export function openAiProtocol(options: ChatProtocolOptions = {}): MiddlewareHandler {
  return protocolWith(options)
}

/** The same, and for `useChat` if `messages` is given. */
export function protocolWith(options: ChatProtocolOptions, messages?: MessageForm): MiddlewareHandler {
  requireOptions(options, {
    refuseAs: oneOf('content', 'refusal', 'error'),
    read: group(READ_CHAT),
  })
  return async function chatProtocol(c, next) {
    await next()
    const media = mediaTypeOf(c.res.headers.get('content-type'))
    if (media === 'json' && c.res.status >= 400 && (await answeredError(c))) return
    const header = aboutInHeader(c.res.headers.get('rag-gate'))
    // The header means that the gate decided, and so has read the body.
    if (media === 'other' || header === undefined) return
    const chat = await readChat(c, options.read)
    const told = { chat, refuseAs: chat.refuseAs ?? options.refuseAs ?? 'content', ...aboutIn(c, header) }
    try {
      await (media === 'json' ? answerJson : answerEvents)(c, told, messages)
    } catch (thrown) {
      // The app's `onError` would answer it behind this middleware, so not in the client's form.
      if (!isRagGateError(thrown)) throw thrown
      const failed = respondWithError(c, thrown)
      // Otherwise Hono keeps the lifetime of the answer.
      c.res = undefined
      c.res = failed
      await answeredError(c)
    }
  }
}

/** What is known about an answer, for its client. */
export interface Told {
  readonly chat: Chat
  readonly refuseAs: RefuseAs
  readonly about: AboutAnswer
  /** Id for a refusal and for a stored answer, whose own id is that of an earlier decision. */
  readonly id?: string | undefined
}

/** From the gate's context if the handler's answer to this question is sent, otherwise from the header. */
function aboutIn(c: Context, header: AboutAnswer): Pick<Told, 'about' | 'id'> {
  const gate = (c.var as { readonly ragGate?: RagGateContext }).ragGate
  // A stored answer has another id.
  const isStored = gate?.decision.id !== header.decision_id
  if (isStored || header['refused'] === true) return { about: header, id: header.decision_id }
  // The handler's context has the verdict before its answer was judged. A refusal that is only observed is not told.
  return { about: { ...aboutAnswer(gate), ...(header['verdict'] !== 'refuse' && header) } }
}

async function answerJson(c: Context, told: Told, messages?: MessageForm): Promise<void> {
  const { chat, refuseAs, about } = told
  if (chat.protocol === 'json' || (chat.protocol === 'ui-messages' && messages === undefined)) return
  const text = await c.res.text()
  const given = recordIn(text) ?? {}
  const { decision_id } = about
  const isCompletion = typeof given['answer'] !== 'string'
  const body = isCompletion
    ? bodyOfStream(`data: ${JSON.stringify(given)}\n\n`, about)
    : // `answer` was checked to be a string. The app's own refusals may lack the id.
      ({ ...(given['refused'] === true ? { decision_id } : about), ...given } as unknown as AnswerBody)
  // Tool calls have no text, and neither has JSON that is not a completion.
  if (isCompletion && body.answer === '') return replace(c, text)
  if (chat.protocol === 'ui-messages') return replace(c, messages!.whole(body, refuseAs), 'ui')
  const isRefused = body['refused'] === true
  if (isRefused && refuseAs === 'error') return replace(c, JSON.stringify(refusalAsError(body)), 'json', 422)
  const { model = 'rag-gate' } = chat
  const as = isRefused && refuseAs === 'refusal' ? 'refusal' : 'content'
  if (chat.stream) {
    const { events } = splitEvents(streamOfBody(body, model, as))
    return replace(c, events.map(completionChunks(told)).join(''), 'events')
  }
  const completion = isCompletion ? { rag_gate: about, ...given } : completionOf(body, model, as)
  replace(c, named(completion, told))
}

/** JSON of a completion, or of a chunk of one. */
function named(completion: object, { id }: Told): string {
  return JSON.stringify({ ...completion, ...(id !== undefined && { id }) })
}

/** A refusal as an error, for clients that only check for errors. */
function refusalAsError({ answer, ...about }: AnswerBody): object {
  const { decision_id: id, reason_code: code } = about
  return { error: { message: answer, type: 'rag_gate_refusal', param: null, code, request_id: id }, rag_gate: about }
}

async function answerEvents(c: Context, told: Told, messages?: MessageForm): Promise<void> {
  const { chat, about } = told
  const isUiStream = c.res.headers.get(UI_STREAM_HEADER[0]) !== null
  if (chat.protocol !== 'openai') {
    if (chat.protocol === 'json' || messages === undefined) return
    return replace(c, mapEvents(c.res.body!, messages.change(told, isUiStream)), 'ui')
  }
  if (isUiStream) return
  if (chat.stream) return replace(c, mapEvents(c.res.body!, completionChunks(told)), 'events')
  const body = bodyOfStream(await c.res.text(), about)
  replace(c, named(completionOf(body, chat.model ?? 'rag-gate'), told))
}

/** Adds `rag_gate` to the first chunk if it is missing; omits token counts that were not requested. */
function completionChunks(told: Told): ChangeEvent {
  const { chat, about } = told
  let isFirst = true
  return (event) => {
    const chunk = chunkIn(event)
    if (!Array.isArray(chunk?.['choices'])) return event
    if (isUsage(chunk) && !chat.includeUsage) return ''
    const first = isFirst && { rag_gate: about }
    isFirst = false
    if (!first && told.id === undefined) return event
    return `data: ${named({ ...first, ...chunk }, told)}\n\n`
  }
}

function isUsage({ choices, usage }: Readonly<Record<string, unknown>>): boolean {
  return Array.isArray(choices) && choices.length === 0 && isRecord(usage)
}

/** The JSON object of an event; `undefined` if it has none. */
export function chunkIn(event: string): Readonly<Record<string, unknown>> | undefined {
  return recordIn(readEvent(event).data)
}

/** Adds what OpenAI's clients expect of an error; its members stay. @returns whether the body is an error */
async function answeredError(c: Context): Promise<boolean> {
  const text = await c.res.text()
  const body = recordIn(text)
  const { error } = body ?? {}
  const type = c.res.status >= 500 ? 'server_error' : 'invalid_request_error'
  replace(c, isRecord(error) ? JSON.stringify({ ...body, error: { type, param: null, ...error } }) : text)
  return isRecord(error)
}

/** Replaces the body and keeps the headers. */
function replace(
  c: Context,
  body: string | ReadableStream<Uint8Array>,
  form: 'json' | 'events' | 'ui' = 'json',
  status: number = c.res.status,
): void {
  const headers = new Headers(c.res.headers)
  headers.set('content-type', form === 'json' ? 'application/json' : EVENT_STREAM)
  if (form === 'ui') headers.set(...UI_STREAM_HEADER)
  for (const name of ['content-length', 'etag', 'content-digest', 'repr-digest']) headers.delete(name)
  // Otherwise Hono copies the headers of the replaced response.
  c.res = undefined
  c.res = new Response(body, { status, headers })
}
