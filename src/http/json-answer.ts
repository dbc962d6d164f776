/** Reads the JSON of a response completely, within limits. */
import { isRecord } from '../core/lib/guards.ts'
import { mediaTypeOf } from './media-type.ts'
import { readAtMost } from './read-at-most.ts'
import { silenceLimit } from './silence-limit.ts'
import { utf8TextOf } from './utf8.ts'

export type JsonObject = Readonly<Record<string, unknown>>

/** Result of `readJsonAnswer`. */
export type JsonAnswer =
  /** A body with a JSON content type; `value` is `undefined` if it is invalid or not an object. */
  | { readonly kind: 'json'; readonly bytes: Uint8Array; readonly value: JsonObject | undefined }
  /** Not read: compressed, already consumed, or of another type. */
  | { readonly kind: 'unread'; readonly media: 'json' | 'events' | 'other' }
  /** JSON that is too large, stalls or breaks off. */
  | { readonly kind: 'lost' }

/** @param silenceMs deadline for each piece, milliseconds */
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
