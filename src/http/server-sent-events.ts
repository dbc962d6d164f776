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

/** Puts the pieces of a stream together: gives the events that each piece ends. */
export function createEventSplitter(): (piece: Uint8Array) => readonly string[] {
  const decoder = new TextDecoder()
  let held = ''
  return (piece) => {
    held += decoder.decode(piece, { stream: true })
    // It may be the first half of `\r\n`.
    const open = held.endsWith('\r') ? '\r' : ''
    const { events, rest } = splitEvents(held.slice(0, held.length - open.length))
    held = rest + open
    return events
  }
}
