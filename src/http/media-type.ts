/** Media types that the gate distinguishes. */
export type MediaType = 'json' | 'events' | 'other'

/**
 * Classifies a `Content-Type`: any kind of JSON, server-sent events, or something else.
 *
 * @param field value of the header, if any
 */
export function mediaTypeOf(field: string | null | undefined): MediaType {
  const type = (field ?? '').toLowerCase().split(';')[0]!.trim()
  // Lower-cased first, because case-insensitive patterns are slow to compile in a new isolate.
  if (/^application\/(?:.+\+)?json$/.test(type)) return 'json'
  return type === 'text/event-stream' ? 'events' : 'other'
}
