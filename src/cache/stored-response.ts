/** A stored answer as a response: with its status and headers, as a stream where it was one. */
import type { Context } from 'hono'
import type { StatusCode } from 'hono/utils/http-status'
import { mediaTypeOf } from '../http/media-type.ts'
import type { CachedAnswer } from '../ports/answer-cache.ts'
import { entityTag, isConditional, namesTag } from './entity-tag.ts'
import { replayedStream } from './event-stream.ts'

/**
 * Through the context, so that headers which other middleware gave to this caller stay.
 *
 * @param received the request as it came
 */
export async function storedResponse(c: Context, received: Request, answer: CachedAnswer): Promise<Response> {
  const { body, status } = answer
  const headers = Object.fromEntries(answer.headers)
  // Of a redirect or an absence no condition is asked. @see RFC 9110, section 13.2.1
  if (isConditional(received.method) && status < 300) {
    const tag = (headers['etag'] ??= await entityTag(body))
    const condition = received.headers.get('if-none-match')
    if (condition !== null && namesTag(condition, tag)) {
      const { 'content-type': _type, 'content-language': _language, ...kept } = headers
      return c.newResponse(null, 304, kept)
    }
  }
  // A stream is sent as a stream again.
  const sent = mediaTypeOf(headers['content-type']) === 'events' ? replayedStream(body) : body
  // It was sent with this status before, so it is one.
  return c.newResponse(sent, status as StatusCode, headers)
}
