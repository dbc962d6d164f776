/** Answers of a route as messages of `useChat`. */
import { isRecord } from 'hono-rag-gate/core/lib'
import { readEvent } from 'hono-rag-gate/http'
import type { AboutAnswer, ChangeEvent } from './completions.ts'
import { chunkIn, type MessageForm, type Told } from './openai-protocol.ts'
import { messagePart, partsAbout, UI_EVENTS, UI_PART, uiMessageOf } from './ui-message-stream.ts'

/** Conversions for `chatProtocol`. */
export const MESSAGES: MessageForm = {
  whole: uiMessageOf,
  change: (told, isUiStream) => (isUiStream ? uiParts(told) : uiPartsOfChunks(told)),
}

/** Adds verdict and citations after the start of a message, if they are missing. */
function uiParts({ about, id }: Told): ChangeEvent {
  let isMissing = true
  return (event) => {
    const part = chunkIn(event)
    if (part === undefined) return event
    const failed = failureIn(part)
    if (failed !== undefined) return UI_EVENTS.failure(failed)
    const { type, messageId } = part
    // The id in a stored answer is that of an earlier message.
    if (messageId !== undefined && id !== undefined) return messagePart({ ...part, messageId: id })
    if (type === UI_PART) isMissing = false
    if (!isMissing || type === 'start') return event
    // The first part after the start is not the verdict, so the verdict is inserted before it.
    isMissing = false
    return partsAbout(about) + event
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
      events += UI_EVENTS.first(told ?? about)
    }
    const choice: unknown = Array.isArray(choices) ? choices[0] : undefined
    const { delta, finish_reason: ended } = isRecord(choice) ? choice : {}
    // The AI SDK accepts no other reasons, and writes these with a hyphen.
    if (/^(?:length|content_filter|tool_calls)$/.test(String(ended))) reason = String(ended).replace('_', '-')
    const { content } = isRecord(delta) ? delta : {}
    if (typeof content !== 'string' || content === '') return events
    if (!isInText) events += UI_EVENTS.textStart
    isInText = true
    return events + UI_EVENTS.text(content)
  }
}

/** Message of the error that ended a stream early. */
function failureIn({ error }: Readonly<Record<string, unknown>>): string | undefined {
  const { message } = isRecord(error) ? error : {}
  return typeof message === 'string' ? message : undefined
}
