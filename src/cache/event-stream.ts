/** Streams of server-sent events: their events, and whether the answer in them came to its end. */
import { isRecord } from '../core/lib/guards.ts'
import { readEvent, splitEvents } from '../http/server-sent-events.ts'
import { textStream } from '../http/text-stream.ts'

/**
 * The events of a stream as they were sent, each with the blank line that ends it; joined they are the whole text.
 *
 * @returns what follows the last blank line as a last member, when something does
 */
export function eventsOf(stream: string): readonly string[] {
  const { events, rest } = splitEvents(stream)
  return rest === '' ? events : [...events, rest]
}

/**
 * Whether a stream is a whole answer: its last event is complete, none of them tells of an error, every choice that it
 * holds ended with `stop`, and it ends with `[DONE]`. A stream without choices is of another form: then the handler has to
 * say that it was whole.
 *
 * @param complete what the handler reported
 * @returns `unsaid` where it may be whole, and the handler did not say so
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export function streamState(stream: string, complete: boolean | undefined): 'whole' | 'cut' | 'unsaid' {
  const { events, rest } = splitEvents(stream)
  // An event that no blank line ends is none.
  if (complete === false || events.length === 0 || rest !== '') return 'cut'
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
      const { index, finish_reason: reason = null } = choice
      reasons.set(index, reason ?? reasons.get(index) ?? null)
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

/** A stored stream as a stream again, event by event. */
export function replayedStream(stream: string): ReadableStream<Uint8Array> {
  return textStream(eventsOf(stream).values())
}
