/** Streams of server-sent events: splitting them, and checking whether they are complete. */
import { isRecord } from '../core/lib/guards.ts'
import { readEvent, splitEvents } from '../http/server-sent-events.ts'
import { textStream } from '../http/text-stream.ts'

/**
 * The events of a stream, each with the blank line that ends it; joined they give the original text.
 *
 * @returns the events, and as a last member anything after the last blank line
 */
export function eventsOf(stream: string): readonly string[] {
  const { events, rest } = splitEvents(stream)
  return rest === '' ? events : [...events, rest]
}

/**
 * Whether a stream is a complete answer: its last event is complete, none reports an error, every choice ended with `stop`,
 * and it ends with `[DONE]`. A stream without choices has another format; then the handler must report that it is complete.
 *
 * @param complete the handler's report
 * @returns `unsaid` if it may be complete, but the handler did not report it
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export function streamState(stream: string, complete: boolean | undefined): 'whole' | 'cut' | 'unsaid' {
  const { events, rest } = splitEvents(stream)
  // An event without a final blank line is incomplete.
  if (complete === false || events.length === 0 || rest.trim() !== '') return 'cut'
  const reasons = new Map<unknown, unknown>()
  let done = false
  for (const event of events) {
    const { name, data } = readEvent(event)
    if (name === 'error') return 'cut'
    if (data === '') continue
    done = data === '[DONE]'
    const value = done ? undefined : jsonOf(data)
    if (!isRecord(value)) continue
    if (value['error'] !== undefined && value['error'] !== null) return 'cut'
    for (const choice of Array.isArray(value['choices']) ? value['choices'] : []) {
      if (!isRecord(choice)) return 'cut'
      const { index, finish_reason: reason } = choice
      reasons.set(index, reason || reasons.get(index))
    }
  }
  if (reasons.size === 0) return complete === true ? 'whole' : 'unsaid'
  return done && [...reasons.values()].every((reason) => reason === 'stop') ? 'whole' : 'cut'
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Replays a stored stream, event by event. */
export function replayedStream(stream: string): ReadableStream<Uint8Array> {
  return textStream(eventsOf(stream).values())
}
