/**
 * An answer as a stream: chunks of a chat completion, of which the first holds in `rag_gate` what the JSON answer has
 * beside its text. So one can be made of the other.
 *
 * @see https://platform.openai.com/docs/api-reference/chat-streaming
 */
import { readEvent, splitEvents, textStream } from 'hono-rag-gate/http'
import type { TokenUsage } from 'hono-rag-gate/core/reports'
import { RagGateError } from 'hono-rag-gate/errors'

/** What a reader is told of an answer or a refusal beside its text. */
export interface AboutAnswer {
  readonly decision_id: string
  /** Absent unless the model did not get to its end. */
  readonly complete?: false
  readonly [member: string]: unknown
}

/** An answer or a refusal as JSON. */
export interface AnswerBody extends AboutAnswer {
  readonly answer: string
}

type FinishReason = 'stop' | 'length'

interface Chunk {
  readonly choices: readonly {
    readonly delta: { readonly content?: string }
    readonly finish_reason: FinishReason | null
  }[]
  readonly rag_gate?: AboutAnswer
}

/** Makes the events of one answer. */
export function chunksOf(
  about: AboutAnswer,
  model: string,
): {
  readonly first: string
  readonly text: (text: string) => string
  readonly last: (finishReason: FinishReason, usage?: TokenUsage) => string
} {
  const created = Math.floor(Date.now() / 1000)
  const named = { id: about.decision_id, object: 'chat.completion.chunk', created, model }
  const chunk = (members: object): string => `data: ${JSON.stringify({ ...named, ...members })}\n\n`
  const event = (delta: object, finishReason: FinishReason | null, more: object = {}): string =>
    chunk({ choices: [{ index: 0, delta, finish_reason: finishReason }], ...more })
  return {
    first: event({ role: 'assistant', content: '' }, null, { rag_gate: about }),
    text: (content) => event({ content }, null),
    last: (finishReason, usage) => `${event({}, finishReason)}${usage ? chunk(usageOf(usage)) : ''}data: [DONE]\n\n`,
  }
}

/** The tokens that the model took, in a chunk of its own without choices. */
const usageOf = ({ inputTokens, outputTokens }: TokenUsage): object => ({
  choices: [],
  usage: { prompt_tokens: inputTokens, completion_tokens: outputTokens, total_tokens: inputTokens + outputTokens },
})

/** A whole answer as a stream. */
export function streamOfBody({ answer, ...about }: AnswerBody, model: string): string {
  const chunks = chunksOf(about, model)
  return `${chunks.first}${answer === '' ? '' : chunks.text(answer)}${chunks.last(about.complete === false ? 'length' : 'stop')}`
}

/**
 * A whole stream as an answer.
 *
 * @throws `internal` for a stream that is none of these
 */
export function bodyOfStream(stream: string): AnswerBody {
  let about: AboutAnswer | undefined
  let [answer, cut] = ['', false]
  for (const event of splitEvents(stream).events) {
    const { data } = readEvent(event)
    if (data === '' || data === '[DONE]') continue
    // They were made here.
    const { choices, rag_gate: told } = JSON.parse(data) as Chunk
    about ??= told
    answer += choices[0]?.delta.content ?? ''
    cut ||= choices[0]?.finish_reason === 'length'
  }
  if (about === undefined) throw new RagGateError('internal', 'A stored stream does not say what it answers')
  return { answer, ...about, ...(cut && { complete: false }) }
}

/** A response that sends events as they are made. */
export function eventStream(events: AsyncGenerator<string, void, void>, onLeave: () => void): Response {
  return new Response(textStream(events, onLeave), { headers: { 'content-type': EVENT_STREAM } })
}

export const EVENT_STREAM = 'text/event-stream'
