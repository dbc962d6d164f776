/**
 * Answers as OpenAI's chat completions, whole or as a stream of chunks. The member `rag_gate` (in a stream, of the
 * first chunk) holds what the JSON answer has besides its text, so that each form can be converted into the other.
 *
 * @see https://platform.openai.com/docs/api-reference/chat
 * @see https://platform.openai.com/docs/api-reference/chat-streaming
 */
import { isRecord } from 'hono-rag-gate/core/lib'
import type { TokenUsage } from 'hono-rag-gate/core/reports'
import { createEventSplitter, readEvent, splitEvents, textStream } from 'hono-rag-gate/http'
import { RagGateError } from 'hono-rag-gate/errors'
import type { AboutAnswer } from './about-answer.ts'

export { type AboutAnswer, aboutAnswer } from './about-answer.ts'

/** An answer or a refusal as JSON. */
export interface AnswerBody extends AboutAnswer {
  readonly answer: string
  /** Token counts of the model. */
  readonly usage?: CompletionUsage
  /** Cost of the answer, as text; a stream has it beside `finish_reason`. */
  readonly cost?: string
}

/** Tokens of a completion. */
export interface CompletionUsage {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly total_tokens: number
}

type FinishReason = 'stop' | 'length'

interface Chunk {
  readonly choices?: readonly {
    readonly delta?: { readonly content?: string | null }
    /** In a whole completion. */
    readonly message?: { readonly content?: string | null }
    readonly finish_reason?: string | null
  }[]
  readonly usage?: CompletionUsage | null
  readonly rag_gate?: AboutAnswer
  readonly cost?: string
  /** The error that ended the stream early. */
  readonly error?: object | null
}

/** Token counts in the format of a completion. */
export function completionUsage({ inputTokens, outputTokens }: TokenUsage): CompletionUsage {
  return { prompt_tokens: inputTokens, completion_tokens: outputTokens, total_tokens: inputTokens + outputTokens }
}

/** Makes the events of one answer. */
export function chunksOf(
  about: AboutAnswer,
  model: string,
): {
  readonly first: string
  readonly text: (text: string, as?: 'content' | 'refusal') => string
  readonly last: (finishReason: FinishReason, usage?: TokenUsage, cost?: string) => string
} {
  const created = Math.floor(Date.now() / 1000)
  const named = { id: about.decision_id, object: 'chat.completion.chunk', created, model }
  const event = (choices: readonly object[], more: object = {}): string =>
    `data: ${JSON.stringify({ ...named, choices, ...more })}\n\n`
  const choice = (delta: object, finishReason: FinishReason | null): object[] => [
    { index: 0, delta, finish_reason: finishReason },
  ]
  return {
    first: event(choice({ role: 'assistant', content: '' }, null), { rag_gate: about }),
    text: (text, as = 'content') => event(choice({ [as]: text }, null)),
    last: (finishReason, tokens, cost) => {
      const usage = tokens && completionUsage(tokens)
      const end = event(choice({}, finishReason), cost === undefined ? {} : { cost })
      return `${end}${usage ? event([], { usage }) : ''}data: [DONE]\n\n`
    },
  }
}

/** A whole answer as a stream. */
export function streamOfBody(
  { answer, usage, cost, ...about }: AnswerBody,
  model: string,
  as?: 'content' | 'refusal',
): string {
  const chunks = chunksOf(about, model)
  const { prompt_tokens: inputTokens, completion_tokens: outputTokens } = tokensOf(usage, about) ?? {}
  const tokens = inputTokens === undefined || outputTokens === undefined ? undefined : { inputTokens, outputTokens }
  const text = answer === '' ? '' : chunks.text(answer, as)
  return `${chunks.first}${text}${chunks.last(finishReasonOf(about), tokens, cost)}`
}

/** A whole answer as a completion. */
export function completionOf(
  { answer, usage, ...about }: AnswerBody,
  model: string,
  as?: 'content' | 'refusal',
): object {
  const tokens = tokensOf(usage, about)
  const said = as === 'refusal' ? { content: null, refusal: answer } : { content: answer, refusal: null }
  return {
    id: about.decision_id,
    object: 'chat.completion',
    created: Math.floor(Date.now() / 1000),
    model,
    choices: [
      { index: 0, message: { role: 'assistant', ...said }, logprobs: null, finish_reason: finishReasonOf(about) },
    ],
    ...(tokens && { usage: tokens }),
    rag_gate: about,
  }
}

/** A refusal uses no tokens; for other answers the count may be unknown. */
function tokensOf(usage: CompletionUsage | undefined, { refused }: AboutAnswer): CompletionUsage | undefined {
  return usage ?? (refused === true ? completionUsage({ inputTokens: 0, outputTokens: 0 }) : undefined)
}

function finishReasonOf({ complete }: AboutAnswer): FinishReason {
  return complete === false ? 'length' : 'stop'
}

/**
 * A whole stream as an answer.
 *
 * @param otherwise facts about the answer, if its chunks have none
 * @throws `llm_unavailable` for a stream that broke off; `llm_bad_response` for one of another form; `internal` for one
 *   without facts about its answer
 */
export function bodyOfStream(stream: string, otherwise?: AboutAnswer): AnswerBody {
  let about: AboutAnswer | undefined
  let usage: CompletionUsage | undefined
  let cost: string | undefined
  let [answer, isWhole] = ['', false]
  for (const event of splitEvents(stream).events) {
    const { data } = readEvent(event)
    if (data === '' || data === '[DONE]') continue
    // The chunks were made here, or by the handler.
    const chunk = recordIn(data) as Chunk | undefined
    if (chunk === undefined) throw new RagGateError('llm_bad_response', 'The stream is no chat completion')
    const { choices, rag_gate: told, usage: counted, cost: paid, error } = chunk
    if (error) throw new RagGateError('llm_unavailable', 'The answer broke off')
    about ??= told
    cost = paid ?? cost
    usage = counted ?? usage
    const { delta, message = delta, finish_reason: reason } = choices?.[0] ?? {}
    answer += message?.content ?? ''
    isWhole ||= reason === 'stop'
  }
  about ??= otherwise
  if (about === undefined) throw new RagGateError('internal', 'A stored stream does not say what it answers')
  return {
    answer,
    ...about,
    ...(usage && { usage }),
    ...(cost && { cost }),
    ...(!isWhole && { complete: false }),
  }
}

/** The JSON object that a text is; `undefined` if it is none. */
export function recordIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** A response that streams events as they are produced. */
export function eventStream(events: AsyncGenerator<string, void, void>, onLeave: () => void): Response {
  return new Response(textStream(events, onLeave), { headers: { 'content-type': EVENT_STREAM } })
}

/** Transforms an event. */
export type ChangeEvent = (event: string) => string

/** A stream of transformed events. Cancelling it cancels its source. */
export function mapEvents(stream: ReadableStream<Uint8Array>, change: ChangeEvent): ReadableStream<Uint8Array> {
  const reader = stream.getReader()
  const eventsIn = createEventSplitter()
  const utf8 = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return controller.close()
        const events = eventsIn(value).map(change).join('')
        if (events !== '') return controller.enqueue(utf8.encode(events))
      }
    },
    cancel: (reason) => reader.cancel(reason),
  })
}

export const EVENT_STREAM = 'text/event-stream'
