/**
 * Parsing of server-sent events.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */

/** A line end; `\r\n` is a single one. */
const LINE_END = /\r\n|\n|\r(?!\n)/
const EVENT_END = /(?:\r\n|\n|\r(?!\n)){2}/g

/** Splits a text into events, each with the blank line that ends it, and the rest. */
export function splitEvents(text: string): { readonly events: readonly string[]; readonly rest: string } {
  const events: string[] = []
  let from = 0
  for (const { index, 0: end } of text.matchAll(EVENT_END)) {
    events.push(text.slice(from, index + end.length))
    from = index + end.length
  }
  return { events, rest: text.slice(from) }
}

/** Name and data of an event; empty if absent. */
export function readEvent(event: string): { readonly name: string; readonly data: string } {
  const data: string[] = []
  let name = ''
  for (const line of event.split(LINE_END)) {
    const [, field, value = ''] = /^(\w+)(?:: ?(.*))?$/s.exec(line) ?? []
    if (field === 'data') data.push(value)
    if (field === 'event') name = value
  }
  return { name, data: data.join('\n') }
}

/** Number of characters before a piece that can be part of an event's end. */
const END_BEGINS = 3

/**
 * Makes a function that takes the pieces of a stream and returns the events that each completes. Takes linear time, however
 * long one event is.
 */
export function createEventSplitter(): (piece: Uint8Array) => readonly string[] {
  const decoder = new TextDecoder()
  let held: string[] = []
  let tail = ''
  return (piece) => {
    const text = decoder.decode(piece, { stream: true })
    const seam = tail + text
    held.push(text)
    tail = seam.slice(-END_BEGINS)
    if (seam.search(EVENT_END) < 0) return []
    const whole = held.join('')
    // A final `\r` may be the first half of `\r\n`, except in a stream where `\r` alone ends lines.
    const open = /[^\r]\r$/.test(whole) ? '\r' : ''
    const { events, rest } = splitEvents(whole.slice(0, whole.length - open.length))
    held = [rest + open]
    return events
  }
}
