/**
 * The format of server-sent events, read.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */

/** One end of a line; `\r\n` is one and not two. */
const LINE_END = /\r\n|\n|\r(?!\n)/
const EVENT_END = /(?:\r\n|\n|\r(?!\n)){2}/g

/** Events of a text, each with the blank line that ends it, and what follows the last of them. */
export function splitEvents(text: string): { readonly events: readonly string[]; readonly rest: string } {
  const events: string[] = []
  let from = 0
  for (const { index, 0: end } of text.matchAll(EVENT_END)) {
    events.push(text.slice(from, index + end.length))
    from = index + end.length
  }
  return { events, rest: text.slice(from) }
}

/** Name and data of an event; empty where it has none. */
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

/** Characters before a piece that may begin the end of an event which it completes. */
const END_BEGINS = 3

/**
 * Puts the pieces of a stream together: gives the events that each piece ends. Takes time in proportion to the stream,
 * however long one event is.
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
    // It may be the first half of `\r\n`.
    const open = whole.endsWith('\r') ? '\r' : ''
    const { events, rest } = splitEvents(whole.slice(0, whole.length - open.length))
    held = [rest + open]
    return events
  }
}
