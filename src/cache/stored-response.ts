/** A stored answer as a response: with its status and headers, as a stream where it was one. */
import type { Context } from 'hono'
import type { StatusCode } from 'hono/utils/http-status'
import type { CachedAnswer } from '../ports/answer-cache.ts'
import { entityTag, isConditional, namesTag } from './entity-tag.ts'
import { replayedStream } from './event-stream.ts'
import { mediaTypeOf } from '../middleware/media-type.ts'

/** Through the context, so that headers which other middleware gave to this caller stay. */
export async function storedResponse(c: Context, answer: CachedAnswer): Promise<Response> {
  const headers = Object.fromEntries(answer.headers)
  return (
    (await notModified(c, answer, headers)) ??
    // It was sent with this status before, so it is one.
    c.newResponse(bodyOf(answer, headers), answer.status as StatusCode, headers)
  )
}

/** A stream is sent as a stream again. */
function bodyOf({ body }: CachedAnswer, headers: Record<string, string>): string | ReadableStream<Uint8Array> {
  return mediaTypeOf(new Headers(headers)) === 'events' ? replayedStream(body) : body
}

/**
 * Adds the entity tag of a stored answer to its headers; gives a 304 where the caller has it already. Of a redirect or an
 * absence no condition is asked.
 *
 * @see RFC 9110, section 13.2.1
 */
async function notModified(
  c: Context,
  { body, status }: CachedAnswer,
  headers: Record<string, string>,
): Promise<Response | undefined> {
  if (!isConditional(c.req.method) || status >= 300) return undefined
  const tag = (headers['etag'] ??= await entityTag(body))
  const condition = c.req.header('if-none-match')
  if (condition === undefined || !namesTag(condition, tag)) return undefined
  const { 'content-type': _type, 'content-language': _language, ...kept } = headers
  return c.newResponse(null, 304, kept)
}
