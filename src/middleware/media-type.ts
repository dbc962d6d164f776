/** What a body is, as far as the gate cares. */
export type MediaType = 'json' | 'events' | 'other'

/** Reads `Content-Type`: JSON of any kind, a stream of server-sent events, or something else. */
export function mediaTypeOf(headers: Headers): MediaType {
  const type = headers.get('content-type') ?? ''
  if (/^application\/(?:[\w.+-]+\+)?json\b/i.test(type)) return 'json'
  return /^text\/event-stream\b/i.test(type) ? 'events' : 'other'
}
