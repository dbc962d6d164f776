/** What a body is, as far as the gate cares. */
export type MediaType = 'json' | 'events' | 'other'

/**
 * Reads `Content-Type`: JSON of any kind, a stream of server-sent events, or something else.
 *
 * @param field nothing where there is none
 */
export function mediaTypeOf(field: string | null | undefined): MediaType {
  const type = (field ?? '').toLowerCase().split(';')[0]!.trim()
  // In lower case beforehand: a pattern that ignores case is slow to build in a fresh isolate.
  if (/^application\/(?:.+\+)?json$/.test(type)) return 'json'
  return type === 'text/event-stream' ? 'events' : 'other'
}
