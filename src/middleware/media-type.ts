/** What a body is, as far as the gate cares. */
export type MediaType = 'json' | 'events' | 'other'

/**
 * Reads `Content-Type`: JSON of any kind, a stream of server-sent events, or something else.
 *
 * @param type the field; nothing where there is none
 */
export function mediaTypeOf(type: string | null | undefined): MediaType {
  if (type === null || type === undefined) return 'other'
  if (/^application\/(?:[\w.+-]+\+)?json\b/i.test(type)) return 'json'
  return /^text\/event-stream\b/i.test(type) ? 'events' : 'other'
}
