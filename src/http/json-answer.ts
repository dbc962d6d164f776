/** The JSON of a response, read whole and within bounds. */
import { isRecord } from '../core/lib/guards.ts'
import { mediaTypeOf } from './media-type.ts'
import { readAtMost } from './read-at-most.ts'
import { silenceLimit } from './silence-limit.ts'
import { utf8TextOf } from './utf8.ts'

export type JsonObject = Readonly<Record<string, unknown>>

/** What was read of a response. */
export type JsonAnswer =
  /** JSON that was read: `value` is absent where it is no object, or broken. */
  | { readonly kind: 'json'; readonly bytes: Uint8Array; readonly value: JsonObject | undefined }
  /** Not read, since it can be sent without: packed, read already, or of another type. */
  | { readonly kind: 'unread'; readonly media: 'json' | 'events' | 'other' }
  /** JSON that is too large, stops or breaks off. */
  | { readonly kind: 'lost' }

/** @param silenceMs how long a piece of it may be waited for, milliseconds */
export async function readJsonAnswer(response: Response, maxBytes: number, silenceMs: number): Promise<JsonAnswer> {
  const { body, headers } = response
  const media = mediaTypeOf(headers.get('content-type'))
  const isReadable = body !== null && !body.locked && headers.get('content-encoding') === null
  if (media !== 'json' || !isReadable) return { kind: 'unread', media }
  if (Number(headers.get('content-length') ?? 0) > maxBytes) return { kind: 'lost' }
  try {
    const bytes = await readAtMost(body, maxBytes, silenceLimit(silenceMs))
    return bytes === undefined ? { kind: 'lost' } : { kind: 'json', bytes, value: objectIn(bytes) }
  } catch {
    return { kind: 'lost' }
  }
}

function objectIn(bytes: Uint8Array): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(utf8TextOf(bytes) ?? '')
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}
